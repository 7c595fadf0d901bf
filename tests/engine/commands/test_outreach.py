"""What the business begins, and the words with which a customer refuses it."""

from datetime import datetime, time
from zoneinfo import ZoneInfo

import pytest

from dialogue.engine.language.compiler import check_documents
from dialogue.engine.language.contact import QuietHours, is_one_of
from dialogue.engine.ports import events
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
settings:
  opt_out: {words: [stop, baja], back: [start]}
slots:
  barred: {type: boolean, required: false}
events:
  order_sent: {payload: {order: text, weight: optional integer}, start: feedback}
"""
FEEDBACK = """
flow: feedback
description: Ask how it was
start: false
if: not barred
slots:
  order: {type: text, required: false}
  stars: {type: integer, minimum: 1, maximum: 5, prompt: How many stars?}
steps:
  - {step: hello, type: say, message: "Your order {order} has arrived."}
  - {step: ask, type: collect, slot: stars}
  - {step: thanks, type: say, message: Thanks.}
"""
NAME = """
flow: name
description: Tell a name
slots: {name: {type: text, prompt: Your name?}}
steps:
  - {step: ask, type: collect, slot: name}
  - {step: done, type: say, message: Done.}
"""
CHAT = """
flow: chat
description: Talk to a person
steps: [{step: hand, type: handoff}]
"""


def talk() -> Talk:
    return Talk(assistant_of(FEEDBACK, NAME, CHAT, head=HEAD))


async def start(talk: Talk, flow: str = "feedback", **slots: object) -> list[str]:
    return await talk.feed(events.start(talk._id(), flow, slots, "Shop"))


async def test_a_flow_begins_with_its_values():
    shop = talk()
    assert await start(shop, order="R-77") == ["say:hello", "ask:stars"]
    assert shop.texts[0] == "Your order R-77 has arrived."
    assert shop.outcome.record["outreach"] == {"flow": "feedback", "started": True, "reason": ""}
    assert await shop.does({"set_slot": {"stars": 5}}) == ["say:thanks"]


async def test_it_comes_on_top_and_what_it_interrupts_goes_on_afterwards():
    shop = talk()
    await shop.does({"start_flow": "name"})
    assert await start(shop, order="R-77") == ["say:hello", "ask:stars"]
    assert await shop.does({"set_slot": {"stars": 5}}) == ["say:thanks", "resumed:name", "ask:name"]


@pytest.mark.parametrize(
    ("before", "flow", "reason"),
    [
        ({"start_flow": "chat"}, "feedback", "handed_over"),
        ({"set_slot": {"barred": True}}, "feedback", "not_allowed"),
        ({"start_flow": "name"}, "name", "already_active"),
        ({"start_flow": "name"}, "nothing", "unknown_flow"),
    ],
)
async def test_a_flow_that_cannot_begin_says_nothing_and_the_record_says_why(before, flow: str, reason: str):
    shop = talk()
    await shop.does(before)
    stack = shop.stack
    assert await start(shop, flow) == []
    assert shop.outcome.record["outreach"] == {"flow": flow, "started": False, "reason": reason}
    assert shop.stack == stack


async def test_a_value_that_does_not_fit_is_left_out():
    shop = talk()
    assert await start(shop, stars=9, nothing=1) == ["say:hello", "ask:stars"]


async def test_the_business_writes_and_the_open_question_follows():
    shop = talk()
    await shop.does({"start_flow": "name"})
    assert await shop.feed(events.notify("n1", "We close at five.", "Shop")) == ["notice", "ask:name"]
    assert shop.texts[0] == "We close at five."


async def test_an_event_that_no_flow_waits_for_begins_its_flow():
    shop = talk()
    assert await shop.feed(events.signal("s1", "order_sent", {"order": "R-77", "weight": 3})) == []
    assert shop.outcome.begin == {"flow": "feedback", "slots": {"order": "R-77"}}
    assert shop.outcome.record["signal"]["start"] == "feedback"


@pytest.mark.parametrize("text", ["stop", "STOP!", " Baja. "])
async def test_a_word_refuses_and_the_open_question_stays(text: str):
    shop = talk()
    await shop.does({"start_flow": "name"})
    assert await shop.feed(events.message("m9", text)) == ["opted_out", "ask:name"]
    assert shop.outcome.record["contact"] == "refused"
    assert await shop.feed(events.message("m10", "start")) == ["opted_in", "ask:name"]
    assert shop.outcome.record["contact"] == "allowed"


async def test_a_longer_message_is_an_ordinary_one():
    shop = talk()
    await shop.does({"start_flow": "name"})
    assert await shop.says("stop it", {"set_slot": {"name": "stop it"}}) == ["say:done"]


def test_words_are_compared_without_case_accents_and_marks():
    assert is_one_of(("Baja", "atención"), "¡ATENCION!")
    assert not is_one_of(("baja",), "baja eso")


ROME = ZoneInfo("Europe/Rome")
NIGHT = QuietHours.model_validate({"from": "21:00", "to": "08:00"})
NOON = QuietHours.model_validate({"from": "12:00", "to": "14:30"})


@pytest.mark.parametrize(
    ("hours", "now", "end"),
    [
        (NIGHT, datetime(2026, 11, 23, 20, 59, tzinfo=ROME), None),
        (NIGHT, datetime(2026, 11, 23, 21, 0, tzinfo=ROME), datetime(2026, 11, 24, 8, 0, tzinfo=ROME)),
        (NIGHT, datetime(2026, 11, 24, 7, 59, tzinfo=ROME), datetime(2026, 11, 24, 8, 0, tzinfo=ROME)),
        (NIGHT, datetime(2026, 11, 24, 8, 0, tzinfo=ROME), None),
        (NIGHT, datetime(2026, 10, 24, 23, 0, tzinfo=ROME), datetime(2026, 10, 25, 8, 0, tzinfo=ROME)),
        (NOON, datetime(2026, 11, 23, 12, 30, tzinfo=ROME), datetime(2026, 11, 23, 14, 30, tzinfo=ROME)),
        (NOON, datetime(2026, 11, 23, 11, 59, tzinfo=ROME), None),
    ],
)
def test_quiet_hours_end_in_the_assistants_time_zone(hours: QuietHours, now: datetime, end: datetime | None):
    assert hours.end_after(now) == end
    assert hours.begin in (time(21), time(12))


def rules(head: str) -> list[str]:
    documents = {"assistant.yaml": f"version: 1\nassistant: try\n{head}", "feedback.yaml": FEEDBACK, "name.yaml": NAME}
    return [problem.rule for problem in check_documents(documents) if problem.severity == "error"]


@pytest.mark.parametrize(
    ("head", "rule"),
    [
        (HEAD, None),
        (HEAD.replace("start: feedback", "start: feedbcak"), "unknown_flow"),
        (HEAD.replace("weight: optional integer", "stars: boolean"), "wrong_type"),
        (HEAD.replace("back: [start]", "back: [STOP]"), "same_word"),
        (HEAD.replace("[stop, baja]", "[]"), "words"),
        (HEAD.replace("settings:", 'settings:\n  quiet_hours: {from: "21:00", to: "8 o\'clock"}'), "time_of_day"),
        (HEAD.replace("settings:", 'settings:\n  quiet_hours: {from: "21:00"}'), "missing_key"),
        (HEAD.replace("settings:", 'settings:\n  quiet_hours: {from: "08:00", to: "08:00"}'), "same_hour"),
    ],
)
def test_what_cannot_work_is_found(head: str, rule: str | None):
    assert rules(head) == ([rule] if rule else [])
