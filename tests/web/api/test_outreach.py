"""Flows and messages that programs begin over HTTP."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from dialogue.desk.sessions.service import Caller
from dialogue.models import Conversation, Event
from dialogue.turns import clock
from tests.support.releases import publish
from tests.support.transfers import person
from tests.support.waiting import WAITING

from .conftest import Program, ProgramOf

pytestmark = pytest.mark.django_db(transaction=True)
Opened = tuple[str, Program]
LATER = "2026-11-25T10:00:00+00:00"


@pytest.fixture(autouse=True)
def hour() -> Iterator[clock.FrozenClock]:
    with clock.frozen(datetime(2026, 11, 23, 12, 0, tzinfo=UTC)) as standing:
        yield standing


@pytest.fixture
def shop(program_of: ProgramOf) -> Program:
    user = person("shop", "Shop")
    user.user_permissions.add(Permission.objects.get(codename="signal_conversation"))
    user.user_permissions.add(Permission.objects.get(codename="view_every_conversation"))
    return program_of(Caller(user.pk, "api"))


@pytest.fixture
def opened(visitor: Program) -> Opened:
    publish(WAITING)
    answered = visitor.post("/conversations", assistant="parcels").json()
    return f"/conversations/{answered['id']}", Program(answered["token"])


def test_a_flow_begins_and_the_answer_has_its_turn(shop: Program, opened: Opened):
    answered = shop.post(f"{opened[0]}/start", id="s1", flow="feedback", slots={"order": "R-77"})

    body = answered.json()
    assert (answered.status_code, body["started"], body["reason"]) == (200, True, "")
    assert [line["text"] for line in body["messages"]] == ["Your order R-77 has arrived.", "How many stars?"]
    assert shop.post(f"{opened[0]}/start", id="s1", flow="feedback", slots={"order": "R-77"}).json() == body


def test_a_flow_that_runs_already_does_not_begin_again(shop: Program, opened: Opened):
    shop.post(f"{opened[0]}/start", id="s1", flow="feedback")

    body = shop.post(f"{opened[0]}/start", id="s2", flow="feedback").json()

    assert (body["started"], body["reason"], body["messages"]) == (False, "already_active", [])


def test_the_business_writes_first(shop: Program, opened: Opened):
    answered = shop.post(f"{opened[0]}/messages", id="n1", say="We close at five.")

    assert [line["text"] for line in answered.json()["messages"]] == ["We close at five."]
    lines = opened[1].get(f"{opened[0]}/messages").json()["messages"]
    assert [(line["role"], line["key"]) for line in lines] == [("assistant", "notice")]


def test_what_is_for_later_is_listed_and_can_be_cancelled(shop: Program, opened: Opened):
    answered = shop.post(f"{opened[0]}/start", id="s1", flow="feedback", at=LATER)
    number = answered.json()["planned"]
    row = {"planned": number, "kind": "start", "state": "planned", "reason": "", "at": LATER, "flow": "feedback"}
    assert (answered.status_code, answered.json()) == (202, row)
    assert shop.get(f"{opened[0]}/planned").json() == {"planned": [row]}

    cancelled = shop.post(f"{opened[0]}/planned/{number}/cancel").json()
    again = shop.post(f"{opened[0]}/planned/{number}/cancel").json()

    assert (cancelled["cancelled"], cancelled["state"]) == (True, "cancelled")
    assert again["cancelled"] is False
    assert shop.post(f"{opened[0]}/planned/{number + 1}/cancel").status_code == 404
    assert shop.post(f"{opened[0]}/planned/x/cancel").status_code == 404


def test_in_quiet_hours_it_is_planned_for_their_end(shop: Program, opened: Opened, hour: clock.FrozenClock):
    hour.at = hour.at.replace(hour=22)
    answered = shop.post(f"{opened[0]}/messages", id="n1", say="Good night.")

    body = answered.json()
    assert (answered.status_code, body["reason"], body["at"]) == (202, "quiet_hours", "2026-11-24T08:00:00+00:00")


def test_a_customer_refuses_and_allows_over_the_api(shop: Program, opened: Opened):
    path, customer = opened
    assert customer.get(f"{path}/contact").json() == {"allowed": True}

    assert customer.post(f"{path}/contact", allowed=False).json() == {"allowed": False}

    refused = shop.post(f"{path}/start", id="s1", flow="feedback")
    assert (refused.status_code, refused.json()["code"]) == (409, "opted_out")
    assert shop.post(f"{path}/contact", allowed=True).json() == {"allowed": True}
    assert shop.post(f"{path}/start", id="s1", flow="feedback").status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"flow": "feedbcak"}, "flow"),
        ({"flow": "feedback", "slots": {"stars": 9}}, "slots.stars"),
        ({"flow": "feedback", "slots": {"sters": 3}}, "slots.sters"),
        ({"flow": "feedback", "at": "2026-11-25T10:00:00"}, "at"),
        ({"flow": "feedback", "at": "tomorrow"}, "at"),
        ({}, "flow"),
    ],
)
def test_a_start_that_does_not_fit_names_the_field(body: dict[str, object], field: str, shop: Program, opened: Opened):
    answered = shop.post(f"{opened[0]}/start", id="s1", **body)

    assert (answered.status_code, answered.json()["fields"][0]["name"]) == (422, field)
    assert not Event.objects.filter(kind="start").exists()


def test_a_message_is_of_one_kind(shop: Program, opened: Opened):
    for body in ({"say": "a", "text": "b"}, {"text": "a", "at": LATER}, {}):
        assert shop.post(f"{opened[0]}/messages", id="n1", **body).status_code == 422


def test_only_programs_with_the_right_begin_anything(program_of: ProgramOf, opened: Opened):
    olga = person("olga", "Olga")
    olga.user_permissions.add(Permission.objects.get(codename="view_every_conversation"))
    for program in (opened[1], program_of(Caller(olga.pk, "api"))):
        assert program.post(f"{opened[0]}/start", id="s1", flow="feedback").status_code == 403
        assert program.post(f"{opened[0]}/messages", id="n1", say="Hello").status_code == 403
        assert program.get(f"{opened[0]}/planned").status_code == 403
    assert program_of(Caller(olga.pk, "api")).post(f"{opened[0]}/contact", allowed=False).status_code == 403


def test_an_ended_conversation_begins_nothing(shop: Program, opened: Opened):
    Conversation.objects.update(state="done")

    assert shop.post(f"{opened[0]}/start", id="s1", flow="feedback").json()["code"] == "conversation_over"
    assert shop.post(f"{opened[0]}/start", id="s2", flow="feedback", at=LATER).json()["code"] == "conversation_over"


def test_staff_see_on_the_page_what_is_planned_and_that_a_customer_refuses(
    shop: Program, opened: Opened, client: Client
):
    shop.post(f"{opened[0]}/start", id="s1", flow="feedback", at=LATER)
    opened[1].post(f"{opened[0]}/contact", allowed=False)
    client.force_login(person("olga", "Olga", "supervisors"))

    page = client.get(f"{opened[0]}/").content.decode()

    assert "feedback" in page
    assert "does not want to be written to first" in page
