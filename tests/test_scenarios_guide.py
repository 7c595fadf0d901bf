"""What docs/scenarios.md shows plays as it is written, with the assistant of docs/flows.md."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

DOCS = Path(__file__).parents[1] / "docs"
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


@pytest.fixture
def scenarios(tmp_path: Path) -> Path:
    """The folder of the page's scenario files, beside the assistant."""
    assistant, flow, _scenario = YAML.findall((DOCS / "flows.md").read_text())[:3]
    (tmp_path / "canteen").mkdir()
    (tmp_path / "canteen" / "assistant.yaml").write_text(assistant)
    (tmp_path / "canteen" / "book_table.yaml").write_text(flow)
    (tmp_path / "scenarios").mkdir()
    for number, text in enumerate(YAML.findall((DOCS / "scenarios.md").read_text())):
        (tmp_path / "scenarios" / f"file{number}.yaml").write_text(text)
    return tmp_path / "scenarios"


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_the_scenarios_of_the_page_play_as_they_are_written(scenarios: Path):
    out = StringIO()

    call_command("run_scenarios", str(scenarios), stdout=out)

    assert out.getvalue().splitlines()[-1] == "4 of 4 scenarios, 12 of 12 turns as expected"
