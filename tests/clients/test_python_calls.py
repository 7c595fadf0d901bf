"""The Python client against the product in this process: every call and every answer as the document describes them."""

from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Permission

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from soni_client import Client, Conflict, InvalidValues, NotAllowed, NotFound, NotSignedIn, verify_receipt
from tests.clients.in_process import InProcess
from tests.support.releases import demo, publish
from tests.support.transfers import person
from tests.web.api.conftest import token_of

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = {"question": "May I refund the cover?", "actions": ["approve", "reject"]}
OPTIONS: Any = {
    "id": "refund-1",
    "source": {"name": "refunds", "thread": "t1"},
    "timeout": "30m",
    "on_timeout": "reject",
}


def client_of(account: Any = None) -> Client:
    token = token_of(Caller(account.pk, "api")) if account else ""
    return Client("http://testserver", token, retry_seconds=0, http=httpx.Client(transport=InProcess()))


@pytest.fixture
def agent() -> Client:
    account = person("refunds", "Refunds")
    account.user_permissions.add(Permission.objects.get(codename="ask_agentrequest"))
    return client_of(account)


@pytest.fixture
def olga() -> Client:
    return client_of(person("olga", "Olga Petrov", "operators"))


def test_an_agent_asks_and_a_person_decides_over_the_same_api(agent: Client, olga: Client):
    request = agent.requests.create(QUESTION, **OPTIONS)
    assert request["state"] == "waiting"

    (row,) = [
        session for session in olga.sessions.list(state="open") if session["name"] == request["sessions"][0]["session"]
    ]
    session = olga.sessions.claim(row["name"], version=row["version"])
    assert olga.sessions.release(row["name"], version=session["version"])["state"] == "open"
    decided = olga.sessions.decide(row["name"], "approve", idempotency_key="k1")
    assert olga.sessions.decide(row["name"], "approve", idempotency_key="k1")["version"] == decided["version"]
    with pytest.raises(Conflict) as raised:
        olga.sessions.decide(row["name"], "reject")
    assert raised.value.current is not None

    answer = agent.ask(QUESTION, **OPTIONS)
    assert (answer.answer["action"], answer.decided_by) == ("approve", ("Olga Petrov",))
    receipt = olga.sessions.receipt(row["name"])
    assert verify_receipt(receipt, agent.receipt_keys())["decided_by"] == "Olga Petrov"
    with pytest.raises(Conflict):
        agent.requests.withdraw("refund-1")


def test_a_request_that_is_wrong_says_where(agent: Client):
    with pytest.raises(InvalidValues) as raised:
        agent.ask({"nothing": 1}, **OPTIONS)
    assert raised.value.code == "invalid_ask"
    with pytest.raises(InvalidValues):
        agent.ask(QUESTION, **{**OPTIONS, "on_timeout": "approve"})
    agent.requests.create(QUESTION, **OPTIONS)
    with pytest.raises(InvalidValues) as raised:
        agent.requests.create({**QUESTION, "question": "Another?"}, **OPTIONS)
    assert raised.value.code == "same_id_other_body"


def test_the_answer_arrives_as_an_event(agent: Client, olga: Client):
    request = agent.requests.create(QUESTION, **OPTIONS)
    olga.sessions.decide(request["sessions"][0]["session"], "approve")

    (event,) = agent.requests.events("refund-1")
    assert (event.kind, event.data["answer"]["action"]) == ("answer", "approve")


def test_a_request_is_withdrawn(agent: Client):
    agent.requests.create(QUESTION, **OPTIONS)

    assert agent.requests.withdraw("refund-1")["state"] == "withdrawn"
    assert agent.requests.wait("refund-1").state == "withdrawn"


def test_who_may_not_is_told(olga: Client):
    with pytest.raises(NotAllowed):
        olga.requests.create(QUESTION, **OPTIONS)
    with pytest.raises(NotFound):
        olga.requests.get("refund-1")
    with pytest.raises(NotSignedIn):
        next(client_of().sessions.list())


def test_a_customer_chats():
    publish(demo("bank"))
    chat = client_of().conversations.begin("bank", user_ref="c-1", language="en")

    reply = chat.send("hello", message_id="m1")
    assert reply["messages"]
    assert chat.send("hello", message_id="m1") == reply
    assert next(line["role"] for line in chat.history()) == "user"
    assert chat.history(after=1)[0]["seq"] == 2
    assert chat.state()["id"] == chat.id


def test_the_answer_of_the_desk_arrives_while_the_agent_waits(agent: Client):
    request = agent.requests.create(QUESTION, **OPTIONS)
    gate = int(request["sessions"][0]["session"][1:])
    service.submit(gate, Caller(person("mara", "Mara Lund", "operators").pk, "page"), Answer("reject", {}, reason="no"))

    answer = agent.requests.wait("refund-1", patience=5)
    assert (answer.is_answered, answer.answer["action"]) == (True, "reject")
