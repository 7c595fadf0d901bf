"""One message starts the same flow several times: the plan, the order, and which run is meant afterwards."""

from typing import Any

from tests.support.engine.dialogue_harness import Talk, assistant_of

CANCEL = """
flow: cancel
title: cancel an order
description: Cancels an order.
slots:
  order: {type: text, prompt: Which order?}
  reason: {type: text, prompt: Why?}
steps:
  - {step: which, type: collect, slot: order}
  - {step: why, type: collect, slot: reason}
  - {step: sure, type: confirm, message: "Cancel {order}, {reason}?"}
  - {step: done, type: say, message: "{order} is cancelled."}
"""
NEED = """
flow: identify
title: who you are
description: Finds out who it is.
start: false
slots: {name: {type: text, prompt: Your name?}}
steps:
  - {step: ask, type: collect, slot: name}
  - {step: keep, type: set, slots: {customer: "=name"}}
"""
PING = """
flow: ping
title: ping
description: Pings.
slots: {a: {type: text, prompt: A?}}
steps: [{step: a, type: collect, slot: a}]
"""
BOTH: Any = (
    {"start_flow": "cancel"},
    {"set_slot": {"order": "W1"}},
    {"start_flow": "cancel"},
    {"set_slot": {"order": "W2"}},
)
LATE: Any = {"set_slot": {"reason": "late"}}


def _talk(*flows: str, **settings: Any) -> Talk:
    return Talk(assistant_of(*(flows or (CANCEL, PING))), **settings)


async def test_the_plan_names_each_run_and_they_follow_one_another():
    talk = _talk()
    assert await talk.does(*BOTH) == ["plan", "ask:reason"]
    assert talk.texts[0] == "One after the other: cancel an order (W1), cancel an order (W2)."
    await talk.does(LATE)
    assert await talk.does("affirm") == ["say:done", "ask:reason"]
    assert talk.texts[0] == "W1 is cancelled."
    await talk.does({"set_slot": {"reason": "broken"}})
    assert talk.texts == ["Cancel W2, broken?"]
    assert await talk.does("affirm") == ["say:done"]
    assert talk.stack == []


async def test_the_same_request_twice_without_values_is_one_run():
    talk = _talk()
    assert await talk.does({"start_flow": "cancel"}, {"start_flow": "cancel"}) == ["ask:order"]
    assert talk.stack == ["cancel?order"]


async def test_a_value_in_a_later_message_is_a_correction_and_no_other_run():
    talk = _talk()
    await talk.does(*BOTH[:2])
    assert await talk.does(*BOTH[2:]) == ["corrected:order", "ask:reason"]
    assert talk.stack == ["cancel?reason"]


async def test_a_correction_reaches_the_run_whose_value_it_names():
    talk = _talk()
    await talk.does(*BOTH)
    assert await talk.says("not W2 but W3", {"correct_slot": {"order": "W3"}}) == ["corrected:order", "ask:reason"]
    await talk.does(LATE)
    assert talk.texts == ["Cancel W1, late?"]
    await talk.does("affirm")
    await talk.does(LATE)
    assert talk.texts == ["Cancel W3, late?"]


async def test_a_correction_that_names_no_run_is_for_the_one_in_progress():
    talk = _talk()
    await talk.does(*BOTH)
    await talk.says("make it W9", {"correct_slot": {"order": "W9"}})
    await talk.does(LATE)
    assert talk.texts == ["Cancel W9, late?"]


async def test_cancelling_ends_the_run_in_progress_and_the_next_begins():
    talk = _talk()
    await talk.does(*BOTH)
    assert await talk.does("cancel_flow") == ["cancelled:cancel", "ask:reason"]
    assert talk.texts[0] == "All right, I have stopped: cancel an order (W1)."
    await talk.does(LATE)
    assert talk.texts == ["Cancel W2, late?"]


async def test_cancelling_by_its_value_ends_the_run_that_waits():
    talk = _talk()
    await talk.does(*BOTH)
    assert await talk.says("forget W2", {"cancel_flow": "cancel"}) == ["cancelled:cancel", "ask:reason"]
    assert talk.texts[0] == "All right, I have stopped: cancel an order (W2)."
    await talk.does(LATE)
    assert talk.texts == ["Cancel W1, late?"]


async def test_cancelling_both_by_their_values_ends_both():
    talk = _talk()
    await talk.does(*BOTH)
    assert await talk.says("forget W1 and w2", {"cancel_flow": "cancel"}) == ["cancelled:cancel", "cancelled:cancel"]
    assert talk.stack == []


async def test_the_status_tells_of_every_run():
    talk = _talk()
    await talk.does(*BOTH)
    await talk.does({"digress": {"kind": "status"}})
    assert "cancel an order (W1)" in talk.texts[0]
    assert "cancel an order (W2)" in talk.texts[0]


async def test_an_interrupted_run_is_resumed_before_the_next_one_begins():
    talk = _talk()
    await talk.does(*BOTH)
    await talk.does({"start_flow": "ping"})
    assert await talk.does({"set_slot": {"a": "x"}}) == ["resumed:cancel", "ask:reason"]
    assert talk.texts[0] == "Let us go back to this: cancel an order (W1)."


async def test_a_need_of_several_runs_is_met_once():
    needy = CANCEL.replace("slots:", "needs: {customer: identify}\nslots:", 1)
    head = "slots: {customer: {type: text, required: false}}\n"
    talk = Talk(assistant_of(needy, NEED, head=head))
    assert await talk.does(*BOTH) == ["plan", "ask:name"]
    assert await talk.does({"set_slot": {"name": "Ann"}}) == ["ask:reason"]
    await talk.does(LATE)
    assert await talk.does("affirm") == ["say:done", "ask:reason"]


async def test_runs_without_their_need_end_together_and_are_named():
    needy = CANCEL.replace("slots:", "needs: {customer: identify}\nslots:", 1)
    head = "slots: {customer: {type: text, required: false}}\n"
    talk = Talk(assistant_of(needy, NEED, head=head))
    await talk.does(*BOTH)
    assert await talk.does("cancel_flow") == ["need_not_met:cancel"]
    assert "cancel an order (W1), cancel an order (W2)" in talk.texts[0]
    assert talk.stack == []


async def test_more_runs_than_flows_that_may_be_open_are_refused_in_words():
    talk = _talk(max_depth=2)
    third = ({"start_flow": "cancel"}, {"set_slot": {"order": "W3"}})
    assert (await talk.does(*BOTH, *third))[-1] == "ask:reason"
    assert "too_many_flows" in talk.keys
