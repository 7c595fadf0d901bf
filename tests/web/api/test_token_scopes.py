"""API tokens that are limited to scopes, and that end."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import RequestFactory
from ninja.operation import Operation

from dialogue.desk.access.token_scopes import SCOPES
from dialogue.desk.sessions.service import Caller
from dialogue.models import ApiToken, HITLSession
from dialogue.turns import clock
from dialogue.web.api.auth import user_of_token
from dialogue.web.api.problems import Problem
from dialogue.web.api.urls import api
from tests.support.transfers import person
from tests.web.api.conftest import Program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]

PUBLIC = {"list_keys"}
"""Routes that need no token."""
CALLS = {
    "conversations:read": ("GET", "/conversations"),
    "sessions:read": ("GET", "/sessions"),
    "sessions:decide": ("POST", "/sessions/g1/claim"),
    "sessions:supervise": ("POST", "/sessions/g1/retry"),
    "requests": ("DELETE", "/requests/r1"),
    "flows:read": ("GET", "/assistants/bank/releases"),
    "flows:write": ("PUT", "/assistants/bank/flows/x"),
    "flows:publish": ("POST", "/assistants/bank/releases"),
}


def operations() -> Iterator[Operation]:
    for _prefix, router in api._routers:
        for path in router.path_operations.values():
            yield from path.operations


def limited(caller: Caller, *scopes: str, **facts: Any) -> Program:
    text = f"limited to {scopes} {facts}"
    user = User.objects.get(pk=caller.user)
    digest = hashlib.sha256(text.encode()).hexdigest()
    ApiToken.objects.create(user=user, name="tests", sha256=digest, scopes=list(scopes), **facts)
    return Program(text)


def test_every_route_declares_its_scopes_and_only_scopes_that_exist():
    declared = {
        operation.view_func.__name__: getattr(operation.view_func, "api_scopes", None) for operation in operations()
    }

    assert len(declared) > 40
    assert [name for name, scopes in declared.items() if not scopes and name not in PUBLIC] == []
    assert {scope for scopes in declared.values() for scope in scopes or ()} == set(SCOPES)


def test_a_route_that_declares_nothing_opens_for_no_limited_token(olga: Caller):
    limited(olga, *SCOPES)

    with pytest.raises(Problem) as refused:
        user_of_token(RequestFactory().get("/"), f"limited to {tuple(SCOPES)} {{}}")

    assert refused.value.code == "scope_missing"


@pytest.mark.parametrize("scope", CALLS)
def test_a_token_without_the_scope_is_told_which_one_it_needs(olga: Caller, scope: str):
    others = [name for name in SCOPES if name != scope]

    answer = limited(olga, *others).send(*CALLS[scope], "{}")

    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
    assert f"scope {scope}, and has: chat" in answer.json()["detail"]


@pytest.mark.parametrize("scope", CALLS)
def test_a_token_with_the_scope_is_refused_by_nothing_but_the_rights_of_its_account(olga: Caller, scope: str):
    answer = limited(olga, scope).send(*CALLS[scope], "{}")

    assert answer.status_code == 200 or answer.json()["code"] != "scope_missing"


def test_a_scope_gives_no_right(session: HITLSession):
    ursula = person("ursula-2", "Ursula")

    answer = limited(Caller(ursula.pk, "api"), *SCOPES).post(f"/sessions/{session.name}/claim")

    assert answer.status_code == 404


def test_a_token_for_reading_cannot_decide_and_one_for_deciding_can(session: HITLSession, olga: Caller):
    body = {"action": "approve", "version": session.version}

    refused = limited(olga, "sessions:read").post(f"/sessions/{session.name}/submit", **body)
    accepted = limited(olga, "sessions:decide").post(f"/sessions/{session.name}/submit", **body)

    assert (refused.status_code, accepted.status_code) == (403, 201)


def test_a_chatting_token_has_its_own_conversations_as_their_customer(session: HITLSession, olga: Caller):
    chatting = limited(olga, "chat")
    own = chatting.post("/conversations", assistant="bank").json()["id"]

    answered = chatting.post(f"/conversations/{own}/messages", id="m1", text="hello")
    view = chatting.get(f"/conversations/{own}").json()
    other = chatting.get(f"/conversations/{session.conversation_id}")

    assert answered.status_code == 200
    assert "stack" not in answered.json() and "stack" not in view
    assert other.status_code == 404
    assert chatting.get("/conversations").status_code == 403


def test_a_chatting_token_neither_tests_nor_speaks_for_the_business(session: HITLSession, olga: Caller):
    chatting = limited(olga, "chat")
    own = chatting.post("/conversations", assistant="bank").json()["id"]

    tested = chatting.post("/conversations", assistant="bank", test=True)
    spoke = chatting.post(f"/conversations/{own}/messages", id="m1", say="We are closed.")

    assert [answer.json()["code"] for answer in (tested, spoke)] == ["scope_missing"] * 2
    assert "flows:test" in tested.json()["detail"] and "conversations:signal" in spoke.json()["detail"]


def test_a_token_that_ended_is_401_with_the_day_at_every_door(olga: Caller):
    ended = limited(olga, *SCOPES, ends_at=clock.now() - timedelta(seconds=1))

    answers = [ended.get("/sessions"), ended.get("/conversations"), ended.post("/conversations", assistant="bank")]

    assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(401, "token_ended")] * 3
    assert str(clock.now().year) in answers[0].json()["detail"]


def test_a_token_counts_until_its_end(olga: Caller):
    assert limited(olga, "sessions:read", ends_at=clock.now() + timedelta(hours=1)).get("/sessions").status_code == 200


def test_a_revoked_token_says_so(olga: Caller):
    answer = limited(olga, "sessions:read", revoked_at=clock.now()).get("/sessions")

    assert (answer.status_code, answer.json()["code"]) == (401, "token_revoked")


def test_a_token_of_before_does_what_its_account_may(session: HITLSession, olga: Caller, program_of: Any):
    program = program_of(olga)

    assert program.get(f"/sessions/{session.name}").status_code == 200
    assert program.post(f"/sessions/{session.name}/claim").status_code == 200


def test_the_last_use_is_noted_once_in_five_minutes(olga: Caller):
    program = limited(olga, "sessions:read")
    program.get("/sessions")
    first = ApiToken.objects.get().last_used_at
    program.get("/sessions")

    assert first is not None
    assert ApiToken.objects.get().last_used_at == first


def test_a_refused_call_of_an_ended_token_is_no_use(olga: Caller):
    limited(olga, "sessions:read", ends_at=clock.now() - timedelta(days=1)).get("/sessions")

    assert ApiToken.objects.get().last_used_at is None
