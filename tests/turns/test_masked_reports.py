"""Sensitive values that programs bring are masked in lines: of events, of begun flows, and of openings."""

import pytest
from asgiref.sync import async_to_sync

from dialogue.models import Conversation, Message
from dialogue.turns.accept import Incoming, accept, open_conversation
from dialogue.turns.live.redaction import redactor_of
from dialogue.turns.opening import active_release, read_opening
from dialogue.turns.waiting.outreach import begin
from dialogue.turns.waiting.reports import report_event
from dialogue.turns.worker import drain
from tests.support.releases import publish

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
CARDS = {
    "assistant.yaml": """version: 1
assistant: cards
title: Cards
slots:
  ticket: {type: text, source: start, required: false, sensitive: true}
events:
  card_made:
    payload: {number: {type: text, sensitive: true}}
""",
    "order.yaml": """flow: order
title: order
description: Order a card.
examples: [order a card]
slots:
  card: {type: text, required: false}
steps:
  - {step: arrival, type: wait, event: card_made, outputs: {number: card}, timeout: 5d, on_timeout: end}
  - {step: hello, type: say, message: "It is {card}, for {ticket}."}
""",
    "tell.yaml": """flow: tell
title: tell
description: Tell the number.
start: false
slots:
  secret: {type: text, sensitive: true, prompt: Which number?}
steps:
  - {step: ask, type: collect, slot: secret}
  - {step: hello, type: say, message: "Your number is {secret}."}
""",
}


def masked_last_line(conversation: Conversation) -> str:
    """The last line as an auditor reads it, after the flow and its slots are gone."""
    async_to_sync(drain)(conversation.pk)
    conversation.refresh_from_db()
    assert conversation.stack == []
    line = Message.objects.filter(conversation=conversation).order_by("seq").last()
    assert line is not None
    return redactor_of(conversation)(line.text)


def test_what_an_event_and_an_opening_brought_is_masked():
    publish(CARDS)
    opening = read_opening(active_release("cards"), {"ticket": "TK-99887"}, {})
    conversation, _token = open_conversation("cards", opening=opening)
    accept(conversation.pk, Incoming("message", "m1", {"text": "order a card"}, text="order a card"))
    async_to_sync(drain)(conversation.pk)

    report_event(conversation, "card_made", {"number": "4556-1234"}, "e1")

    assert masked_last_line(conversation) == "It is ••••, for ••••."


def test_what_a_begun_flow_brought_is_masked():
    publish(CARDS)
    conversation, _token = open_conversation("cards")

    begin(conversation, Incoming("start", "s1", {"flow": "tell", "slots": {"secret": "4556-7777"}, "by": ""}), None, "")

    assert masked_last_line(conversation) == "Your number is ••••."
