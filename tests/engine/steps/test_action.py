"""Actions: their inputs, outputs, keys, failures and doubts."""

from typing import Any

import pytest

from dialogue.engine.actions import Failed, Succeeded, Unknown
from dialogue.engine.steps.action import ApprovalOutdated
from tests.support.engine.dialogue_harness import Talk, assistant_of
from tests.support.engine.sample_flows import REFUND

SEND = """
flow: send
title: send it
description: Sends something.
slots:
  what: {type: text, prompt: What?}
  note: {type: text, required: false}
  number: {type: integer, required: false}
steps:
  - {step: ask, type: collect, slot: what}
  - {step: send, type: action, call: send, outputs: {number: number}RETRY}
  - {step: done, type: say, message: "Sent {number}.", next: end}
  - {step: sorry, type: say, message: Sorry.}
"""
LAST = "\n  - {step: sorry, type: say, message: Sorry.}"
HEAD = "actions:\n  send: {inputs: {what: text, note: optional text}, outputs: {number: integer}, idempotent: IDEM}\n"


class Outcomes:
    """A double that gives one outcome after the other."""

    def __init__(self, *outcomes: Any) -> None:
        self._outcomes = list(outcomes)
        self.calls: list[Any] = []

    async def run(self, call: Any) -> Any:
        self.calls.append(call)
        return self._outcomes.pop(0)


def _sender(*outcomes: Any, more: str = "", idempotent: bool = False) -> Talk:
    head = HEAD.replace("IDEM", str(idempotent).lower())
    flow = SEND.replace("RETRY", more)
    talk = Talk(assistant_of(flow if "sorry" in more else flow.replace(LAST, ""), head=head))
    talk.actions = Outcomes(*outcomes)
    return talk


GO = ({"start_flow": "send"}, {"set_slot": {"what": "a book"}})


async def test_an_optional_input_that_is_empty_is_left_out():
    talk = _sender(Succeeded({"number": 7}))
    assert await talk.does(*GO) == ["say:done"]
    assert talk.actions.calls[0].inputs == {"what": "a book"}
    assert talk.texts == ["Sent 7."]


async def test_a_failure_without_a_way_out_apologises_and_ends_the_flow():
    talk = _sender(Failed("no"))
    assert await talk.does(*GO) == ["action_failed"]
    assert talk.stack == []


async def test_a_failure_takes_the_way_that_the_author_wrote():
    talk = _sender(Failed("no"), more=", on_error: sorry")
    assert await talk.does(*GO) == ["say:sorry"]


async def test_an_output_that_its_slot_refuses_is_a_failure():
    talk = _sender(Succeeded({"number": "many"}), more=", on_error: sorry")
    assert await talk.does(*GO) == ["say:sorry"]


@pytest.fixture
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(seconds: float) -> None:
        return None

    monkeypatch.setattr("dialogue.engine.steps.action.asyncio.sleep", at_once)


@pytest.mark.usefixtures("_no_delay")
async def test_a_failed_call_is_tried_again_under_another_key():
    talk = _sender(Failed("no"), Succeeded({"number": 1}), more=", retry: {attempts: 2, delay: 1s}", idempotent=True)
    assert await talk.does(*GO) == ["say:done"]
    assert [each.key for each in talk.actions.calls] == ["c1/send-1/send/1/1", "c1/send-1/send/1/2"]


@pytest.mark.usefixtures("_no_delay")
async def test_a_repeatable_call_of_unknown_outcome_is_tried_again_under_the_same_key():
    talk = _sender(Unknown("lost"), Succeeded({"number": 1}), more=", retry: {attempts: 2, delay: 1s}", idempotent=True)
    assert await talk.does(*GO) == ["say:done"]
    assert [each.key for each in talk.actions.calls] == ["c1/send-1/send/1/1"] * 2


async def test_a_call_of_unknown_outcome_that_may_not_be_repeated_is_asked_about():
    talk = _sender(Unknown("lost"), more=", retry: {attempts: 3, delay: 1s}")
    assert await talk.does(*GO) == ["waiting:send"]
    assert len(talk.actions.calls) == 1
    assert talk.stack == ["send!human"]
    assert talk.staff_task().title == "Did “send” happen?"


async def test_staff_found_out_that_it_happened_and_with_which_result():
    talk = _sender(Unknown("lost"))
    await talk.does(*GO)
    assert await talk.decides("happened", number=7) == ["say:done"]
    assert talk.texts == ["Sent 7."]
    assert len(talk.actions.calls) == 1
    assert talk.outcome.record["actions"][0]["outcome"] == "happened"


async def test_staff_found_out_that_it_did_not_happen():
    talk = _sender(Unknown("lost"), more=", on_error: sorry")
    await talk.does(*GO)
    assert await talk.decides("did_not_happen") == ["say:sorry"]


async def test_what_did_not_happen_ends_a_flow_that_has_no_way_for_failures():
    talk = _sender(Unknown("lost"))
    await talk.does(*GO)
    assert await talk.decides("did_not_happen") == ["action_failed"]
    assert talk.stack == []


