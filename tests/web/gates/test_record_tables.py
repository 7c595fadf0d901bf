"""Records at a gate: shown as tables, typed in the rows of a table, and one JSON value for everybody else."""

import re
from collections.abc import Mapping
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import Group
from django.test import Client

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller, InputFormat
from dialogue.engine.actions import StubbedActions
from dialogue.models import AuditEntry, HITLSession, Turn
from dialogue.turns.worker import Ports, drain
from tests.support.turns import begun, say
from tests.support.web.pages import HTMX, text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db(transaction=True)

SHOP = {
    "assistant.yaml": """\
version: 1
assistant: shop
records:
  item: {fields: {name: text, price: {type: money, currency: EUR}}}
  card: {fields: {holder: text, number: {type: text, sensitive: true}}, label: "{holder}, {number}"}
  order: {fields: {order_id: text, status: {type: choice, options: [pending, delivered]}, items: list of item, card: card}, label: "{order_id}"}
actions: {find_orders: {outputs: {orders: list of order, current: order}, effect: none}}
""",  # noqa: E501
    "check.yaml": """\
flow: check
description: Check orders.
examples: [check my orders]
slots: {orders: list of order, current: order}
steps:
  - {step: find, type: action, call: find_orders, outputs: {orders: orders, current: current}, on_error: end}
  - step: look
    type: human
    title: Check these orders
    actions: [{id: approve}, {id: reject}]
    timeout: 1h
    on_timeout: reject
    show: [orders, current]
    form: {fixed: {type: list, items: item, required: false}, seen: optional item}
    next: {approve: done, reject: done}
  - {step: done, type: say, message: "Done with {current.card.number}."}
""",
}
NUMBER = "4111 1111 1111 1234"
CARD: dict[str, Any] = {"holder": "Mia Holm", "number": NUMBER}
W1: dict[str, Any] = {
    "order_id": "W1",
    "status": "pending",
    "items": [{"name": "boots", "price": "129.90"}],
    "card": CARD,
}
W2: dict[str, Any] = {
    "order_id": "W2",
    "status": "delivered",
    "items": [],
    "card": {"holder": "Ben", "number": "5500 0000 0000 0004"},
}


SHOWN = {"orders": [W1, W2], "current": W1}


@pytest.fixture
def gate(payments: Group) -> HITLSession:
    conversation = async_to_sync(begun)(SHOP)
    ports = Ports(actions=StubbedActions({"find_orders": [{"returns": SHOWN}]}))
    async_to_sync(say)(conversation, "check my orders", ports)
    session = HITLSession.objects.get(state="open")
    session.group = payments
    session.save()
    return session


def sent(browser: Client, gate: HITLSession, typed: Mapping[str, str]) -> Any:
    form = {"action": "approve", "version": gate.version, "key": "k1", **typed}
    return browser.post(f"/gates/{gate.name}/submit/", form, headers=HTMX)


def rows_of(page: str) -> list[str]:
    """The rows of all tables of records on the page, each as its words."""
    tables = re.findall(r'<table class="records.*?</table>', page, re.DOTALL)
    rows = (row for table in tables for row in re.findall(r"<tr>.*?</tr>", table, re.DOTALL))
    return [
        " | ".join(
            " ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        )
        for row in rows
    ]


def test_a_list_of_records_is_a_table_and_a_record_has_a_row_for_each_field(
    gate: HITLSession, olga: Caller, browser_of: Browser
):
    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))

    assert rows_of(page)[:3] == [
        "Order ID | Status | Items | Card",
        f"W1 | pending | name: boots, price: €129.90 | Mia Holm, {NUMBER}",
        "W2 | delivered |  | Ben, 5500 0000 0000 0004",
    ]
    assert rows_of(page)[3:7] == [
        "Order ID | W1",
        "Status | pending",
        "Items | name: boots, price: €129.90",
        f"Card | Mia Holm, {NUMBER}",
    ]


def test_the_sensitive_field_of_a_record_is_masked_for_who_may_not_decide(
    gate: HITLSession, audrey: Caller, browser_of: Browser
):
    page = text_of(browser_of(audrey).get(f"/gates/{gate.name}/"))

    assert "W1 | pending | name: boots, price: €129.90 | Mia Holm, •••• 1234" in rows_of(page)
    assert NUMBER not in page and "5500 0000" not in page


def test_the_api_gives_records_as_json_with_the_mask_in_the_place_of_the_field(
    gate: HITLSession, olga: Caller, audrey: Caller, browser_of: Browser
):
    address = f"/api/v1/sessions/{gate.name}"
    decides = browser_of(olga).get(address).json()["values"]
    audits = browser_of(audrey).get(address).json()["values"]

    assert decides[1]["value"] == W1
    assert audits[1]["value"] == {**W1, "card": {**CARD, "number": "•••• 1234"}}
    assert [value["name"] for value in audits] == ["orders", "current"] and "masked" not in audits[0]


