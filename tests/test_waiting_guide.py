"""What docs/flows.md says about waiting is a working assistant, whose scenarios play as written."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

GUIDE = Path(__file__).parents[1] / "docs" / "flows.md"
BLOCK = re.compile(r"```yaml\n# ((?:parcels|scenarios)/\w+\.yaml)\n(.*?)```", re.DOTALL)


@pytest.mark.journey
@pytest.mark.django_db(transaction=True)
def test_the_scenarios_of_the_parcels_play_as_written(tmp_path: Path):
    blocks = BLOCK.findall(GUIDE.read_text())
    for file, text in blocks:
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(text)
    out = StringIO()

    call_command("run_scenarios", str(tmp_path / "scenarios" / "parcels.yaml"), coverage=True, stdout=out)

    assert len(blocks) == 3
    assert "2 of 2 scenarios, 10 of 10 turns as expected" in out.getvalue()
    assert "step send_back" in out.getvalue()  # those that no scenario reaches
