"""A flow whose request to staff is made by a flow that it calls: its values change by accident as little."""

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import CorrectSlot, OfferChange, SetSlot
from dialogue.nlu import build_nlu
from dialogue.nlu.llm.answer_cache import is_shareable
from dialogue.nlu.llm.model_answer import Said, read_commands
from dialogue.nlu.llm.prompts import build_prompt
from dialogue.nlu.readers.command_filter import filter_commands
from dialogue.nlu.readers.pending_decisions import protect_pending_values
from dialogue.nlu.slots.utterance import read_utterance
from tests.nlu.dialogues.test_whole_talks import Understood
from tests.support.engine.dialogue_harness import Talk
from tests.support.nlu.situations import assistant_named, nlu_of, situation

SHOP = load_assistant(
    {
        "assistant.yaml": """
version: 1
assistant: shop
title: Shop
actions:
  pay: {inputs: {total: money, receiver: text}}
""",
        "transfer.yaml": """
flow: transfer
title: Send money
description: Send money to somebody
examples: [send money, make a transfer]
slots:
  amount: {type: money, description: The amount, prompt: How much?}
  payee: {type: text, description: The recipient, prompt: Who shall get the money?}
steps:
  - {step: ask_amount, type: collect, slot: amount}
  - {step: ask_payee, type: collect, slot: payee}
  - {step: check, type: confirm, message: "Send {amount} to {payee}?"}
  - {step: review, type: call, flow: approval, inputs: {total: amount, receiver: payee}}
  - {step: done, type: say, message: "Sent {amount} to {payee}."}
""",
        "approval.yaml": """
flow: approval
title: Approval
description: Approval by staff
start: false
slots: {total: {type: money}, receiver: {type: text}}
steps:
  - step: gate
    type: human
    title: Approve it
    role: approver
    show: [total, receiver]
    bind: [total, receiver]
    actions: [{id: approve, label: Approve}, {id: reject, label: Reject}]
    next: {approve: pay, reject: end}
    timeout: 1h
    on_timeout: end
  - {step: pay, type: action, call: pay, next: end}
""",
    }
)
NLU = build_nlu(SHOP)


class Transfer(Understood):
    """Ursula sends 100 to Anna Berg; a called flow has asked staff to approve it."""

    def __init__(self) -> None:
        Talk.__init__(self, SHOP)
        self.real = NLU


async def waiting() -> Transfer:
    talk = Transfer()
    await talk.hears("I want to send money", "100 euros", "Anna Berg", "yes")
    return talk


@pytest.mark.parametrize("text", ["ok, I'll wait", "my brother paid 120 euros elsewhere", "the chain was new"])
async def test_what_is_said_in_passing_changes_nothing_that_the_caller_handed_on(text: str) -> None:
    talk = await waiting()
    request = talk.staff_task()

    assert set(await talk.hears(text)) <= {"status", "waiting:gate"}
    assert talk.staff_task() == request


async def test_a_bare_value_is_one_question_and_a_yes_asks_for_consent_again() -> None:
    talk = await waiting()
    request = talk.staff_task()

    assert await talk.hears("300") == ["offer_change:amount"]
    assert talk.staff_task() == request
    assert await talk.hears("yes") == ["corrected:amount", "confirm:transfer"]
    assert talk.value("transfer.amount") == "300.00"


async def test_a_decision_withdraws_the_question_about_a_value_of_the_caller() -> None:
    talk = await waiting()
    await talk.hears("300")

    await talk.decides("reject")
    assert "offer" not in talk.outcome.state
    assert talk.value("transfer.amount") in ("100.00", None)


@pytest.mark.parametrize("text", ["make it 300", "the amount should be 300"])
async def test_a_clear_correction_of_the_caller_s_value_is_taken(text: str) -> None:
    talk = await waiting()

    assert await talk.hears(text) == ["corrected:amount", "confirm:transfer"]


REPAIRS = assistant_named("repairs")
AT_GATE = situation(REPAIRS, "book_repair!human")


def test_two_commands_that_mean_the_same_change_are_one_question() -> None:
    said = read_utterance("300", AT_GATE, nlu_of("repairs").assistant_index)
    twice = (SetSlot("limit", "300.00", "300"), CorrectSlot("limit", "300.00", "300"))

    assert protect_pending_values(twice, said)[0] == (OfferChange("limit", "300.00", "300"),)


def test_a_model_may_ask_whether_to_change_a_value() -> None:
    said = read_utterance("300", AT_GATE, nlu_of("repairs").assistant_index)

    told = [Said(command="offer_change", name="limit", value="300")]
    assert filter_commands(read_commands(told, said, str), said)[0] == (OfferChange("limit", "300", "300"),)


def test_an_answer_with_a_value_of_the_user_stays_in_its_conversation() -> None:
    prompt = build_prompt(read_utterance("300", AT_GATE, nlu_of("repairs").assistant_index))

    assert prompt.has_no_values
    assert not is_shareable(prompt, [OfferChange("limit", "300", "300")])
