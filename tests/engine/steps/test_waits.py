"""Waiting for a time or an event, reminders, and time limits of questions."""

from datetime import timedelta
from typing import Any

import pytest

from dialogue.engine.ports import events
from tests.support.engine.dialogue_harness import MORNING, Talk, assistant_of

HEAD = """
events:
  parcel_received:
    payload: {parcel: text, weight: optional integer, code: {type: text, required: false, sensitive: true}}
"""

RETURN = """
flow: send_back
description: Send something back
slots:
  parcel: {type: text, prompt: Which parcel?}
  weight: {type: integer}
  code: {type: text, required: false}
steps:
  - {step: ask, type: collect, slot: parcel}
  - step: arrival
    type: wait
    event: parcel_received
    match: {parcel: parcel}
    outputs: {weight: weight, code: code}
    message: I wait for {parcel}.
    timeout: 5d
    on_timeout: late
  - {step: thanks, type: say, message: "It is here, {weight} grams.", next: end}
  - {step: late, type: say, message: It has not arrived.}
"""

PAUSE = """
flow: call_back
description: Ask how it went
slots: {day: {type: date, prompt: Which day?}}
steps:
  - {step: first, type: wait, for: 2d}
  - {step: hello, type: say, message: How did it go?}
  - {step: ask, type: collect, slot: day}
  - {step: second, type: wait, until: day}
  - {step: today, type: say, message: It is the day.}
"""

QUESTION = """
flow: order
description: Order
slots: {size: {type: integer, prompt: Which size?}}
steps:
  - step: ask
    type: collect
    slot: size
    reminder: {after: 1h, message: Do you still want it?}
    timeout: 1d
    on_timeout: stop
  - {step: ordered, type: say, message: Ordered., next: end}
  - {step: stop, type: set, slots: {size: ~}}
"""

PING = """
flow: ping
description: Ping
steps: [{step: pong, type: say, message: Pong.}]
"""


def talk_with(*flows: str) -> Talk:
    return Talk(assistant_of(*flows, head=HEAD))


async def fire(talk: Talk, name: str, task: str) -> list[str]:
    """The host tells that this timer of this pause is due."""
    return await talk.feed(events.timer(f"timer {talk._id()}", task, name))


async def report(talk: Talk, name: str, **payload: Any) -> list[str]:
    return await talk.feed(events.signal(f"signal {talk._id()}", name, payload))


def set_timers(talk: Talk) -> list[tuple[str, str, timedelta]]:
    return [(timer.task_key, timer.name, timer.at - MORNING) for timer in talk.outcome.timers]


async def waiting_for_parcel(*more: str) -> Talk:
    talk = talk_with(RETURN, *more)
    assert await talk.does({"start_flow": "send_back"}, {"set_slot": {"parcel": "P1"}}) == ["waiting:arrival"]
    return talk


async def test_a_wait_for_an_event_sets_its_time_limit_and_says_what_it_waits_for():
    talk = await waiting_for_parcel()
    assert talk.texts == ["I wait for P1."]
    assert talk.stack == ["send_back!wait"]
    assert talk.outcome.explicit == "waiting_for_event"
    assert set_timers(talk) == [("send_back-1/arrival/1", "timeout", timedelta(days=5))]
    (task,) = talk.outcome.tasks
    assert (task.kind, task.audience, getattr(task, "event", "")) == ("wait", "clock", "parcel_received")
    assert getattr(task, "until", "") == "2026-11-28T09:00:00+00:00"


async def test_the_awaited_event_fills_slots_and_the_flow_goes_on():
    talk = await waiting_for_parcel()
    assert await report(talk, "parcel_received", parcel="P1", weight=300) == ["say:thanks"]
    assert talk.texts == ["It is here, 300 grams."]
    assert talk.stack == []
    assert talk.outcome.settled[0].timed


async def test_an_event_about_something_else_or_with_a_wrong_payload_changes_nothing():
    talk = await waiting_for_parcel()
    assert await report(talk, "parcel_received", parcel="P2") == []
    assert talk.outcome.record["signal"] == {"event": "parcel_received", "awaited": False}
    assert await report(talk, "parcel_received", parcel="P1", weight="heavy") == []
    assert await report(talk, "parcel_received") == []
    assert await report(talk, "unheard_of", parcel="P1") == []
    assert talk.stack == ["send_back!wait"]


async def test_sensitive_values_of_a_payload_are_masked_in_the_record():
    talk = await waiting_for_parcel()
    await report(talk, "parcel_received", parcel="P1", code="secret-code-77")
    assert "secret-code-77" not in str(talk.outcome.record["signal"])


