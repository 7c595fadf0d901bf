"""A conversation that took place becomes a scenario that passes."""

from pathlib import Path

import pytest

from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.models import Conversation
from dialogue.scenarios.format.recording import record_scenario
from dialogue.scenarios.runner import run_file
from tests.scenarios.conftest import Playing

pytestmark = pytest.mark.journey

TRANSFER = """  - name: a transfer
    turns:
      - user: send 6000 to Anna
        commands: [{start_flow: transfer_money}, {set_slot: {beneficiary: Anna, amount: 6000}}]
      - {user: DE89370400440532013000, commands: [{set_slot: {iban: DE89370400440532013000}}]}
      - {choose: "yes"}
      - {user: my balance, commands: [{start_flow: check_balance}]}
      - {operator: {submit: {step: approval, action: reject, values: {reason: no}}, as: Olga}}
"""


@pytest.fixture
def conversation(played: Playing) -> Conversation:
    assert played(TRANSFER).has_passed
    return Conversation.objects.get()


def test_what_was_recorded_is_played_again(conversation: Conversation, tmp_path: Path):
    file = tmp_path / "recorded.yaml"
    file.write_text(
        record_scenario(conversation, "as it was", str(ASSISTANTS_FOLDER / "bank")).replace(
            "•••• 3000", "DE89370400440532013000"
        )
    )

    (result,) = run_file(file)

    assert [turn.title for turn in result.turns if not turn.has_passed] == []
    assert len(result.turns) == 5
    assert result.has_passed
