"""Conversations over HTTP: who may open, write, read and end them, and what they are answered."""

import json
import re
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError
from django.test import Client

from dialogue.desk.sessions.service import Caller
from dialogue.models import ApiToken, AuditEntry, Conversation, Event, HITLSession
from dialogue.turns.clock import now
from tests.support.releases import demo, publish
from tests.support.transfers import Opener, person

from .conftest import Program, ProgramOf

pytestmark = pytest.mark.django_db
committed = pytest.mark.django_db(transaction=True)
TRANSFER = "send 8450 to Lindqvist Marine, DE89370400440532013000"


def opened(visitor: Program, **body: object) -> tuple[str, Program]:
    """The path of a new conversation, and the program that holds its token."""
    answered = visitor.post("/conversations", **{"assistant": "bank", **body})
    assert answered.status_code == 201, answered.content
    return f"/conversations/{answered.json()['id']}", Program(answered.json()["token"])


@pytest.fixture
def bank(db: None) -> None:
    publish(demo("bank"))


def test_a_visitor_opens_a_conversation_and_gets_its_token_once(visitor: Program, bank):
    answered = visitor.post("/conversations", assistant="bank", user_ref="Ursula", metadata={"page": "/help"})

    body = answered.json()
    row = Conversation.objects.get()
    assert (answered.status_code, body["id"], body["state"]) == (201, str(row.pk), "idle")
    assert body["token"] not in json.dumps(Conversation.objects.values().get(), default=str)
    assert row.metadata == {"page": "/help"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"assistant": "bonk"}, "assistant"),
        ({}, "assistant"),
        ({"assistant": "bank", "state": "done"}, "state"),
        ({"assistant": "bank", "language": "no language"}, "language"),
        ({"assistant": "bank", "user_ref": "U" * 201}, "user_ref"),
        ({"assistant": "bank", "user_ref": "a\0b"}, "user_ref"),
        ({"assistant": "bank", "test": "yes"}, "test"),
        ({"assistant": "bank", "channel": "test"}, "channel"),
        ({"assistant": "bank", "channel": "scenario"}, "channel"),
    ],
)
def test_a_conversation_that_cannot_be_opened_names_the_field(body, field, visitor: Program, bank):
    answered = visitor.post("/conversations", **body)

    assert (answered.status_code, answered.json()["fields"][0]["name"]) == (422, field)
    assert not Conversation.objects.exists()


def test_test_conversations_are_for_who_may_test(visitor: Program, program_of: ProgramOf, bank, payments):
    tara = Caller(person("tara", "Tara Test", "flow authors").pk, "api")

    refused = visitor.post("/conversations", assistant="bank", test=True)
    allowed = program_of(tara).post("/conversations", assistant="bank", test=True)

    assert (refused.status_code, allowed.status_code) == (403, 201)
    assert Conversation.objects.get().test


def test_a_conversation_opens_with_its_own_token_only(visitor: Program, bank):
    path, ursula = opened(visitor)
    _other, stranger = opened(visitor)

    answers = [ursula.get(path), stranger.get(path), visitor.get(path), visitor.get(f"/conversations/{uuid4()}")]

    assert [answer.status_code for answer in answers] == [200, 404, 401, 401]
    assert ursula.get(path).json() == {"id": path.rpartition("/")[2], "state": "idle", "pending": []}


def test_the_token_may_come_as_a_parameter(visitor: Program, bank):
    body = visitor.post("/conversations", assistant="bank").json()

    right = visitor.get(f"/conversations/{body['id']}?token={body['token']}")
    wrong = visitor.get(f"/conversations/{body['id']}?token=x")

    assert (right.status_code, wrong.status_code) == (200, 404)


@pytest.mark.parametrize("name", ["1", "x", "1%20OR%201=1", "00000000-0000-4000-8000-000000000000", "../../etc"])
def test_a_conversation_that_does_not_exist_is_404_alike(name, sofia: Caller, program_of: ProgramOf):
    answered = program_of(sofia).get(f"/conversations/{name}")

    assert (answered.status_code, answered.json()["code"]) == (404, "not_found")