async def test_an_event_that_comes_twice_counts_once():
    talk = await waiting_for_parcel()
    await report(talk, "parcel_received", parcel="P1", weight=300)
    assert await report(talk, "parcel_received", parcel="P1", weight=300) == []
    assert not talk.outcome.record["signal"]["awaited"]


async def test_without_the_event_the_flow_goes_the_way_of_its_time_limit():
    talk = await waiting_for_parcel()
    assert await fire(talk, "timeout", "send_back-1/arrival/1") == ["say:late"]
    assert await report(talk, "parcel_received", parcel="P1") == []


async def test_the_user_talks_and_starts_another_flow_while_the_first_one_waits():
    talk = await waiting_for_parcel(PING)
    assert await talk.does({"start_flow": "ping"}) == ["say:pong"]
    assert await talk.does({"digress": "status"}) == ["status"]
    assert "goes on by itself" in talk.texts[0]
    assert await report(talk, "parcel_received", parcel="P1") == ["say:thanks"]


async def test_the_waiting_flow_comes_to_the_top_and_the_interrupted_question_comes_back():
    talk = await waiting_for_parcel(QUESTION)
    assert await talk.does({"start_flow": "order"}) == ["ask:size"]
    assert await report(talk, "parcel_received", parcel="P1") == ["say:thanks", "resumed:order", "ask:size"]


async def test_a_corrected_value_begins_the_wait_again():
    talk = await waiting_for_parcel()
    assert await talk.does({"correct_slot": {"parcel": "P2"}}) == ["corrected:parcel", "waiting:arrival"]
    assert [(end.task_key, end.timed) for end in talk.outcome.settled] == [("send_back-1/arrival/1", True)]
    assert [key for key, _name, _after in set_timers(talk)] == ["send_back-1/arrival/2"]
    assert await report(talk, "parcel_received", parcel="P1") == []
    assert await report(talk, "parcel_received", parcel="P2") == ["say:thanks"]


async def test_a_waiting_flow_is_cancelled_like_any_other():
    talk = await waiting_for_parcel()
    assert await talk.does("cancel_flow") == ["cancelled:send_back"]
    assert [(end.how, end.timed) for end in talk.outcome.settled] == [("cancelled", True)]
    assert await fire(talk, "timeout", "send_back-1/arrival/1") == []


async def test_a_wait_of_some_time_and_until_a_date():
    talk = talk_with(PAUSE)
    await talk.does({"start_flow": "call_back"})
    assert set_timers(talk) == [("call_back-1/first/1", "due", timedelta(days=2))]
    talk.waits(days=2)
    assert await fire(talk, "due", "call_back-1/first/1") == ["say:hello", "ask:day"]
    await talk.does({"set_slot": {"day": "2026-11-30"}})
    assert talk.outcome.timers[0].at.isoformat() == "2026-11-30T00:00:00+00:00"
    assert await fire(talk, "due", "call_back-1/second/1") == ["say:today"]


async def test_a_moment_that_has_passed_is_not_waited_for():
    talk = talk_with(PAUSE)
    await talk.does({"start_flow": "call_back"})
    await fire(talk, "due", "call_back-1/first/1")
    assert await talk.does({"set_slot": {"day": "2026-11-23"}}) == ["say:today"]


async def test_a_reminder_comes_once_and_the_question_follows():
    talk = talk_with(QUESTION)
    await talk.does({"start_flow": "order"})
    key = "order-1/ask/1"
    assert set_timers(talk) == [(key, "reminder", timedelta(hours=1)), (key, "timeout", timedelta(days=1))]
    assert await fire(talk, "reminder", key) == ["reminder:size", "ask:size"]
    assert talk.texts[0] == "Do you still want it?"
    assert await fire(talk, "reminder", key) == []
    assert await fire(talk, "timeout", key) == ["timed_out:ask"]
    assert talk.stack == []


async def test_an_answer_in_time_ends_the_timers_of_its_question():
    talk = talk_with(QUESTION)
    await talk.does({"start_flow": "order"})
    assert await talk.does({"set_slot": {"size": 4}}) == ["say:ordered"]
    assert [end.timed for end in talk.outcome.settled] == [True]
    assert await fire(talk, "reminder", "order-1/ask/1") == []


async def test_an_answer_ahead_sets_no_timer():
    talk = talk_with(QUESTION)
    await talk.does({"start_flow": "order"}, {"set_slot": {"size": 4}})
    assert talk.outcome.timers == ()


async def test_no_reminder_of_a_question_that_is_not_asked_now():
    talk = talk_with(QUESTION, PAUSE.replace("call_back", "later"))
    await talk.does({"start_flow": "order"})
    await talk.does({"start_flow": "later"})
    assert await fire(talk, "reminder", "order-1/ask/1") == []
    assert talk.stack == ["order", "later!wait"]


