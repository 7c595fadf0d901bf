"""The folders that `make unit` does not even read hold nothing that would run in it."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
UNREAD = {"browser": "browser", "journeys": "journey", "second_project": "journey"}
"""The mark of each of these folders."""


@pytest.mark.parametrize(("folder", "mark"), UNREAD.items())
def test_every_file_of_an_unread_folder_has_its_mark_as_a_whole(folder: str, mark: str) -> None:
    marked = re.compile(rf"^pytestmark = .*\bpytest\.mark\.{mark}\b", re.MULTILINE)
    files = sorted((HERE / folder).rglob("test_*.py"))

    assert files
    assert [file.name for file in files if not marked.search(file.read_text())] == []


def test_the_unread_folders_are_those_of_the_makefile() -> None:
    (unit,) = re.findall(r"^unit:.*\n(?:\t.*\n)+", (HERE.parent / "Makefile").read_text(), re.MULTILINE)

    assert set(re.findall(r"--ignore=tests/(\w+)", unit)) == UNREAD.keys()