@committed
def test_a_message_is_answered_with_what_its_turn_said(visitor: Program, bank):
    path, ursula = opened(visitor)

    answered = ursula.post(f"{path}/messages", id="m1", text=TRANSFER)

    body = answered.json()
    assert (answered.status_code, body["turn"], body["state"]) == (200, 1, "waiting")
    assert [message["key"] for message in body["messages"]] == ["confirm:transfer_money"]
    assert [(wait["kind"], wait["audience"]) for wait in body["pending"]] == [("confirm", "user")]


@committed
def test_the_same_message_again_gets_the_same_answer_and_another_text_is_refused(visitor: Program, bank):
    path, ursula = opened(visitor)
    first = ursula.post(f"{path}/messages", id="m1", text=TRANSFER)

    again = ursula.post(f"{path}/messages", id="m1", text=TRANSFER)
    other = ursula.post(f"{path}/messages", id="m1", text="something else")

    assert again.json() == first.json()
    assert (other.status_code, other.json()["code"]) == (422, "same_id_other_body")
    assert Event.objects.count() == 1


@committed
def test_a_message_sent_again_later_is_told_how_its_own_turn_ended(visitor: Program, bank):
    path, ursula = opened(visitor)
    first = ursula.post(f"{path}/messages", id="m1", text=TRANSFER).json()
    ursula.post(f"{path}/messages", id="m2", choice="yes")
    Conversation.objects.update(state="done", stack=[])

    again = ursula.post(f"{path}/messages", id="m1", text=TRANSFER).json()

    assert {**again, "pending": []} == {**first, "pending": []}
    assert again["state"] == "waiting"


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_is_away_is_503_and_the_message_may_be_sent_again(error, visitor: Program, bank, monkeypatch):
    path, ursula = opened(visitor)

    def gone(*_: object, **__: object) -> None:
        raise error("the server closed the connection unexpectedly")

    monkeypatch.setattr("dialogue.web.api.conversations.read_access", gone)
    answered = ursula.get(path)

    assert (answered.status_code, answered["Retry-After"]) == (503, "2")
    assert (answered["Content-Type"], answered.json()["code"]) == ("application/problem+json", "try_again")
    assert "closed the connection" not in answered.content.decode()


@committed
def test_a_button_is_a_choice_and_stands_in_the_transcript_by_its_label(visitor: Program, bank):
    path, ursula = opened(visitor)
    ursula.post(f"{path}/messages", id="m1", text=TRANSFER)

    answered = ursula.post(f"{path}/messages", id="m2", choice="yes")

    line = ursula.get(f"{path}/messages?after=2").json()["messages"][0]
    assert answered.json()["messages"][0]["key"] == "waiting:approval"
    assert (line["seq"], line["role"], line["text"]) == (3, "user", "Yes")


@committed
def test_whoever_does_not_wait_gets_the_number_of_the_event(visitor: Program, bank):
    path, ursula = opened(visitor)

    answered = ursula.send("POST", f"{path}/messages", '{"id": "m1", "text": "hello"}', Prefer="respond-async")

    assert (answered.status_code, answered.json()) == (202, {"event": 1})


@committed
def test_the_decision_of_an_operator_reaches_the_conversation(
    visitor: Program, bank, olga: Caller, program_of: ProgramOf
):
    path, ursula = opened(visitor)
    ursula.post(f"{path}/messages", id="m1", text=TRANSFER)
    gate = ursula.post(f"{path}/messages", id="m2", choice="yes").json()["pending"][0]["session"]
    program = program_of(olga)

    decided = program.post(f"/sessions/{gate}/submit", action="reject", values={"reason": "not plausible"})
    asked = ursula.post(f"{path}/messages", id="m3", text="hello")

    keys = [line["key"] for line in ursula.get(f"{path}/messages").json()["messages"]]
    assert decided.status_code == 201
    assert asked.status_code == 200
    assert "say:refused" in keys
    assert program.get(f"/sessions/{gate}").json()["delivery"] == "applied"


