"""Steps that run on: say, set, branch, while, call and link."""

import pytest

from dialogue.engine.stack import frames
from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency


async def test_a_message_is_sent_with_its_buttons_and_the_flow_goes_on():
    flow = """
flow: menu
description: Shows a menu.
steps:
  - {step: hello, type: say, message: Hello., buttons: [{value: ping, label: Say pong}]}
  - {step: bye, type: say, message: Bye.}
"""
    talk = travel_agency(flow)
    assert await talk.does({"start_flow": "menu"}) == ["say:hello", "say:bye"]
    assert talk.outcome.messages[0].buttons[0].label == "Say pong"
    assert await talk.chooses("ping") == ["say:pong"]


async def test_a_message_that_is_to_be_acknowledged_waits_for_it():
    flow = """
flow: terms
description: Shows the terms.
steps:
  - {step: terms, type: say, message: The terms., ack: true, options: [I agree]}
  - {step: thanks, type: say, message: Thanks.}
"""
    talk = Talk(assistant_of(flow))
    assert await talk.does({"start_flow": "terms"}) == ["say:terms"]
    assert talk.stack == ["terms!ack"]
    assert await talk.does("chitchat") == ["chitchat", "say:terms"]
    assert await talk.chooses("i agree") == ["say:thanks"]


LOOP = """
flow: basket
description: Fills a basket.
slots:
  item: {type: text, prompt: Which item?}
  more: {type: boolean, default: true, prompt: More?}
  count: {type: integer, default: 0}
steps:
  - step: again
    type: while
    condition: more
    max_iterations: 3
    do:
      - {step: ask_item, type: collect, slot: item, force: true}
      - {step: add, type: set, slots: {count: "= count + 1"}}
      - {step: ask_more, type: collect, slot: more, force: true}
  - {step: done, type: say, message: "{count} items."}
"""


async def test_gates_inside_a_loop_are_asked_in_every_round():
    talk = Talk(assistant_of(LOOP))
    assert await talk.does({"start_flow": "basket"}) == ["ask:item"]
    assert await talk.does({"set_slot": {"item": "tea"}}) == ["ask:more"]
    assert await talk.does("affirm") == ["ask:item"]
    assert talk.outcome.awaited is not None
    assert talk.outcome.awaited.key == "basket-1/ask_item/2"
    await talk.does({"set_slot": {"item": "milk"}})
    assert await talk.does("deny") == ["say:done"]
    assert talk.texts == ["2 items."]


async def test_a_loop_ends_with_a_named_error_when_it_goes_round_too_often():
    talk = Talk(assistant_of(LOOP))
    await talk.does({"start_flow": "basket"})
    for _ in range(3):
        await talk.does({"set_slot": {"item": "tea"}})
        await talk.does("affirm")
    assert talk.keys == ["loop_limit"]
    assert talk.stack == []


async def test_a_turn_with_too_many_steps_is_broken_off():
    flow = """
flow: spin
description: Spins.
slots:
  on: {type: boolean, default: true}
steps:
  - step: round
    type: while
    condition: "on"
    max_iterations: 5000
    do: [{step: keep, type: set, slots: {on: true}}]
  - {step: never, type: say, message: Never.}
"""
    talk = Talk(assistant_of(flow), max_steps_per_turn=100)
    assert await talk.does({"start_flow": "spin"}) == ["loop_limit"]


async def test_set_assigns_literals_expressions_and_nothing():
    flow = """
flow: sums
description: Computes.
slots:
  a: {type: integer, default: 4}
  b: {type: number, required: false}
  c: {type: text, default: x}
  when: {type: date, required: false}
steps:
  - {step: compute, type: set, slots: {b: "= a / 8", c: ~, when: "= today()"}}
  - {step: tell, type: say, message: "{b} {c|a} {when}"}
"""
    talk = Talk(assistant_of(flow))
    await talk.does({"start_flow": "sums"})
    assert talk.texts == ["0.5 4 November 23, 2026"]


