"""A confirm with answers beside yes and no, a question with ready answers, and what steps carry for programs."""

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.tasks import ConfirmTask, task_from_json
from tests.support.engine.dialogue_harness import Talk
from tests.support.engine.small_flows import changed, documents, only_problem, problems

SURE = '{step: sure, type: confirm, message: "Pay {amount}?"}'
THREE = """{step: sure, type: confirm, message: "Pay {amount}?", metadata: {widget: card, urgent: true}, options: [
      Pay it, Leave it,
      {value: later, label: {en: Pay tomorrow, es: Pagar mañana}, synonyms: [not today], next: postponed},
      {value: other, next: again}]}"""
ENDS = """  - {step: postponed, type: say, message: "Tomorrow then.", next: end}
  - {step: again, type: collect, slot: amount, force: true, next: sure}
  - {step: sorry"""
PAY = changed("{step: sorry", ENDS.removeprefix("  - "), changed(SURE, THREE))
ASKED = [{"start_flow": "pay"}, {"set_slot": {"amount": 20, "kind": "card"}}]


def cashier(pay: str = PAY) -> Talk:
    return Talk(load_assistant(documents(pay)), {"charge": [{"returns": {"receipt": "R1"}}]})


async def asked() -> Talk:
    talk = cashier()
    await talk.does(*ASKED)
    return talk


async def test_every_answer_has_its_button_and_the_task_carries_the_steps_metadata() -> None:
    talk = await asked()

    buttons = [(each.value, each.label) for each in talk.outcome.messages[-1].buttons]
    assert buttons == [("yes", "Pay it"), ("no", "Leave it"), ("later", "Pay tomorrow"), ("other", "other")]
    task = talk.outcome.awaited
    assert isinstance(task, ConfirmTask)
    assert task.metadata == {"widget": "card", "urgent": True}
    assert task_from_json(task.to_json()) == task


@pytest.mark.parametrize("chosen", ["later", "Pay tomorrow", "PAY TOMORROW"])
async def test_a_further_answer_takes_its_own_way_and_nothing_is_paid(chosen: str) -> None:
    talk = await asked()

    assert await talk.chooses(chosen) == ["say:postponed"]
    assert talk.stack == []
    assert talk.actions.calls == []
    assert [(each.how, each.handle) for each in talk.outcome.settled] == [("answered", "later")]


async def test_a_further_answer_may_lead_back_and_the_question_is_asked_again() -> None:
    talk = await asked()

    assert await talk.does({"choose": "other"}) == ["ask:amount"]
    assert await talk.does({"set_slot": {"amount": 30}}) == ["confirm:pay"]
    assert await talk.does("affirm") == ["say:done"]
    assert [each.inputs["amount"] for each in talk.actions.calls] == ["30.00"]


async def test_yes_and_no_mean_what_they_did() -> None:
    talk = await asked()
    assert await talk.chooses("Leave it") == ["ask_change"]

    talk = await asked()
    assert await talk.chooses("yes") == ["say:done"]


@pytest.mark.parametrize("answer", ["nothing", "yes", ""])
async def test_an_answer_that_was_not_offered_decides_nothing(answer: str) -> None:
    talk = await asked()

    await talk.does({"choose": {"answer": answer}})

    assert talk.stack == ["pay!confirm"]
    assert talk.actions.calls == []
    assert talk.outcome.record["dropped"][0]["reason"] == "nothing_to_answer"


async def test_a_further_answer_where_no_confirm_is_open_is_dropped() -> None:
    talk = cashier()
    await talk.does({"start_flow": "pay"})

    assert await talk.does({"choose": "later"}) == ["cannot_handle", "ask:amount"]


async def test_a_correction_after_a_further_answer_asks_again() -> None:
    talk = await asked()
    await talk.does({"correct_slot": {"amount": 21}})

    assert talk.stack == ["pay!confirm"]
    assert await talk.chooses("later") == ["say:postponed"]


def test_the_two_labels_of_version_1_stay_valid() -> None:
    assert problems(changed('"Pay {amount}?"', '"Pay {amount}?", options: [Pay it, {en: Leave it, es: Dejarlo}]')) == []
    assert problems(PAY) == []


@pytest.mark.parametrize(
    ("options", "said", "advised"),
    [
        ("[Pay, Leave, go back]", "an answer other than yes and no needs a step to lead to", "Write {value: later"),
        ("[Pay, Leave, {value: later}]", "the answer `later` has no `next`", "Add next: <step>"),
        ("[Pay, Leave, {value: later, next: nowhere}]", "there is no step `nowhere`", ""),
        ("[Pay, Leave, {value: Go Back, next: done}]", "", ""),
        ("[Pay, Leave, {value: yes, next: done}]", "two answers have the same value", ""),
        ("[Pay, {label: Leave, next: done}]", "the second answer must be no", "on_deny"),
        ("[Pay]", "", ""),
        ("[]", "", ""),
    ],
)
def test_an_answer_without_a_way_or_a_value_is_refused(options: str, said: str, advised: str) -> None:
    found = only_problem(changed('"Pay {amount}?"', f'"Pay {{amount}}?", options: {options}'))

    assert found.severity == "error"
    assert said in found.text
    assert advised in found.advice


def test_a_step_that_only_a_further_answer_leads_to_is_reached() -> None:
    alone = changed("next: postponed", "next: done", PAY)

    assert "no step leads to `postponed`" in only_problem(alone).text


QUICK = changed("slot: amount}", 'slot: amount, buttons: ["10", {value: "50", label: Fifty}]}')


async def test_a_question_offers_ready_answers_and_takes_others_too() -> None:
    talk = cashier(QUICK)
    assert await talk.does({"start_flow": "pay"}) == ["ask:amount"]
    assert [(each.value, each.label) for each in talk.outcome.messages[0].buttons] == [("10", "10"), ("50", "Fifty")]

    await talk.chooses("Fifty")
    assert talk.value("pay.amount") == "50.00"

    talk = cashier(QUICK)
    await talk.does({"start_flow": "pay"})
    await talk.does({"set_slot": {"amount": 12}})
    assert talk.value("pay.amount") == "12.00"


async def test_of_a_choice_those_options_are_offered_that_the_step_names() -> None:
    talk = cashier(changed("slot: kind}", "slot: kind, buttons: [cash]}"))

    await talk.does({"start_flow": "pay"}, {"set_slot": {"amount": 12}})

    assert [each.value for each in talk.outcome.messages[0].buttons] == ["cash"]


@pytest.mark.parametrize(("slot", "button"), [("amount", "plenty"), ("amount", "-"), ("kind", "cheque")])
def test_a_ready_answer_that_the_slot_refuses_is_an_error(slot: str, button: str) -> None:
    found = only_problem(changed(f"slot: {slot}}}", f'slot: {slot}, buttons: ["{button}"]}}'))

    assert (found.rule, found.severity) == ("button", "error")
    assert f"`{slot}` refuses the button's value" in found.text


@pytest.mark.parametrize("metadata", ["{a: [1]}", "{a: {b: 1}}", "{Big: 1}", "[1]"])
def test_metadata_holds_plain_values_only(metadata: str) -> None:
    assert problems(changed("slot: amount}", f"slot: amount, metadata: {metadata}}}"))
