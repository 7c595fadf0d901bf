"""A person has the chat: the bot is silent until it is handed back."""

from typing import Any

import pytest

from dialogue.engine.orchestrator import SlotNotSet
from dialogue.engine.ports import events
from dialogue.engine.ports.hitl import Completed
from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency


async def _taken() -> Talk:
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    assert await talk.does({"handoff": "wants a person"}) == ["handoff"]
    return talk


async def test_asking_for_a_person_silences_the_bot():
    talk = await _taken()
    assert talk.stack == ["trip!handoff"]
    assert await talk.says("hello?", {"set_slot": {"nights": 3}}) == []
    assert talk.value("trip.nights") is None


async def test_the_question_stays_open_beside_the_request_for_a_person():
    talk = await _taken()
    assert [each.key for each in talk.outcome.tasks] == ["conversation/handoff/1", "trip-1/ask_nights/1"]
    assert talk.outcome.awaited is not None
    assert talk.outcome.awaited.kind == "handoff"


async def test_an_operator_sets_slots_without_a_word_and_hands_back_at_the_awaited_step():
    talk = await _taken()
    assert await talk.feed(events.say("s1", "How many nights?", "Olga")) == []
    assert await talk.feed(events.slots("s2", {"nights": 3}, "Olga")) == []
    assert talk.outcome.stack[0]["slots"]["nights"]["by"] == "Olga"
    assert await talk.feed(events.hand_back("s3", "Olga")) == ["ask:class"]
    assert ("conversation/handoff/1", "answered") in talk.settled()


async def test_an_operator_may_name_the_flow_whose_slot_is_meant():
    talk = await _taken()
    await talk.feed(events.slots("s1", {"trip.nights": 3}, "Olga"))
    assert talk.outcome.stack[0]["slots"]["nights"]["value"] == 3

    with pytest.raises(SlotNotSet):
        await talk.feed(events.slots("s2", {"another_flow.nights": 3}, "Olga"))


async def test_handing_back_with_nothing_settled_asks_again():
    talk = await _taken()
    assert await talk.feed(events.hand_back("s3", "Olga")) == ["ask:nights"]
    assert talk.stack == ["trip?nights"]


async def test_the_user_is_told_that_the_bot_is_back_where_no_flow_goes_on():
    talk = travel_agency()
    await talk.does("handoff")

    assert await talk.feed(events.hand_back("s3", "Olga")) == ["handed_back"]
    assert talk.texts == ["You are talking with me, the assistant, again. How can I help you?"]
    assert await talk.feed(events.hand_back("s4", "Olga")) == []


async def test_the_author_writes_in_each_language_that_the_bot_is_back():
    head = "\nresponses: {handed_back: {en: The bot is here., es: Aquí está el bot.}}\n"
    talk = travel_agency(head=head)
    await talk.does("handoff")

    await talk.feed(events.hand_back("s3", "Olga"))

    assert talk.texts == ["The bot is here."]


async def test_a_request_for_a_person_that_ends_otherwise_is_told_too():
    talk = travel_agency()
    await talk.does("handoff")

    assert await talk.expires() == ["handed_back"]


async def test_an_operator_s_wrong_value_is_refused_as_a_whole():
    talk = await _taken()
    with pytest.raises(SlotNotSet):
        await talk.feed(events.slots("s2", {"nights": 300}, "Olga"))


async def test_commands_after_the_request_for_a_person_do_not_count():
    talk = travel_agency()
    assert await talk.does("handoff", {"start_flow": "trip"}) == ["handoff"]
    assert talk.stack == []
    assert talk.outcome.record["dropped"][0]["reason"] == "handed_over"


async def test_a_decision_during_a_handoff_waits_for_the_hand_back():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    await talk.does("handoff")
    waiting = next(each for each in talk.outcome.tasks if each.kind == "human")
    talk.desk.decided[waiting.key] = Completed(selected_handle="approve")
    assert await talk.feed(events.decision("d1", "s", waiting.key)) == []
    assert await talk.feed(events.hand_back("b1", "Olga")) == ["say:paid"]


