"""Random calls of every route as every role: no failure of ours, and every answer is one that the document describes.

More of them: SONI_RANDOM_CALLS=100 SONI_RANDOM_SEED=7 python -m pytest tests/web/api/test_random_calls.py
"""

import os
from logging import getLogger
from random import Random

import pytest
from django.test import Client

from tests.support.web.described_answers import check_answer
from tests.support.web.permissions import ROLES, World, build_world
from tests.support.web.random_calls import RandomCall, random_calls

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]

CALLS = int(os.environ.get("SONI_RANDOM_CALLS", "2"))
"""Calls of every route for each role."""
SEED = int(os.environ.get("SONI_RANDOM_SEED", "20"))


@pytest.fixture
def world(payments: object, monkeypatch: pytest.MonkeyPatch) -> World:
    world = build_world()
    monkeypatch.setattr(getLogger("django.request"), "disabled", True)
    return world


def names_in(world: World) -> dict[str, list[str]]:
    """Names that exist, by the parameter of a path."""
    sessions = [world.session.name, world.handoff.name, world.trial.name]
    numbers = {"name": sessions, "number": ["1", "2"], "ref": ["r1", "r2"], "act": ["resend", "revoke"]}
    return {**{name: [text] for name, text in world.facts.items()}, **numbers}


def fault_in(client: Client, call: RandomCall) -> str:
    """What is wrong with the answer; "" if nothing is."""
    answer = client.generic(call.method, call.url, call.body, call.content_type, headers=dict(call.headers))
    if answer.status_code >= 500:
        return f"{answer.status_code} {answer.content[:300]!r}"
    if not answer.streaming:
        try:
            check_answer(call.method, call.url, answer)
        except AssertionError as error:
            return str(error)
    answer.close()
    return ""


def test_no_call_of_any_role_fails_or_gets_an_answer_that_is_not_described(world: World):
    names = names_in(world)

    faults = [
        f"{role}: {fault}\n    {call}"
        for role in ROLES
        for call in random_calls(Random(f"{SEED} {role}"), CALLS, names)
        if (fault := fault_in(world.client(role), call))
    ]

    assert faults == [], "\n".join(faults)
