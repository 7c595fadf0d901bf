"""What docs/flows.md shows is a working assistant, whose scenario plays as written."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from dialogue.engine.language.compiler import check_documents

GUIDE = Path(__file__).parents[1] / "docs" / "flows.md"


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    """The guide's YAML as files: the assistant's two documents, and the scenario beside their folder."""
    blocks = re.findall(r"```yaml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assistant, flow, scenario = (block for block in blocks if "canteen" in block)
    (tmp_path / "canteen").mkdir()
    (tmp_path / "canteen" / "assistant.yaml").write_text(assistant)
    (tmp_path / "canteen" / "book_table.yaml").write_text(flow)
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "large.yaml").write_text(scenario)
    return tmp_path / "scenarios" / "large.yaml"


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("nlu", ["given", "learned"])
def test_the_guides_assistant_plays_its_scenario(shown: Path, nlu: str):
    out = StringIO()

    call_command("run_scenarios", str(shown), nlu=nlu, stdout=out)

    assert out.getvalue().splitlines()[-1] == "2 of 2 scenarios, 7 of 7 turns as expected"


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("folder", "last_line"),
    [
        ("delivery", "1 of 1 scenarios, 7 of 7 turns as expected"),
        ("exchange", "1 of 1 scenarios, 5 of 5 turns as expected"),
        ("shop", "1 of 1 scenarios, 1 of 1 turns as expected"),
        ("courier", "5 of 5 scenarios, 14 of 14 turns as expected"),
        ("claims", "1 of 1 scenarios, 5 of 5 turns as expected"),
    ],
)
def test_the_example_of_a_section_plays_its_scenario(tmp_path: Path, folder: str, last_line: str):
    out = StringIO()

    call_command("run_scenarios", str(write_example(folder, tmp_path)), stdout=out)

    assert out.getvalue().splitlines()[-1] == last_line


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_the_example_of_records_is_understood_in_words_too(tmp_path: Path):
    out = StringIO()

    call_command("run_scenarios", str(write_example("delivery", tmp_path)), nlu="learned", stdout=out)

    assert out.getvalue().splitlines()[-1] == "1 of 1 scenarios, 7 of 7 turns as expected"


def write_example(folder: str, target: Path) -> Path:
    """Write the blocks that begin with `# folder/file` into files; returns the scenario's."""
    blocks = re.findall(rf"```yaml\n# {folder}/(\w+\.yaml)\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    for name, text in blocks:
        file = target / name if name == "scenario.yaml" else target / folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    return target / "scenario.yaml"


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_the_messages_to_flows_that_work_together_are_understood_without_a_language_model(tmp_path: Path):
    out = StringIO()

    call_command("run_scenarios", str(write_example("courier", tmp_path)), nlu="learned", stdout=out)

    assert out.getvalue().splitlines()[-1] == "5 of 5 scenarios, 14 of 14 turns as expected"


def test_the_flows_that_work_together_have_no_findings(tmp_path: Path):
    write_example("courier", tmp_path)

    assert check_documents({file.name: file.read_text() for file in (tmp_path / "courier").iterdir()}) == []
