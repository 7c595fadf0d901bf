"""Labels of options that an action gave: what is sensitive in them is masked for readers who may not see values."""

from typing import Any

import pytest
from asgiref.sync import async_to_sync

from dialogue.desk.sessions.service import Caller
from dialogue.engine.actions import StubbedActions
from dialogue.models import Conversation, Message
from dialogue.turns.worker import Ports
from tests.support.turns import begun, say
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db(transaction=True)

NUMBER = "4111 1111 1111 1234"
HEAD = """\
version: 1
assistant: cards
records: {card: {fields: {key: text, bank: text, number: {type: text, sensitive: true}}}}
actions: {find_cards: {outputs: {cards: list of card}, effect: none}}
"""
FLOW = """\
flow: block
description: Block a card.
slots:
  card:
    type: card
    prompt: Which card?
    options: {from: find_cards, value: key, label: "{bank} {number}"}
  ask_more: {type: text, prompt: Why?}
steps:
  - {step: ask, type: collect, slot: card, on_error: end}
  - {step: why, type: collect, slot: ask_more}
"""
CARDS: list[dict[str, Any]] = [
    {"key": "a", "bank": "North", "number": NUMBER},
    {"key": "b", "bank": "South", "number": "5500 0000 0000 0004"},
]


@pytest.fixture
def conversation() -> Conversation:
    row = async_to_sync(begun)({"assistant.yaml": HEAD, "block.yaml": FLOW})
    ports = Ports(actions=StubbedActions({"find_cards": [{"returns": {"cards": CARDS}}]}))
    async_to_sync(say)(row, "block a card", ports)
    return Conversation.objects.get(pk=row.pk)


def test_a_button_of_an_option_is_masked_as_elsewhere(
    conversation: Conversation, olga: Caller, audrey: Caller, browser_of: Browser
):
    line = Message.objects.filter(conversation=conversation, role="assistant").last()
    assert line is not None and [button["label"] for button in line.buttons] == [
        f"North {NUMBER}",
        "South 5500 0000 0000 0004",
    ]

    pages = [
        text_of(browser_of(audrey).get(f"/conversations/{conversation.pk}/")),
        text_of(browser_of(audrey).get(f"/api/v1/conversations/{conversation.pk}/messages")),
        text_of(browser_of(audrey).get(f"/api/v1/conversations/{conversation.pk}")),
        text_of(browser_of(audrey).get(f"/api/v1/conversations/{conversation.pk}/turns")),
    ]

    for page in pages:
        assert NUMBER not in page and "5500 0000" not in page
    assert "North •••• 1234" in pages[0]


def test_what_the_customer_pressed_is_masked_too(conversation: Conversation, audrey: Caller, browser_of: Browser):
    ports = Ports(actions=StubbedActions({"find_cards": [{"returns": {"cards": CARDS}}]}))
    async_to_sync(say)(conversation, f"North {NUMBER}", ports)

    page = text_of(browser_of(audrey).get(f"/conversations/{conversation.pk}/"))

    assert "Why?" in page and NUMBER not in page
