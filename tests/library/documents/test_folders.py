"""A folder is read and written byte for byte."""

from pathlib import Path

import pytest

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.library.documents.folders import FolderRefused, load_folder, write_folder


@pytest.mark.parametrize("name", ["bank", "library"])
def test_a_folder_that_is_read_and_written_is_the_same_to_the_byte(name: str, tmp_path: Path):
    write_folder(load_folder(ASSISTANTS_FOLDER / name), tmp_path / "copy")

    written = {file.name: file.read_bytes() for file in (tmp_path / "copy").iterdir()}
    assert written == {file.name: file.read_bytes() for file in (ASSISTANTS_FOLDER / name).glob("*.yaml")}


def test_line_ends_comments_and_a_byte_order_mark_survive(tmp_path: Path):
    content = b"\xef\xbb\xbf# first\r\nversion: 1\r\n\r\nassistant: x  # last"
    (tmp_path / "assistant.yaml").write_bytes(content)

    write_folder(load_folder(tmp_path), tmp_path / "copy")

    assert (tmp_path / "copy" / "assistant.yaml").read_bytes() == content


def test_a_folder_without_its_own_document_is_refused_in_a_sentence(tmp_path: Path):
    with pytest.raises(FolderRefused, match=r"holds no assistant\.yaml"):
        load_folder(tmp_path)


def test_a_file_that_is_not_utf8_is_refused_with_its_place(tmp_path: Path):
    (tmp_path / "assistant.yaml").write_bytes(b"version: 1\ntitle: caf\xe9\n")

    with pytest.raises(FlowProblems) as refused:
        load_folder(tmp_path)

    assert str(refused.value).startswith("assistant.yaml:2:11: E-YAML: the byte 0xe9 is not UTF-8")
