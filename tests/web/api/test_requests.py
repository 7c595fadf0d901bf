"""Agents of other systems ask staff over HTTP, and get their answers in their own words."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group, Permission, User

from dialogue.audit.invariants import count_violations
from dialogue.desk.agent_requests.callbacks import secret_of
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.desk.webhooks.signing_keys import account_secrets
from dialogue.models import AgentRequest, AuditEntry, Conversation, HITLSession
from dialogue.sweep import sweep
from dialogue.turns import clock
from tests.support.soni_settings import change
from tests.support.transfers import person

from .conftest import Program, ProgramOf

pytestmark = pytest.mark.django_db(transaction=True)
NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
SOURCE = {"name": "refunds", "thread": "th_7d21c9", "link": "https://agents.example/th_7d21c9"}
ARGS = {"amount": 420.0, "order_id": "W4120331", "reason": "changed_mind"}
SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "maximum": 500},
        "order_id": {"type": "string"},
        "reason": {"enum": ["damaged", "changed_mind", "late"]},
    },
}
REFUND = {
    "action_requests": [{"name": "issue_refund", "args": ARGS, "description": "May I refund **the boat cover**?"}],
    "review_configs": [
        {
            "action_name": "issue_refund",
            "allowed_decisions": ["approve", "edit", "reject", "respond"],
            "args_schema": SCHEMA,
        }
    ],
}
BODY: dict[str, Any] = {
    "id": "r-1",
    "dialect": "langchain",
    "ask": REFUND,
    "source": SOURCE,
    "timeout": "30m",
    "on_timeout": "reject",
    "context": ["customer: The cover of my Tern 14 came torn."],
}


@pytest.fixture(autouse=True)
def hour() -> Iterator[clock.FrozenClock]:
    with clock.frozen(NOON) as standing:
        yield standing


@pytest.fixture
def agent(program_of: ProgramOf) -> Program:
    user = person("refunds", "Refunds")
    user.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    return program_of(Caller(user.pk, "api"))


@pytest.fixture
def olga() -> Caller:
    return Caller(person("olga", "Olga Petrov", "operators").pk, "page")


@pytest.fixture
def sofia() -> Caller:
    return Caller(person("sofia", "Sofia Berg", "supervisors").pk, "page")


def asked(agent: Program, **changes: Any) -> HITLSession:
    response = agent.post("/requests", **{**BODY, **changes})
    assert response.status_code == 201, response.content
    return HITLSession.objects.get(pk=int(response.json()["sessions"][0]["session"][1:]))


def answer(agent: Program, ref: str = "r-1") -> Any:
    return agent.get(f"/requests/{ref}").json()


def test_a_request_opens_a_gate_with_the_proposed_call(agent: Program, olga: Caller, program_of: ProgramOf):
    session = asked(agent)

    shown = program_of(olga).get(f"/sessions/{session.name}").json()

    assert shown["title"] == "May I refund the boat cover?"
    assert (shown["flow"], shown["step"], shown["customer"]) == ("refunds", "issue_refund", "refunds (LangChain)")
    assert [(value["name"], value["shown"]) for value in shown["values"]] == [
        ("amount", "420.0"),
        ("order_id", "W4120331"),
        ("reason", "changed_mind"),
    ]
    assert [field["name"] for field in shown["fields"]] == ["amount", "order_id", "reason_value"]
    assert [action["id"] for action in shown["actions"]] == ["approve", "edit", "reject", "respond"]
    assert shown["on_timeout"]["id"] == "reject"
    assert session.expires_at == NOON + timedelta(minutes=30)


def test_an_approval_goes_back_in_the_agents_own_words(agent: Program, olga: Caller):
    session = asked(agent)
    assert answer(agent)["state"] == "waiting"

    service.submit(session.pk, olga, Answer("approve"))

    body = answer(agent)
    assert (body["state"], body["answer"]) == ("answered", {"decisions": [{"type": "approve"}]})
    assert body["sessions"][0]["decided_by"] == "Olga Petrov"
    session.refresh_from_db()
    assert session.delivery == HITLSession.Delivery.APPLIED
    assert answer(agent) == body, "read again, it is the same"
    assert AuditEntry.objects.filter(act="request.delivered").count() == 1
    assert [each for each in count_violations() if each[1]] == []


def test_a_changed_argument_goes_back_and_the_others_stay_as_they_were(agent: Program, olga: Caller):
    session = asked(agent)

    service.submit(session.pk, olga, Answer("edit", {"reason_value": "damaged"}))

    edited = answer(agent)["answer"]["decisions"][0]["edited_action"]
    assert edited == {"name": "issue_refund", "args": {**ARGS, "reason": "damaged"}}


def test_an_approval_with_a_changed_value_is_refused_and_says_what_to_do(agent: Program, olga: Caller):
    session = asked(agent)

    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, olga, Answer("approve", {"amount": 400.0}))

    assert refused.value.status == 422
    assert "Choose “Approve with changes”" in str(refused.value)
    session.refresh_from_db()
    assert session.state == HITLSession.State.OPEN


def test_an_edit_is_checked_against_the_agents_schema(agent: Program, olga: Caller):
    session = asked(agent)

    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, olga, Answer("edit", {"amount": 501.0}))

    assert [(field.name, field.rule) for field in refused.value.fields] == [("amount", "maximum")]


def test_the_same_id_gets_the_same_answer_and_another_body_is_refused(agent: Program):
    first = agent.post("/requests", **BODY)

    again = agent.post("/requests", **BODY)
    other = agent.post("/requests", **{**BODY, "timeout": "31m"})

    assert (first.status_code, again.status_code, other.status_code) == (201, 200, 422)
    assert again.json() == first.json()
    assert other.json()["code"] == "same_id_other_body"
    assert HITLSession.objects.count() == 1


def test_two_senders_of_one_id_at_once_open_one_gate(agent: Program):
    statuses: list[int] = []
    threads = [Thread(target=lambda: statuses.append(agent.post("/requests", **BODY).status_code)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(statuses) <= {200, 201, 503}
    assert AgentRequest.objects.count() == HITLSession.objects.count() == 1


def test_a_deadline_refuses_and_never_approves(agent: Program, hour: clock.FrozenClock):
    asked(agent)
    hour.advance(timedelta(minutes=31))
    service.expire_due()

    body = answer(agent)

    assert body["state"] == "expired"
    assert body["answer"] == {"decisions": [{"type": "reject", "message": "No one answered in time."}]}
    assert [each for each in count_violations() if each[1]] == []


@pytest.mark.parametrize("word", ["approve", "edit", "respond", "wat"])
def test_a_deadline_that_would_approve_is_refused(agent: Program, word: str):
    response = agent.post("/requests", **{**BODY, "on_timeout": word})

    assert response.status_code == 422
    assert response.json()["fields"][0]["name"] == "on_timeout"
    assert "Choose: reject, no_answer" in response.json()["detail"]
    assert not Conversation.objects.exists()


def test_a_question_without_a_refusal_may_end_without_an_answer(agent: Program, hour: clock.FrozenClock):
    asked(agent, dialect="a2a", ask=A2A, on_timeout="no_answer")
    hour.advance(timedelta(minutes=31))
    service.expire_due()

    assert (answer(agent)["state"], answer(agent)["answer"]) == ("expired", None)


def test_a_program_that_asked_for_no_answer_gets_no_refusal(agent: Program, hour: clock.FrozenClock):
    asked(agent, on_timeout="no_answer")
    hour.advance(timedelta(minutes=31))
    service.expire_due()

    assert (answer(agent)["state"], answer(agent)["answer"]) == ("expired", None)


def test_characters_that_no_database_stores_are_replaced(agent: Program):
    session = asked(agent, ask={"action_requests": [{"name": "n", "args": {"a": "\ud800", "b\0": "\0"}}]})

    assert [(arg["name"], arg["value"]) for arg in session.shown] == [("a", "\ufffd"), ("b\ufffd", "\ufffd")]


A2A = {"id": "t1", "status": {"state": "TASK_STATE_INPUT_REQUIRED", "message": {"parts": [{"text": "Which size?"}]}}}


def test_each_question_of_a_request_has_a_gate_and_the_answer_waits_for_all(agent: Program, olga: Caller):
    calls = [{"name": "a", "args": {}}, {"name": "b", "args": {"x": 1}}]
    response = agent.post("/requests", **{**BODY, "ask": {"action_requests": calls}})
    first, second = (int(session["session"][1:]) for session in response.json()["sessions"])

    service.submit(second, olga, Answer("reject", reason="Not this one"))
    assert (answer(agent)["state"], answer(agent)["answer"]) == ("waiting", None)
    service.submit(first, olga, Answer("approve"))

    decisions = answer(agent)["answer"]["decisions"]
    assert decisions == [{"type": "approve"}, {"type": "reject", "message": "Not this one"}]


def test_a_withdrawn_request_closes_its_gates(agent: Program, olga: Caller):
    session = asked(agent)

    gone = agent.send("DELETE", "/requests/r-1")

    assert (gone.status_code, gone.json()["state"]) == (200, "withdrawn")
    assert agent.send("DELETE", "/requests/r-1").json()["state"] == "withdrawn"
    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, olga, Answer("approve"))
    assert refused.value.status == 410
    assert [each for each in count_violations() if each[1]] == []


def test_a_decided_request_cannot_be_withdrawn(agent: Program, olga: Caller):
    session = asked(agent)
    service.submit(session.pk, olga, Answer("approve"))

    assert agent.send("DELETE", "/requests/r-1").status_code == 409
    assert answer(agent)["state"] == "answered"


def test_a_supervisor_withdraws_a_gate_and_the_agent_is_told_no(agent: Program, sofia: Caller):
    session = asked(agent)

    service.cancel(session.pk, sofia, reason="Wrong customer")

    body = answer(agent)
    assert body["state"] == "cancelled"
    assert body["answer"] == {"decisions": [{"type": "reject", "message": "Wrong customer"}]}
    assert [each for each in count_violations() if each[1]] == []


def test_who_asked_may_not_decide_with_four_eyes(agent: Program):
    session = asked(agent, four_eyes=True)
    asker = AgentRequest.objects.get().by
    asker.groups.add(Group.objects.get(name="operators"))

    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, Caller(asker.pk, "page"), Answer("approve"))

    assert refused.value.code == "four_eyes"


def test_several_people_agree_to_the_proposal_and_may_not_change_it(agent: Program, olga: Caller, sofia: Caller):
    session = asked(agent, people=2)

    assert [action["id"] for action in session.actions] == ["approve", "reject", "respond"]
    assert service.submit(session.pk, olga, Answer("approve")).status == 202
    assert answer(agent)["state"] == "waiting"
    assert service.submit(session.pk, sofia, Answer("approve")).status == 201
    assert answer(agent)["answer"] == {"decisions": [{"type": "approve"}]}


def test_requests_of_one_thread_share_a_conversation_that_no_one_can_chat_in(agent: Program):
    first, second = asked(agent), asked(agent, id="r-2")
    other = asked(agent, id="r-3", source={**SOURCE, "thread": "th_2"})

    assert first.conversation_id == second.conversation_id != other.conversation_id
    said = agent.post(f"/conversations/{first.conversation_id}/messages", id="m1", text="hello")
    assert (said.status_code, said.json()["code"]) == (409, "not_a_chat")


def test_only_accounts_with_the_permission_ask_and_only_the_sender_reads(
    agent: Program, olga: Caller, program_of: ProgramOf, visitor: Program
):
    asked(agent)
    operator = program_of(olga)

    assert visitor.post("/requests", **BODY).status_code == 401
    refused = operator.post("/requests", **BODY)
    assert refused.status_code == 403
    assert "ask_agentrequest" in refused.json()["detail"]
    assert operator.get("/requests/r-1").status_code == 404
    assert operator.send("DELETE", "/requests/r-1").status_code == 404
    assert visitor.get("/requests/r-1").status_code == 401


def test_a_group_keeps_the_gate_in_its_queue(agent: Program, olga: Caller, program_of: ProgramOf):
    Group.objects.create(name="payments")
    session = asked(agent, group="payments")

    assert program_of(olga).get(f"/sessions/{session.name}").status_code == 404
    assert agent.post("/requests", **{**BODY, "id": "r-2", "group": "nobody"}).json()["fields"][0]["name"] == "group"


SECRET = {
    "type": "object",
    "properties": {"token": {"type": "string", "writeOnly": True}, "to": {"type": "string"}},
}


def test_a_secret_argument_is_masked_in_lists_and_stays_as_it_was_proposed(
    agent: Program, olga: Caller, program_of: ProgramOf
):
    call = {"name": "pay", "args": {"token": "tok-98765432", "to": "Ana"}, "description": "Use tok-98765432?"}
    config = {"action_name": "pay", "allowed_decisions": ["approve", "edit", "reject"], "args_schema": SECRET}
    session = asked(agent, ask={"action_requests": [call], "review_configs": [config]})
    auditor = program_of(Caller(person("audrey", "Audrey", "auditors").pk, "api"))

    listed = program_of(olga).get("/sessions").content.decode()
    audited = auditor.get(f"/sessions/{session.name}").content.decode()
    service.submit(session.pk, olga, Answer("edit", {"to": "Bea"}))

    assert "tok-98765432" not in listed
    assert "tok-98765432" not in audited
    edited = answer(agent)["answer"]["decisions"][0]["edited_action"]
    assert edited["args"] == {"token": "tok-98765432", "to": "Bea"}


FORM = {
    "type": "object",
    "properties": {"warehouse": {"enum": ["V", "M"]}, "lines": {"type": "array", "items": {"type": "integer"}}},
    "required": ["warehouse"],
}


def test_an_approval_of_a_question_carries_the_checked_values(agent: Program, olga: Caller):
    session = asked(agent, dialect="plain", ask={"question": "Where?", "form": FORM, "actions": ["approve", "reject"]})

    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, olga, Answer("approve", {"warehouse": "V", "lines": '["x"]'}))
    assert refused.value.fields[0].rule == "type"
    service.submit(session.pk, olga, Answer("approve", {"warehouse": "V", "lines": "[1]"}))

    assert answer(agent)["answer"] == {"action": "approve", "values": {"warehouse": "V", "lines": [1]}}


def test_what_cannot_become_a_field_is_answered_as_checked_json(agent: Program, olga: Caller):
    session = asked(agent, dialect="plain", ask={"question": "Where?", "form": FORM}, on_timeout="no_answer")

    for values, name in (({}, "warehouse"), ({"warehouse": "V", "lines": "[1,"}, "lines")):
        with pytest.raises(service.Refused) as refused:
            service.submit(session.pk, olga, Answer("answer", values))
        assert refused.value.fields[0].name == name
    with pytest.raises(service.Refused) as refused:
        service.submit(session.pk, olga, Answer("answer", {"warehouse": "V", "lines": '["x"]'}))
    assert refused.value.fields[0].rule == "type"
    service.submit(session.pk, olga, Answer("answer", {"warehouse": "V", "lines": "[1, 2]"}))

    assert answer(agent)["answer"] == {"action": "answer", "values": {"warehouse": "V", "lines": [1, 2]}}


def test_a_decline_needs_no_field(agent: Program, olga: Caller):
    elicitation = {"message": "Where?", "requestedSchema": FORM}
    session = asked(agent, dialect="mcp", ask=elicitation, on_timeout="decline")

    service.submit(session.pk, olga, Answer("decline"))

    assert answer(agent)["answer"] == {"action": "decline"}


BAD: list[tuple[dict[str, Any], str]] = [
    ({"dialect": "smalltalk"}, "dialect"),
    ({"timeout": None}, "timeout"),
    ({"timeout": "0s"}, "timeout"),
    ({"timeout": "91d"}, "timeout"),
    ({"timeout": "10m", "due": "20m"}, "body"),
    ({"id": "a/b"}, "id"),
    ({"id": ""}, "id"),
    ({"people": 0}, "people"),
    ({"people": True}, "people"),
    ({"wat": 1}, "wat"),
    ({"source": {"name": "x"}}, "source.thread"),
    ({"source": {**SOURCE, "link": "javascript:alert(1)"}}, "source.link"),
    ({"context": ["x"] * 51}, "context"),
    ({"ask": {"action_requests": [{"name": "x", "args": 1}]}}, "ask.action_requests.0.args"),
    ({"dialect": "plain", "ask": {"question": "?", "form": {"$ref": "#"}}}, "ask.form.$ref"),
]


@pytest.mark.parametrize(("changes", "name"), BAD)
def test_bad_input_gets_a_clear_answer_and_stores_nothing(agent: Program, changes: dict[str, Any], name: str):
    response = agent.post("/requests", **{**BODY, **changes})

    assert response.status_code == 422
    assert response.json()["fields"][0]["name"] in (name, "request")
    assert not AgentRequest.objects.exists()
    assert not HITLSession.objects.exists()


def test_a_call_that_waits_returns_when_it_is_decided(agent: Program, olga: Caller):
    session = asked(agent)
    bodies: list[Any] = []
    poll = Thread(target=lambda: bodies.append(agent.get("/requests/r-1?wait=20").json()))
    poll.start()
    service.submit(session.pk, olga, Answer("approve"))
    poll.join(timeout=15)

    assert bodies and bodies[0]["state"] == "answered"


@pytest.mark.parametrize("wait", ["-1", "61", "x"])
def test_a_wait_out_of_range_is_refused(agent: Program, wait: str):
    asked(agent)

    assert agent.get(f"/requests/r-1?wait={wait}").status_code == 400


def test_a_cancelled_thread_tells_the_agent_no(agent: Program, sofia: Caller, program_of: ProgramOf):
    session = asked(agent)
    cancelled = program_of(sofia).post(f"/conversations/{session.conversation_id}/cancel", reason="closed")
    assert cancelled.status_code in (200, 202), cancelled.content
    async_to_sync(sweep)()

    assert answer(agent)["state"] == "cancelled"
    assert asked(agent, id="r-2").conversation_id != session.conversation_id


def test_a_callback_gets_the_secret_of_its_account_and_one_of_another_form_is_refused(agent: Program):
    made = agent.post("/requests", **{**BODY, "callback": "https://agents.example/hook"}).json()

    assert made["callback_secret"].startswith("whsec_")
    for url in ("http://agents.example/", "https://u:p@agents.example/", "file:///etc/passwd", "https://10.0.0.1/"):
        refused = agent.post("/requests", **{**BODY, "id": "r-2", "callback": url})
        assert (refused.status_code, refused.json()["fields"][0]["name"]) == (422, "callback")


def test_an_account_with_too_many_open_requests_waits_and_still_gets_its_earlier_answers(agent: Program, settings: Any):
    change(settings, OPEN_REQUESTS_PER_ACCOUNT=1)
    assert agent.post("/requests", **BODY).status_code == 201

    refused = agent.post("/requests", **{**BODY, "id": "r-2"})

    assert refused.status_code == 429
    assert refused.json()["code"] == "too_many_open"
    assert int(refused["Retry-After"]) > 0
    assert AgentRequest.objects.count() == 1
    assert agent.post("/requests", **BODY).status_code == 200
    AgentRequest.objects.update(answered_at=clock.now())
    assert agent.post("/requests", **{**BODY, "id": "r-2"}).status_code == 201


def test_a_decided_request_that_no_agent_came_back_for_is_not_open(agent: Program, olga: Caller, settings: Any):
    change(settings, OPEN_REQUESTS_PER_ACCOUNT=1)
    session = asked(agent)

    service.submit(session.pk, olga, Answer("approve"))

    assert agent.post("/requests", **{**BODY, "id": "r-2"}).status_code == 201
    assert agent.post("/requests", **{**BODY, "id": "r-3"}).status_code == 429


def test_a_replaced_secret_of_callbacks_signs_for_a_day(agent: Program, hour: Any, settings: Any):
    account = User.objects.get(username="refunds").pk
    first = secret_of(account)
    second = agent.post("/requests/callback-secret/replace").json()["callback_secret"]

    assert second == secret_of(account) != first
    assert account_secrets(account) == [second, first]
    assert AuditEntry.objects.filter(act="callback_secret.replaced").count() == 1
    hour.advance(timedelta(hours=25))
    assert account_secrets(account) == [second]
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key"
    assert account_secrets(account) == [second]
    settings.SECRET_KEY_FALLBACKS = []
    assert account_secrets(account) == []