PARENT = """
flow: visit
title: plan a visit
description: Plans a visit.
slots:
  place: {type: text, prompt: Where?}
  doctor: {type: text, required: false}
steps:
  - {step: ask_place, type: collect, slot: place}
  - {step: find, type: call, flow: doctor, inputs: {town: place}, outputs: {doctor: found}}
  - {step: tell, type: say, message: "{doctor} in {place}."}
"""
CHILD = """
flow: doctor
title: find a doctor
description: Finds a doctor.
start: false
slots:
  town: {type: text, required: false}
  kind: {type: text, prompt: Which kind of doctor?}
  found: {type: text, required: false}
steps:
  - {step: ask_kind, type: collect, slot: kind}
  - {step: pick, type: set, slots: {found: "= lower(kind)"}}
"""


async def test_a_called_flow_takes_inputs_and_returns_outputs_without_a_word():
    talk = Talk(assistant_of(PARENT, CHILD))
    assert await talk.does({"start_flow": "visit"}, {"set_slot": {"place": "Rome"}}) == ["ask:kind"]
    assert talk.stack == ["visit", "doctor?kind"]
    assert talk.value("doctor.town") == "Rome"
    assert await talk.does({"set_slot": {"kind": "Dentist"}}) == ["say:tell"]
    assert talk.texts == ["dentist in Rome."]


async def test_cancelling_ends_a_flow_with_what_it_called():
    talk = Talk(assistant_of(PARENT, CHILD))
    await talk.does({"start_flow": "visit"}, {"set_slot": {"place": "Rome"}})
    assert await talk.does({"cancel_flow": "visit"}) == ["cancelled:visit"]
    assert talk.stack == []


async def test_a_caller_and_what_it_called_are_paused_and_resumed_together():
    ping = "flow: ping\ndescription: Pong.\nslots:\n  x: {type: text, prompt: X?}\nsteps:\n"
    ping += "  - {step: ask, type: collect, slot: x}\n"
    talk = Talk(assistant_of(PARENT, CHILD, ping))
    await talk.does({"start_flow": "visit"}, {"set_slot": {"place": "Rome"}})
    await talk.does({"start_flow": "ping"})
    assert await talk.does({"start_flow": "visit"}) == ["resumed:visit", "ask:kind"]
    assert talk.stack == ["ping", "visit", "doctor?kind"]


async def test_a_link_goes_to_the_other_flow_and_never_returns():
    first = "flow: first\ndescription: First.\nsteps:\n  - {step: go, type: link, flow: second}\n"
    second = "flow: second\ndescription: Second.\nslots:\n  x: {type: text, prompt: X?}\nsteps:\n"
    second += "  - {step: ask, type: collect, slot: x}\n  - {step: end, type: say, message: '{x}'}\n"
    talk = Talk(assistant_of(first, second.replace("step: end", "step: tell")))
    assert await talk.does({"start_flow": "first"}) == ["ask:x"]
    assert talk.stack == ["second?x"]
    assert await talk.does({"set_slot": {"x": "y"}}) == ["say:tell"]
    assert talk.stack == []


async def test_a_flow_that_calls_deeper_than_allowed_is_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(frames, "MAX_CHAIN_LENGTH", 1)
    talk = Talk(assistant_of(PARENT, CHILD))
    assert await talk.does({"start_flow": "visit"}, {"set_slot": {"place": "Rome"}}) == ["too_many_flows"]
    assert talk.stack == []


async def test_a_called_flow_takes_no_room_from_those_that_users_ask_for():
    ping = "flow: ping\ndescription: Pong.\nslots:\n  x: {type: text, prompt: X?}\nsteps:\n"
    ping += "  - {step: ask, type: collect, slot: x}\n"
    talk = Talk(assistant_of(PARENT, CHILD, ping), max_depth=2)
    await talk.does({"start_flow": "visit"}, {"set_slot": {"place": "Rome"}})
    assert await talk.does({"start_flow": "ping"}) == ["ask:x"]
    assert talk.stack == ["visit", "doctor", "ping?x"]