@pytest.mark.parametrize(
    "body",
    ['{"id": "m1"}', '{"id": "m1", "text": "a", "choice": "b"}', '{"text": "a"}', '{"id": "", "text": "a"}',
     '{"id": "m1", "text": 1}', '{"id": "m1", "text": "a", "role": "assistant"}', '{"id": "x\\u0000", "text": "a"}',
     '[]', '""'],
)  # fmt: skip
@committed
def test_a_message_of_the_wrong_form_is_422_and_not_stored(body, visitor: Program, bank):
    path, ursula = opened(visitor)

    answered = ursula.send("POST", f"{path}/messages", body)

    assert (answered.status_code, answered["Content-Type"]) == (422, "application/problem+json")
    assert not Event.objects.exists()


@committed
def test_staff_read_and_do_not_write(visitor: Program, bank, sofia: Caller, program_of: ProgramOf):
    path, _ursula = opened(visitor)
    program = program_of(sofia)

    read, written = program.get(path), program.post(f"{path}/messages", id="m1", text="hello")

    assert read.status_code == 200
    assert (written.status_code, written.json()["code"]) == (403, "not_allowed")


def test_an_operator_sees_conversations_of_own_queues_only(
    open_session: Opener, visitor, olga: Caller, program_of: ProgramOf
):
    own = open_session().conversation
    path, _ursula = opened(visitor)
    program = program_of(olga)

    listed = program.get("/conversations").json()["conversations"]

    assert [row["id"] for row in listed] == [str(own.pk)]
    assert (program.get(f"/conversations/{own.pk}").status_code, program.get(path).status_code) == (200, 404)


def test_the_records_of_turns_are_for_staff(visitor: Program, bank, sofia: Caller, program_of: ProgramOf):
    path, ursula = opened(visitor)

    answers = [
        ursula.get(f"{path}/turns"),
        program_of(sofia).get(f"{path}/turns"),
        program_of(sofia).get(f"{path}/turns/1"),
    ]

    assert [answer.status_code for answer in answers] == [403, 200, 404]


@committed
def test_a_turn_shows_why(visitor: Program, bank, sofia: Caller, program_of: ProgramOf):
    path, ursula = opened(visitor)
    ursula.post(f"{path}/messages", id="m1", text=TRANSFER)

    turn = program_of(sofia).get(f"{path}/turns/1").json()

    assert (turn["number"], turn["event"]["kind"]) == (1, "message")
    assert turn["messages"][0]["key"] == "confirm:transfer_money"
    assert turn["record"]


@committed
def test_a_supervisor_ends_a_conversation_with_a_reason(visitor: Program, bank, olga, sofia, program_of: ProgramOf):
    path, ursula = opened(visitor)
    supervisor = program_of(sofia)

    answers = [
        ursula.post(f"{path}/cancel", reason="enough"),
        program_of(olga).post(f"{path}/cancel", reason="enough"),
        supervisor.post(f"{path}/cancel"),
        supervisor.post(f"{path}/cancel", reason="a duplicate"),
    ]

    assert [answer.status_code for answer in answers] == [403, 404, 422, 202]
    assert Event.objects.get().payload == {"reason": "a duplicate"}
    assert AuditEntry.objects.filter(act="conversation.cancelled", actor="Sofia Ruiz").exists()


def test_each_look_of_a_superuser_is_on_record(visitor: Program, bank, program_of: ProgramOf):
    path, _ursula = opened(visitor)
    root = Caller(person("root", "Rosa Root", is_superuser=True).pk, "api")

    answered = program_of(root).get(path)

    assert answered.status_code == 200
    assert AuditEntry.objects.get(act="conversation.looked").actor == "Rosa Root"


def test_a_revoked_token_and_a_disabled_account_are_401(olga: Caller, oscar: Caller, program_of: ProgramOf):
    revoked, disabled = program_of(olga), program_of(oscar)
    ApiToken.objects.filter(user=olga.user).update(revoked_at=now())
    User.objects.filter(pk=oscar.user).update(is_active=False)

    answers = [revoked.get("/conversations"), disabled.get("/sessions"), revoked.get("/sessions")]

    assert [answer.status_code for answer in answers] == [401, 401, 401]


def test_a_browser_needs_the_csrf_token_to_change_something(session: HITLSession, olga: Caller):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(User.objects.get(pk=olga.user))
    path = f"/api/v1/sessions/{session.name}/claim"

    without = browser.post(path, "{}", "application/json")
    browser.cookies["soni_csrf"] = "a" * 32
    given = browser.post(path, "{}", "application/json", headers={"X-CSRFToken": "a" * 32})

    assert (without.status_code, without.json()["code"]) == (403, "csrf_failed")
    assert given.status_code == 200


