"""Other dialects over HTTP."""

import json

import pytest

from dialogue.desk.sessions.service import Caller
from dialogue.models import HITLSession
from tests.web.api.conftest import ProgramOf

pytestmark = pytest.mark.django_db


def test_an_inbox_that_asks_and_answers_in_its_own_shape(session: HITLSession, olga: Caller, program_of: ProgramOf):
    program = program_of(olga)
    path = f"/sessions/{session.name}/as/agent-inbox"
    (asked,) = program.get(path).json()

    args = {**asked["action_request"]["args"], "daily_limit": "9000"}
    reply = [{"type": "edit", "args": {"action": asked["action_request"]["action"], "args": args}}]
    answer = program.send("POST", path, json.dumps(reply))

    assert answer.status_code == 201
    assert answer.json()["decision"]["values"]["daily_limit"] == 9000


def test_a_body_of_another_shape_is_a_problem(session: HITLSession, olga: Caller, program_of: ProgramOf):
    answer = program_of(olga).post(f"/sessions/{session.name}/as/langchain", decisions=[{"type": "accept"}])

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_body")
    assert answer.json()["detail"].startswith("decisions.0")


def test_a_dialect_that_nobody_speaks_is_not_found(session: HITLSession, olga: Caller, program_of: ProgramOf):
    assert program_of(olga).get(f"/sessions/{session.name}/as/klingon").status_code == 404
