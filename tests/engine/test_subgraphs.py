"""Flows as compiled subgraphs."""

from tests.support.engine.dialogue_harness import travel_agency


async def test_a_flow_is_compiled_when_it_is_first_needed_and_once():
    talk = travel_agency()
    subgraphs = talk.dialogue.orchestrator.subgraphs
    assert subgraphs.compiled_flows == frozenset()
    await talk.does({"start_flow": "ping"})
    first = subgraphs.graph_of("ping")
    await talk.does({"start_flow": "ping"})
    assert subgraphs.compiled_flows == {"ping"}
    assert subgraphs.graph_of("ping") is first


def test_every_step_is_a_node():
    talk = travel_agency()
    nodes = talk.dialogue.orchestrator.subgraphs.graph_of("trip").nodes
    assert {each.step for each in talk.assistant.flows["trip"].all_steps()} <= nodes.keys()


def test_a_flow_takes_no_checkpoints_of_its_own():
    talk = travel_agency()
    assert talk.dialogue.orchestrator.subgraphs.graph_of("trip").checkpointer is False
