"""The graph of three nodes: interrupt, resume, and what a turn leaves behind."""

import json
import random
from typing import Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from dialogue.engine.graph import WrongSession, run_orchestrator, understand_event
from dialogue.engine.ports import events
from dialogue.engine.ports.events import EventRefused
from dialogue.engine.ports.hitl import HITLContext, PauseRequested
from tests.support.engine.dialogue_harness import Talk, assistant_of, travel_agency

THREAD: Any = {"configurable": {"thread_id": "c1"}}


def _pending(talk: Talk) -> list[Any]:
    stored = talk.saver.get_tuple(THREAD)
    assert stored is not None
    return [value for _, channel, value in stored.pending_writes or () if channel == "__interrupt__"]


def _steps(talk: Talk) -> int:
    stored = talk.saver.get_tuple(THREAD)
    assert stored is not None
    return stored.metadata["step"]


async def test_a_pause_carries_the_session_and_the_node_and_nothing_else():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    (pause,) = _pending(talk)
    assert pause[0].value == {
        "session_id": "session of trip-1/ask_city/1",
        "node_id": "trip-1/ask_city",
        "node_title": "book a trip",
    }


async def test_a_conversation_that_awaits_nothing_stands_at_the_end():
    talk = travel_agency()
    await talk.does({"start_flow": "ping"})
    assert _pending(talk) == []
    assert await talk.does({"start_flow": "trip"}) == ["ask:city"]


async def test_where_a_turn_has_ended_the_next_one_takes_a_step_a_node():
    talk = travel_agency()
    await talk.does({"start_flow": "ping"})
    ended = _steps(talk)
    await talk.does({"start_flow": "ping"})
    assert _steps(talk) - ended == len(["human_input_gate", "nlu", "orchestrator"])


async def test_the_host_is_asked_about_the_awaited_task_by_its_visit():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    assert talk.desk.asked == [
        HITLContext(workflow_execution_id="c1", node_id="trip-1/ask_city", node_title="book a trip", visit=1)
    ]


async def test_what_came_for_another_session_is_refused():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})

    async def another(context: HITLContext) -> PauseRequested:
        return PauseRequested(session_id="another")

    talk.desk = another  # type: ignore[assignment]
    with pytest.raises(WrongSession):
        await talk.does({"set_slot": {"city": "Rome"}})


async def test_a_message_is_understood_once_and_an_operator_s_event_passes_it_by():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    await talk.decides("approve")
    assert len(talk.nlu.asked) == 1


async def test_what_is_no_event_is_refused_before_anything_runs():
    talk = travel_agency()
    with pytest.raises(EventRefused):
        await talk.feed({"kind": "dance", "id": "e1"})
    with pytest.raises(EventRefused):
        await talk.feed({"kind": "message", "text": "hello"})


async def test_a_turn_that_raises_is_followed_by_one_that_works():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    nlu, talk.nlu = talk.nlu, None  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        await talk.feed(events.message("boom", "hello"))
    talk.nlu = nlu
    assert await talk.does({"set_slot": {"city": "Rome"}}) == ["ask:nights"]
    assert talk.outcome.state["turn"] == 2


async def test_the_state_is_plain_json():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 5, "reason": "x"}})
    assert json.loads(json.dumps(talk.outcome.state)) == talk.outcome.state


async def test_what_is_stored_does_not_grow_with_the_turns():
    random.seed(1)  # LangGraph's versions carry random numbers, which are of different lengths
    talk = travel_agency()
    await talk.does({"start_flow": "trip"})
    sizes = []
    for turn in range(60):
        await talk.says(f"a question of some length, number {turn:03}", "chitchat")
        stored = talk.saver.get_tuple(THREAD)
        assert stored is not None
        sizes.append(len(JsonPlusSerializer().dumps_typed(stored.checkpoint)[1]))
    assert sizes[-1] <= sizes[20] + 16
    assert sizes[-1] < 4096


async def test_messages_reach_the_sink_in_order_and_are_numbered_within_the_turn():
    talk = travel_agency()
    await talk.does({"start_flow": "ping"}, {"start_flow": "name"})
    assert [(each.ordinal, each.key) for each in talk.sink.messages] == [(0, "plan"), (1, "say:pong"), (2, "ask:name")]


async def test_what_is_said_before_an_action_is_sent_before_it_runs():
    flow = """
flow: slow
description: Takes its time.
steps:
  - {step: wait, type: say, message: One moment.}
  - {step: work, type: action, call: work, outputs: {}}
  - {step: done, type: say, message: Done.}
"""
    talk = Talk(assistant_of(flow, head="actions:\n  work: {inputs: {}, outputs: {}}\n"))
    seen: list[list[str]] = []
    run = talk.actions.run

    async def watched(call: Any) -> Any:
        seen.append([each.text for each in talk.sink.messages])
        return await run(call)

    talk.actions.run = watched
    await talk.does({"start_flow": "slow"})
    assert seen == [["One moment."]]


async def test_the_word_that_a_flow_is_resumed_is_sent_before_its_corrected_action_runs_again():
    head = "actions:\n  price: {inputs: {size: integer}, outputs: {}, idempotent: true}\n"
    order = """
flow: order
description: Orders something.
slots: {size: {type: integer, prompt: Which size?}}
steps:
  - {step: ask, type: collect, slot: size}
  - {step: price, type: action, call: price, inputs: {size: size}}
  - {step: sure, type: confirm, message: "Size {size}?"}
"""
    greeting = """
flow: greeting
description: Greets.
slots: {name: {type: text, prompt: Your name?}}
steps:
  - {step: ask, type: collect, slot: name}
"""
    talk = Talk(assistant_of(order, greeting, head=head))
    await talk.does({"start_flow": "order"}, {"set_slot": {"size": 1}})
    await talk.does({"start_flow": "greeting"})
    sent: list[list[str]] = []
    run = talk.actions.run

    async def watched(call: Any) -> Any:
        sent.append([message.key for message in talk.sink.messages])
        return await run(call)

    talk.actions.run = watched
    await talk.does({"correct_slot": {"size": 2}}, {"set_slot": {"name": "Ursula"}})
    assert sent == [["corrected:size", "already_done:size", "resumed:order"]]


async def test_the_outcome_tells_the_stack_with_values_as_people_read_them():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 1234.5, "reason": "x"}})
    (frame,) = talk.outcome.stack
    assert (frame["flow"], frame["frame"], frame["step"]) == ("refund", "refund-1", "approval")
    assert (frame["status"], frame["awaiting"]) == ("parked", "refund!human")
    assert frame["slots"]["amount"]["shown"] == "1,234.50"


async def test_the_record_tells_what_was_proposed_and_what_became_of_it():
    talk = travel_agency()
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}}, {"set_slot": {"colour": "red"}})
    record = talk.outcome.record
    assert record["proposed"][0] == {"start_flow": "trip"}
    assert record["dropped"] == [{"command": {"set_slot": {"colour": "red"}}, "reason": "unknown_slot"}]
    assert record["slots"][0]["slot"] == "city"
    assert record["stack"][0]["change"] == "started"
    assert record["path"][0]["part"] == "script"


def test_only_the_gate_interrupts():
    talk = travel_agency()
    subgraphs = talk.dialogue.orchestrator.subgraphs
    inside = [node for flow in talk.assistant.flows for node in subgraphs.graph_of(flow).nodes.values()]
    assert all("interrupt" not in _names(getattr(node.bound, "afunc", None)) for node in inside)
    assert all("interrupt" not in _names(each) for each in (understand_event, run_orchestrator))


def _names(function: Any) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    return code.co_names if code else ()