def test_a_bad_bearer_token_is_not_helped_out_by_a_cookie(olga: Caller):
    browser = Client(headers={"Authorization": "Bearer nonsense"})
    browser.force_login(User.objects.get(pk=olga.user))

    assert browser.get("/api/v1/sessions").status_code == 401


def test_a_token_that_opens_nothing_is_told_apart_from_none(visitor: Program, oscar: Caller, program_of: ProgramOf):
    disabled = program_of(oscar)
    User.objects.filter(pk=oscar.user).update(is_active=False)
    answers = [
        program.get(path).json()
        for path in ("/sessions", "/conversations")
        for program in (Program("not-a-token"), disabled, visitor)
    ]

    unknown = "This token is not known here, has ended or was revoked. Check it, or ask for a new one."
    missing = "Sign in, or send a bearer token."
    assert [answer["detail"] for answer in answers] == [unknown, unknown, missing] * 2
    assert {answer["code"] for answer in answers} == {"not_signed_in"}


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/", "/api/v2/sessions", "/api/v1/sessions/g1/explode"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_an_address_that_is_not_there_is_a_problem(path, method, db):
    answered = getattr(Client(), method)(path)

    assert (answered.status_code, answered["Content-Type"]) == (404, "application/problem+json")


def test_a_method_that_is_not_there_is_a_problem_that_names_the_others(olga: Caller, program_of: ProgramOf):
    answered = program_of(olga).send("DELETE", "/sessions")

    assert (answered.status_code, answered["Content-Type"], answered["Allow"]) == (
        405,
        "application/problem+json",
        "GET",
    )


@pytest.mark.parametrize("query", ["order=token_sha256", "user=1", "cursor=x", "test=maybe"])
def test_conversations_are_filtered_as_offered(query, sofia: Caller, program_of: ProgramOf):
    assert program_of(sofia).get(f"/conversations?{query}").status_code == 400


@pytest.mark.parametrize("after", ["-1", "1e12", "x", "99999999999999999999"])
def test_a_place_in_the_transcript_is_a_number(after, visitor: Program, bank):
    path, ursula = opened(visitor)

    assert ursula.get(f"{path}/messages?after={after}").status_code == 400


def test_conversations_come_in_pages(sofia: Caller, visitor: Program, bank, program_of: ProgramOf):
    wanted = {opened(visitor)[0].rpartition("/")[2] for _each in range(3)}
    program = program_of(sofia)

    first = program.get("/conversations?limit=2").json()
    second = program.get(f"/conversations?limit=2&cursor={first['next']}").json()

    assert {row["id"] for row in first["conversations"] + second["conversations"]} == wanted
    assert (len(first["conversations"]), second["next"]) == (2, None)


def test_the_openapi_document_names_every_call(client: Client, db):
    document = client.get("/api/v1/openapi.json").json()

    assert "/api/v1/sessions/{name}/submit" in document["paths"]
    assert "/api/v1/conversations/{conversation_id}/messages" in document["paths"]


def test_the_openapi_document_says_what_a_refusal_of_each_call_looks_like(client: Client, db):
    document = client.get("/api/v1/openapi.json").json()

    refused = document["paths"]["/api/v1/sessions/{name}/submit"]["post"]["responses"]["409"]["content"]
    assert refused["application/problem+json"]["schema"] == {"$ref": "#/components/schemas/ProblemAnswer"}
    assert {"code", "detail", "fields"} <= set(document["components"]["schemas"]["ProblemAnswer"]["properties"])
    assert "WrongField" in document["components"]["schemas"]


def test_the_documentation_page_runs_no_inline_script(client: Client, db):
    page = client.get("/api/docs")

    policy = page["Content-Security-Policy"]
    text = page.content.decode()
    assert page.status_code == 200
    assert "script-src 'self'" in policy and "unsafe-eval" not in policy
    assert text.count("<script") == len(re.findall(r"<script [^>]*\bsrc=", text))
    assert "/api/v1/sessions/{name}/submit" in text