STEP = """
flow: help
description: Gives the chat to a person.
slots:
  topic: {type: text, prompt: What about?}
steps:
  - {step: ask, type: collect, slot: topic}
  - step: person
    type: handoff
    queue: front
    message: "A person helps you with {topic}."
    timeout: 10m
    on_timeout: late
  - {step: bye, type: say, message: Goodbye., next: end}
  - {step: late, type: say, message: Nobody came.}
"""


async def test_a_step_hands_over_with_its_own_words_and_goes_on_after_the_hand_back():
    talk = Talk(assistant_of(STEP))
    assert await talk.does({"start_flow": "help"}, {"set_slot": {"topic": "tax"}}) == ["handoff"]
    assert talk.texts == ["A person helps you with tax."]
    assert [each.key for each in talk.outcome.tasks] == ["help-1/person/1"]
    assert await talk.feed(events.hand_back("b1", "Olga")) == ["say:bye"]
    assert talk.settled() == [("help-1/person/1", "answered")]


async def test_nobody_there_in_time_takes_the_step_s_way():
    talk = Talk(assistant_of(STEP))
    await talk.does({"start_flow": "help"}, {"set_slot": {"topic": "tax"}})
    assert await talk.expires() == ["say:late"]


ASK_FOR_PERSON = """
flow: ask_for_person
title: talk to a person
description: Calls a person.
start: false
steps:
  - {step: is_other, type: confirm, message: Is it something else?, on_deny: here}
  - {step: call, type: handoff, message: A person comes., next: end}
  - {step: here, type: say, message: I do it here.}
"""


def _with_own_flow(flow: str = ASK_FOR_PERSON, **settings: Any) -> Talk:
    return travel_agency(flow, head="\nsettings: {on_handoff: ask_for_person}\n", **settings)


async def test_a_flow_of_the_author_decides_whether_a_person_is_called():
    talk = _with_own_flow()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})

    assert await talk.does("handoff") == ["confirm:ask_for_person"]
    assert talk.stack == ["trip", "ask_for_person!confirm"]
    assert await talk.does("deny") == ["say:here", "resumed:trip", "ask:nights"]
    assert "handoff" not in [task.kind for task in talk.outcome.tasks]
    assert await talk.does("handoff") == ["confirm:ask_for_person"]
    assert await talk.does("affirm") == ["handoff"]
    assert talk.texts == ["A person comes."]


async def test_who_goes_on_asking_for_a_person_reaches_one():
    talk = _with_own_flow()

    for _ in range(3):
        assert await talk.does("handoff") == ["confirm:ask_for_person"]

    assert await talk.does("handoff") == ["handoff"]
    assert talk.outcome.awaited is not None
    assert talk.outcome.awaited.kind == "handoff"


async def test_an_interrupted_flow_for_persons_goes_on():
    talk = _with_own_flow()
    await talk.does("handoff")
    await talk.does({"start_flow": "trip"})

    assert await talk.does("handoff") == ["resumed:ask_for_person", "confirm:ask_for_person"]
    assert [name.partition("!")[0] for name in talk.stack][-1] == "ask_for_person"


async def test_a_flow_for_persons_that_may_not_start_calls_one_at_once():
    guarded = _with_own_flow(ASK_FOR_PERSON.replace("start: false", "start: false\nif: 1 > 2"))
    assert await guarded.does("handoff") == ["handoff"]

    full = _with_own_flow(max_depth=1)
    await full.does({"start_flow": "trip"})
    assert await full.does("handoff") == ["handoff"]


async def test_a_wish_for_a_person_beside_another_wish_waits_for_it():
    talk = _with_own_flow()

    await talk.does({"start_flow": "trip"}, "handoff")

    assert [name.partition("?")[0] for name in talk.stack] == ["ask_for_person", "trip"]
