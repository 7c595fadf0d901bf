"""Events that other programs report over HTTP."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission

from dialogue.desk.sessions.service import Caller
from dialogue.models import Conversation, Event
from tests.support.releases import publish
from tests.support.transfers import person
from tests.support.waiting import WAITING

from .conftest import Program, ProgramOf

pytestmark = pytest.mark.django_db(transaction=True)
Opened = tuple[str, Program]


@pytest.fixture
def shop(program_of: ProgramOf) -> Program:
    """A program of the business, which may report events."""
    user = person("shop", "Shop")
    user.user_permissions.add(Permission.objects.get(codename="signal_conversation"))
    user.user_permissions.add(Permission.objects.get(codename="view_every_conversation"))
    return program_of(Caller(user.pk, "api"))


@pytest.fixture
def waits(visitor: Program) -> Opened:
    """The path of a conversation that waits for the parcel P1, and its customer."""
    publish(WAITING)
    opened = visitor.post("/conversations", assistant="parcels").json()
    path, customer = f"/conversations/{opened['id']}", Program(opened["token"])
    customer.post(f"{path}/messages", id="m1", text="send a parcel back")
    customer.post(f"{path}/messages", id="m2", text="P1")
    return path, customer


def report(program: Program, path: str, client_id: str = "e1", **payload: object) -> Any:
    return program.post(f"{path}/events", id=client_id, event="parcel_received", payload=payload)


def test_the_awaited_event_is_answered_with_its_turn(shop: Program, waits: Opened):
    answered = report(shop, waits[0], parcel="P1", weight=200)

    body = answered.json()
    assert (answered.status_code, body["awaited"], body["event"]) == (200, True, 3)
    assert [line["text"] for line in body["messages"]] == ["It is here."]


def test_an_event_that_is_repeated_gets_the_first_answer(shop: Program, waits: Opened):
    first, second = report(shop, waits[0], parcel="P1"), report(shop, waits[0], parcel="P1")

    assert second.json() == first.json()
    assert Event.objects.filter(kind="signal").count() == 1


def test_the_same_id_with_another_payload_is_refused(shop: Program, waits: Opened):
    report(shop, waits[0], parcel="P1")

    assert report(shop, waits[0], parcel="P2").json()["code"] == "same_id_other_body"


def test_an_event_that_no_flow_waits_for_is_answered_so_and_says_nothing(shop: Program, waits: Opened):
    answered = report(shop, waits[0], parcel="P2").json()

    assert (answered["awaited"], answered["messages"]) == (False, [])


def test_an_event_may_be_left_to_its_turn(shop: Program, waits: Opened):
    body = '{"id": "e1", "event": "parcel_received", "payload": {"parcel": "P1"}}'
    answered = shop.send("POST", f"{waits[0]}/events", body, Prefer="respond-async")

    assert (answered.status_code, answered.json()) == (202, {"event": 3})


@pytest.mark.parametrize(
    ("payload", "name", "rule"),
    [
        ({}, "payload.parcel", "missing"),
        ({"parcel": "P1", "weight": "heavy"}, "payload.weight", "invalid"),
        ({"parcel": "P1", "wieght": 3}, "payload.wieght", "unknown"),
        ({"parcel": None}, "payload.parcel", "missing"),
        ({"parcel": ["P1"]}, "payload.parcel", "invalid"),
    ],
)
def test_a_payload_that_does_not_fit_names_the_field(payload, name, rule, shop: Program, waits: Opened):
    answered = report(shop, waits[0], **payload)

    field = answered.json()["fields"][0]
    assert (answered.status_code, field["name"], field["rule"]) == (422, name, rule)
    assert not Event.objects.filter(kind="signal").exists()


def test_an_unknown_event_is_refused_with_advice(shop: Program, waits: Opened):
    answered = shop.post(f"{waits[0]}/events", id="e1", event="parcel_recieved")

    assert (answered.status_code, answered.json()["code"]) == (422, "unknown_event")
    assert "parcel_received" in answered.json()["detail"]


def test_a_payload_that_is_too_large_is_refused(shop: Program, waits: Opened):
    assert report(shop, waits[0], parcel="P" * 20_000).status_code == 413


def test_only_a_program_with_the_right_may_report(visitor: Program, program_of: ProgramOf, waits: Opened):
    olga = person("olga", "Olga")
    olga.user_permissions.add(Permission.objects.get(codename="view_every_conversation"))

    assert report(waits[1], waits[0], parcel="P1").status_code == 403  # the customer, with the conversation's token
    assert report(program_of(Caller(olga.pk, "api")), waits[0], parcel="P1").status_code == 403
    assert report(visitor, waits[0], parcel="P1").status_code == 401


def test_an_ended_conversation_takes_no_events(shop: Program, waits: Opened):
    Conversation.objects.update(state="done")

    assert report(shop, waits[0], parcel="P1").json()["code"] == "conversation_over"


def test_staff_see_what_a_conversation_waits_for(shop: Program, waits: Opened, client):
    frame = shop.get(waits[0]).json()["stack"][0]
    assert frame["waits"]["event"] == "parcel_received"
    assert frame["waits"]["until"]

    client.force_login(person("olga", "Olga", "supervisors"))
    page = client.get(f"{waits[0]}/".replace("/api/v1", "")).content.decode()
    assert "waits for the event parcel_received" in page
