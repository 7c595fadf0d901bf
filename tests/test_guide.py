"""What docs/flows.md shows is a working assistant, whose scenario plays as written."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

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