def test_stack_turns_and_transcript_mask_the_field_too(gate: HITLSession, audrey: Caller, browser_of: Browser):
    browser = browser_of(audrey)
    pages = [
        browser.get(f"/api/v1/conversations/{gate.conversation_id}"),
        browser.get(f"/api/v1/conversations/{gate.conversation_id}/turns"),
        browser.get(f"/conversations/{gate.conversation_id}/"),
        browser.get("/gates/"),
    ]

    for page in pages:
        assert page.status_code == 200
        assert NUMBER not in text_of(page) and "5500 0000" not in text_of(page)


def test_what_a_message_quotes_of_a_sensitive_field_is_masked_for_who_audits(
    gate: HITLSession, olga: Caller, audrey: Caller, browser_of: Browser
):
    service.submit(gate.pk, olga, Answer("approve", {}, InputFormat.PLAIN))
    async_to_sync(drain)(gate.conversation_id)
    address = f"/conversations/{gate.conversation_id}/"

    assert f"Done with {NUMBER}." in text_of(browser_of(olga).get(address))
    masked = text_of(browser_of(audrey).get(address))
    assert NUMBER not in masked and "Done with" in masked


def test_the_record_of_a_turn_and_the_audit_hold_no_sensitive_field(gate: HITLSession):
    records = str([turn.record for turn in Turn.objects.filter(conversation=gate.conversation_id)])
    facts = str([entry.facts for entry in AuditEntry.objects.all()])

    assert "boots" in records and NUMBER not in records and NUMBER not in facts


def test_rows_that_are_typed_make_up_a_list_and_blank_rows_do_not_count(
    gate: HITLSession, olga: Caller, browser_of: Browser
):
    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/"))
    typed = {
        "value.fixed.0.name": "lamp",
        "value.fixed.0.price": "12",
        "value.fixed.1.name": " ",
        "value.fixed.2.name": "mug",
        "value.fixed.2.price": "3.50",
    }

    assert (
        'name="value.fixed.0.name"' in page
        and 'name="value.fixed.0.price"' in page
        and 'name="value.fixed"' not in page
    )
    assert sent(browser_of(olga), gate, typed).status_code == 201
    gate.refresh_from_db()
    assert gate.values["fixed"] == [{"name": "lamp", "price": "12.00"}, {"name": "mug", "price": "3.50"}]


def test_a_wrong_cell_is_told_in_its_cell_and_everything_typed_comes_back(
    gate: HITLSession, olga: Caller, browser_of: Browser
):
    typed = {
        "value.fixed.1.name": "lamp",
        "value.fixed.1.price": "much",
        "value.seen.name": "boots",
        "value.seen.price": "1",
    }

    answer = sent(browser_of(olga), gate, typed)

    page = text_of(answer)
    assert answer.status_code == 422
    assert f'id="field-{gate.name}-0-1-price-error"' in page and "“much” is not an amount" in page
    assert 'value="much"' in page and 'value="lamp"' in page and ">boots</textarea>" in page


@pytest.mark.parametrize(
    "name", ["value.fixed.0.planet", "value.fixed.x.name", "value.fixed.99999.name", "value.seen.0.name"]
)
def test_a_cell_that_the_table_does_not_have_is_refused(
    name: str, gate: HITLSession, olga: Caller, browser_of: Browser
):
    answer = sent(browser_of(olga), gate, {name: "Mars"})

    assert answer.status_code == 422
    assert "This gate does not have this field." in text_of(answer)


def test_a_draft_keeps_the_rows_and_an_answer_as_json_stands_in_them(
    gate: HITLSession, olga: Caller, browser_of: Browser
):
    browser = browser_of(olga)
    browser.post(f"/gates/{gate.name}/draft/", {"value.fixed.1.name": "lamp"})

    assert 'value="lamp"' in text_of(browser.get(f"/gates/{gate.name}/"))
    service.answer_field(gate.pk, 0, olga, [{"name": "mug", "price": "3.50"}])
    page = text_of(browser.get(f"/gates/{gate.name}/"))
    assert 'value="mug"' in page and 'value="3.50"' in page


def test_programs_send_the_list_as_json(gate: HITLSession, olga: Caller):
    service.submit(gate.pk, olga, Answer("approve", {"fixed": [{"name": "mug", "price": "3.50"}]}, InputFormat.JSON))

    gate.refresh_from_db()
    assert gate.values["fixed"] == [{"name": "mug", "price": "3.50"}]


def test_the_decided_gate_shows_what_was_decided_on_and_the_answers_as_tables(
    gate: HITLSession, olga: Caller, browser_of: Browser
):
    service.submit(gate.pk, olga, Answer("approve", {"fixed": [{"name": "mug", "price": "3.50"}]}, InputFormat.JSON))

    rows = rows_of(text_of(browser_of(olga).get(f"/gates/{gate.name}/")))

    assert "Order ID | W1" in rows and "mug | €3.50" in rows


def test_the_consequence_names_the_field_that_the_customer_is_told(
    gate: HITLSession, olga: Caller, audrey: Caller, browser_of: Browser
):
    address = f"/api/v1/sessions/{gate.name}"

    assert f"Done with {NUMBER}." in text_of(browser_of(olga).get(address))
    assert "Done with •••• 1234." in str(browser_of(audrey).get(address).json()["actions"])
