"""Which events are told, in the transaction that they are about, and what their bodies hold."""

import json
from uuid import uuid4

import pytest
from django.db import transaction
from django.test.utils import CaptureQueriesContext

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.desk.maintenance.retention import CLOCK
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.desk.webhooks.addressing import address_events
from dialogue.desk.webhooks.deliveries import deliver_webhooks
from dialogue.desk.webhooks.endpoints import KINDS, add_endpoint
from dialogue.models import Conversation, Event, Message, WebhookDelivery, WebhookEvent
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept, open_conversation
from tests.support.agents import agent_gate
from tests.support.releases import GREETER, publish
from tests.support.transfers import person

pytestmark = [pytest.mark.django_db, pytest.mark.enable_socket, pytest.mark.usefixtures("hour")]


@pytest.fixture
def greeter() -> str:
    publish(GREETER)
    return "greeter"


def say(conversation: Conversation, text: str) -> Event:
    accepted = accept(conversation.pk, Incoming("message", str(uuid4()), {"text": text}, text=text))
    return Event.objects.get(pk=accepted.event)


def understood(event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(state=Event.State.DONE, understanding={"commands": []})


def test_without_an_endpoint_nothing_is_written(greeter: str):
    say(open_conversation(greeter)[0], "hello")

    assert not WebhookEvent.objects.exists()


def test_an_event_costs_no_statement_of_its_own(greeter: str, receiver, sofia):
    with CaptureQueriesContext(transaction.get_connection()) as before:
        say(open_conversation(greeter)[0], "hello")
    add_endpoint(receiver.url, KINDS, sofia)

    with CaptureQueriesContext(transaction.get_connection()) as after:
        say(open_conversation(greeter)[0], "hello")

    assert len(after) == len(before)
    assert [event.source for event in WebhookEvent.objects.all()] == ["opened", "message"]


def test_an_event_that_is_rolled_back_is_not_told(greeter: str, receiver, sofia):
    add_endpoint(receiver.url, KINDS, sofia)
    conversation = open_conversation(greeter)[0]
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        say(conversation, "hello")
        raise ZeroDivisionError

    assert [event.source for event in WebhookEvent.objects.all()] == ["opened"]


def test_only_the_kinds_that_an_endpoint_wants_are_written(greeter: str, receiver, sofia):
    add_endpoint(receiver.url, ["incidents"], sofia)
    conversation = open_conversation(greeter)[0]
    understood(say(conversation, "hello"))
    chain.record(conversation.pk, [Act("turn", "engine"), Act("turn.failed", "engine")], clock.now())

    assert [event.source for event in WebhookEvent.objects.all()] == ["audit"]
    address_events()
    assert deliver_webhooks() == 1
    (body,) = receiver.bodies
    assert (body["type"], body["data"]["conversation"]) == ("incident.turn_failed", str(conversation.pk))


def test_texts_go_out_only_where_they_are_asked_for(greeter: str, receiver, sofia):
    add_endpoint(receiver.url, ["messages"], sofia)
    add_endpoint(receiver.url, ["messages"], sofia, with_texts=True)
    event = say(open_conversation(greeter)[0], "hello")
    understood(event)
    address_events()
    deliver_webhooks()

    without, with_texts = sorted(receiver.bodies, key=lambda body: "text" in body["data"])
    assert "text" not in without["data"]
    assert with_texts["data"]["text"] == "hello"
    assert with_texts["data"]["role"] == "user"
    assert with_texts["type"] == "message.created"


def test_a_message_waits_until_its_sensitive_values_are_known(greeter: str, receiver, sofia):
    add_endpoint(receiver.url, ["messages"], sofia, with_texts=True)
    event = say(open_conversation(greeter)[0], "my card is 4929 1234 5678")
    assert address_events() == 0, "its turn has not run"

    understood(event)

    assert address_events() == 1


def test_a_message_that_was_never_understood_goes_out_masked(greeter: str, receiver, sofia):
    add_endpoint(receiver.url, ["messages"], sofia, with_texts=True)
    event = say(open_conversation(greeter)[0], "my card is 4929 1234 5678")
    Event.objects.filter(pk=event.pk).update(state=Event.State.INCIDENT)
    address_events()

    body = json.loads(WebhookDelivery.objects.get().body)
    assert "4929" not in body["data"]["text"]


def test_an_endpoint_of_one_assistant_hears_of_no_other(greeter: str, conversation, receiver, sofia):
    add_endpoint(receiver.url, ["conversations"], sofia, assistant=conversation.assistant)
    open_conversation(greeter)
    open_conversation("bank")
    address_events()
    deliver_webhooks()

    assert [body["data"]["assistant"] for body in receiver.bodies] == ["bank"]


def test_tests_are_not_told(greeter: str, receiver, sofia):
    add_endpoint(receiver.url, KINDS, sofia)
    understood(say(open_conversation(greeter, test=True)[0], "hello"))
    address_events()

    assert not WebhookDelivery.objects.exists()


def test_a_gate_is_told_from_its_opening_to_its_decision(receiver, sofia):
    add_endpoint(receiver.url, ["sessions", "decisions"], sofia)
    gate = agent_gate()
    service.submit(gate.pk, Caller(person("olga", "Olga Petrov", "operators").pk, "page"), Answer("approve"))
    address_events()
    deliver_webhooks()

    assert receiver.types[0] == "session.opened"
    decision = next(body for body in receiver.bodies if body["type"] == "decision.submitted")
    assert decision["data"]["session"] == gate.name
    assert decision["data"]["decision"]["action"] == "approve"
    assert "Olga" not in str(receiver.bodies), "names are texts"


def test_an_ended_conversation_is_told_once(greeter: str, receiver, sofia):
    add_endpoint(receiver.url, ["conversations"], sofia)
    conversation = open_conversation(greeter)[0]
    for _time in range(2):
        Conversation.objects.filter(pk=conversation.pk).update(state=Conversation.State.DONE)
    address_events()
    deliver_webhooks()

    assert receiver.types == ["conversation.opened", "conversation.ended"]


def test_an_erased_conversation_leaves_nothing_behind(greeter: str, receiver, sofia):
    add_endpoint(receiver.url, KINDS, sofia, with_texts=True)
    conversation = open_conversation(greeter)[0]
    understood(say(conversation, "hello"))
    address_events()
    say(conversation, "again")
    assert WebhookDelivery.objects.exists() and WebhookEvent.objects.exists()

    erase_conversation(conversation.pk, CLOCK, "asked for")

    assert not WebhookDelivery.objects.exists()
    address_events()
    assert not WebhookDelivery.objects.exists()
    assert not Message.objects.exists()