async def test_a_question_in_a_paused_flow_still_has_its_time_limit():
    talk = talk_with(QUESTION, PAUSE.replace("call_back", "later"))
    await talk.does({"start_flow": "order"})
    await talk.does({"start_flow": "later"})
    assert await fire(talk, "timeout", "order-1/ask/1") == ["timed_out:ask"]
    assert talk.stack == ["later!wait"]


async def test_a_time_limit_that_ends_the_flow_is_told():
    talk = talk_with(
        QUESTION.replace("on_timeout: stop", "on_timeout: end")
        .replace(", next: end}", "}")
        .replace("  - {step: stop, type: set, slots: {size: ~}}\n", "")
    )
    await talk.does({"start_flow": "order"})
    assert await fire(talk, "timeout", "order-1/ask/1") == ["timed_out:ask"]
    assert talk.texts == ["The time for this is over: order."]
    assert talk.stack == []


async def test_a_value_that_its_slot_refuses_ends_the_flow_with_an_apology():
    strict = RETURN.replace("weight: {type: integer}", "weight: {type: integer, maximum: 100}")
    talk = talk_with(strict)
    await talk.does({"start_flow": "send_back"}, {"set_slot": {"parcel": "P1"}})
    assert await report(talk, "parcel_received", parcel="P1", weight=300) == ["action_failed"]
    assert talk.stack == []


ABRUPT = QUESTION.replace("on_timeout: stop", "on_timeout: end").replace(
    "  - {step: stop, type: set, slots: {size: ~}}\n", ""
)


async def handed_over(talk: Talk) -> None:
    assert await talk.does({"handoff": "wants a person"}) == ["handoff"]


async def hand_back(talk: Talk) -> list[str]:
    return await talk.feed(events.hand_back(f"back {talk._id()}", "Olga"))


async def test_a_wait_that_ends_while_a_person_has_the_chat_goes_on_once_when_it_is_handed_back():
    talk = talk_with(PAUSE)
    await talk.does({"start_flow": "call_back"})
    await handed_over(talk)

    assert await fire(talk, "due", "call_back-1/first/1") == []
    assert ("call_back-1/first/1", "answered") in talk.settled()
    assert await fire(talk, "due", "call_back-1/first/1") == []

    assert await hand_back(talk) == ["say:hello", "ask:day"]


async def test_an_event_that_comes_while_a_person_has_the_chat_is_kept():
    talk = await waiting_for_parcel()
    await handed_over(talk)
    assert await report(talk, "parcel_received", parcel="P1", weight=300) == []
    assert await hand_back(talk) == ["say:thanks"]
    assert talk.texts == ["It is here, 300 grams."]


@pytest.mark.parametrize("flow", [QUESTION, ABRUPT])
async def test_a_time_limit_that_passes_while_a_person_has_the_chat_is_told_when_it_is_handed_back(flow):
    talk = talk_with(flow)
    await talk.does({"start_flow": "order"})
    await handed_over(talk)

    assert await fire(talk, "timeout", "order-1/ask/1") == []

    assert await hand_back(talk) == ["timed_out:ask"]
    assert talk.stack == []
    assert await talk.does({"start_flow": "order"}) == ["ask:size"]


ASKS_STAFF = """\
flow: lend
description: Lend something.
start: true
steps:
  - step: check
    type: human
    title: Lend it?
    actions: [{id: lend}, {id: clear}, {id: keep}]
    timeout: 10m
    on_timeout: keep
    next: {lend: told, clear: done, keep: %s}
  - {step: told, type: say, message: "We keep it.", next: end}
  - {step: done, type: set, slots: {size: ~}}
"""


@pytest.mark.parametrize(("target", "keys"), [("done", ["expired:check"]), ("told", ["say:told"])])
async def test_a_request_that_expires_while_a_person_has_the_chat_is_told_when_it_is_handed_back(target, keys):
    talk = Talk(assistant_of(ASKS_STAFF % target, head="slots: {size: optional text}\n"))
    await talk.does({"start_flow": "lend"})
    await handed_over(talk)

    assert await talk.expires() == []

    assert await hand_back(talk) == keys
    assert talk.stack == []


@pytest.mark.parametrize("target", ["done", "end"])
async def test_a_request_that_expires_is_told(target):
    talk = Talk(assistant_of(ASKS_STAFF % target, head="slots: {size: optional text}\n"))
    await talk.does({"start_flow": "lend"})

    assert await talk.expires() == ["expired:check"]
