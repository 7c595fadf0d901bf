"""The boundary's types carry what they name, and nothing else."""

import pytest
from pydantic import ValidationError

from dialogue.engine.hitl import Completed, HITLRequired, PauseRequested, digest


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
