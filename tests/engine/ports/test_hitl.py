"""The boundary's types carry what they name, and nothing else."""

import pytest
from pydantic import ValidationError

from dialogue.engine.ports.hitl import Completed, HITLRequired, PauseRequested, digest
from tests.support.engine.dialogue_harness import travel_agency


@pytest.mark.parametrize("extra", ["form", "recipients", "deadline"])
def test_a_pause_that_names_anything_else_is_refused(extra: str):
    with pytest.raises(ValidationError):
        HITLRequired.model_validate({"session_id": "s", "node_id": "n", "node_title": "t", extra: []})
    with pytest.raises(ValidationError):
        PauseRequested.model_validate({"session_id": "s", extra: []})


def test_a_decision_cannot_be_changed():
    decision = Completed(selected_handle="approve")
    with pytest.raises(ValidationError):
        decision.selected_handle = "reject"  # type: ignore[misc]


def test_the_digest_depends_on_the_values_and_not_on_their_order():
    assert digest({"a": 1, "b": "é"}) == digest({"b": "é", "a": 1})
    assert digest({"a": 1}) != digest({"a": "1"})
    assert len(digest({})) == 64


async def test_the_host_is_told_the_values_that_are_filled_where_the_flow_waits():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 20, "reason": "late"}})

    await talk.decides("approve", limit=9000)

    asked = [each for each in talk.desk.asked if each.node_id == "refund-1/approval"]
    assert asked
    assert all(each.variables == {"amount": "20.00", "reason": "late"} for each in asked)


async def test_the_variables_are_those_of_the_flow_that_waits_and_of_no_other():
    talk = travel_agency()
    await talk.does({"start_flow": "refund"}, {"set_slot": {"amount": 20, "reason": "late"}})
    await talk.does({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})
    await talk.does("chitchat")

    variables = talk.desk.asked[-1].variables
    assert variables.get("city") == "Rome"
    assert "amount" not in variables