async def test_what_did_not_happen_is_done_anew_under_another_key():
    talk = _sender(Unknown("lost"), Succeeded({"number": 2}))
    await talk.does(*GO)
    assert await talk.decides("try_again") == ["say:done"]
    first, second = (each.key for each in talk.actions.calls)
    assert first != second


async def test_while_it_is_unknown_the_user_can_neither_cancel_nor_correct_what_was_done():
    talk = _sender(Unknown("lost"))
    await talk.does(*GO)
    assert await talk.does("cancel_flow") == ["waiting:send"]
    assert await talk.does({"set_slot": {"what": "another book"}}) == ["already_done:what"]
    assert len(talk.actions.calls) == 1
    assert await talk.decides("happened", number=7) == ["say:done"]


async def test_while_it_is_unknown_the_user_cannot_start_afresh_either():
    talk = _sender(Unknown("lost"))
    await talk.does(*GO)
    assert await talk.does("restart") == ["waiting:send"]
    assert talk.stack == ["send!human"]


async def test_a_person_who_had_the_chat_meanwhile_lets_nothing_happen_twice():
    talk = _sender(Unknown("lost"))
    await talk.does(*GO)
    await talk.does({"handoff": "please"})
    await talk.feed({"id": "back", "kind": "hand_back", "by": "Olga"})
    assert len(talk.actions.calls) == 1
    assert talk.stack == ["send!human"]


async def test_the_record_shows_what_was_done_without_sensitive_values():
    flow = SEND.replace("RETRY", "").replace(LAST, "")
    flow = flow.replace("what: {type: text,", "what: {type: text, sensitive: true,")
    talk = Talk(assistant_of(flow, head=HEAD.replace("IDEM", "false")), {"send": [{"returns": {"number": 1}}]})
    await talk.does({"start_flow": "send"}, {"set_slot": {"what": "4000123412341234"}})
    assert talk.outcome.record["actions"][0]["outcome"] == "succeeded"
    assert "4000123412341234" not in str(talk.outcome.record)


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (Failed("no stock"), "no stock"),
        (Unknown("ConnectionError: gone"), "ConnectionError: gone"),
        (Succeeded({}, misfit="`number` does not fit the type integer"), "`number` does not fit the type integer"),
        (Succeeded({"number": "many"}), "`number` does not fit the slot `number`: “many” is not a whole number."),
    ],
)
async def test_the_record_says_why_an_action_did_not_work(outcome: Any, error: str):
    talk = _sender(outcome, more=", on_error: sorry", idempotent=True)
    assert await talk.does(*GO) == ["say:sorry"]
    assert talk.outcome.record["actions"][0]["error"].startswith(error)


async def test_an_input_that_the_contract_refuses_is_named_in_the_record():
    head = HEAD.replace("IDEM", "false").replace("what: text", "what: {type: text, max_length: 3}")
    talk = Talk(assistant_of(SEND.replace("RETRY", "").replace(LAST, ""), head=head))
    assert await talk.does(*GO) == ["action_failed"]
    assert talk.actions.calls == []
    assert "the input `what` is refused" in talk.outcome.record["actions"][0]["error"]


async def test_whoever_is_asked_whether_it_happened_is_told_the_error():
    talk = _sender(Unknown("ConnectionError: gone"))
    await talk.does(*GO)
    assert talk.staff_task().message == "ConnectionError: gone"
    assert "ConnectionError" not in " ".join(talk.texts)


async def test_an_action_knows_which_of_its_values_are_sensitive():
    flow = SEND.replace("RETRY", "").replace(LAST, "")
    flow = flow.replace("number: {type: integer,", "number: {type: integer, sensitive: true,")
    head = HEAD.replace("IDEM", "false").replace("what: text", "what: {type: text, sensitive: true}")
    talk = Talk(assistant_of(flow, head=head), {"send": [{"returns": {"number": 1}}]})
    await talk.does(*GO)
    assert talk.actions.calls[0].sensitive == {"what", "number"}


async def test_an_approval_of_other_values_does_not_let_the_action_run():
    changed = REFUND.replace("next: {approve: pay,", "next: {approve: double,").replace(
        "  - {step: pay,", "  - {step: double, type: set, slots: {amount: '= amount * 2'}}\n  - {step: pay,"
    )
    talk = Talk(assistant_of(changed, head="actions:\n  pay: {inputs: {amount: money}, outputs: {}}\n"))
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    with pytest.raises(ApprovalOutdated):
        await talk.decides("approve")
    assert talk.actions.calls == []


async def test_a_restart_that_was_offered_before_the_doubt_forgets_nothing():
    talk = _sender(Unknown("lost"))
    await talk.does({"start_flow": "send"})
    await talk.does("restart")
    await talk.feed({"id": "s", "kind": "slots", "values": {"what": "a book"}, "by": "Olga"})
    assert talk.stack == ["send!human"]
    assert await talk.does("affirm") == ["waiting:send"]
    assert talk.stack == ["send!human"]
