"""What docs/flows.md says in several sections is a working assistant each, whose scenarios play as written."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

GUIDE = Path(__file__).parents[1] / "docs" / "flows.md"
BLOCK = re.compile(r"```yaml\n# (\w+/\w+\.yaml)\n(.*?)```", re.DOTALL)


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("scenarios", "passed"),
    [
        ("parcels", "2 of 2 scenarios, 10 of 10 turns as expected"),
        ("feedback", "2 of 2 scenarios, 8 of 8 turns as expected"),
        ("orders", "2 of 2 scenarios, 2 of 2 turns as expected"),
        ("returns", "3 of 3 scenarios, 6 of 6 turns as expected"),
    ],
)
def test_the_scenarios_of_a_section_play_as_written(scenarios: str, passed: str, tmp_path: Path):
    assert passed in played(scenarios, tmp_path)


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_the_lists_of_the_guide_are_changed_in_words(tmp_path: Path):
    passed = "1 of 1 scenarios, 7 of 7 turns as expected"

    assert passed in played("hampers", tmp_path)
    assert passed in played("hampers", tmp_path, nlu="learned")


def played(scenarios: str, folder: Path, **options: str) -> str:
    """What the command says about the scenarios of a section, with the guide's files in this folder."""
    for file, text in BLOCK.findall(GUIDE.read_text()):
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text)
    out = StringIO()
    call_command("run_scenarios", str(folder / "scenarios" / f"{scenarios}.yaml"), stdout=out, **options)
    return out.getvalue()
