"""Resend the customer's messages of one test conversation to another, to try a changed text."""

from asgiref.sync import async_to_sync

from dialogue.models import Conversation, Event
from dialogue.turns.accept import ConversationOver, Incoming, accept
from dialogue.turns.lease import OWNER
from dialogue.turns.worker import drain

MAX_LINES = 50
"""Lines of a longer test are not resent while an author waits."""

_BY_CUSTOMER = (Event.Kind.MESSAGE, Event.Kind.CHOICE)


def resend_messages(original: Conversation, target: Conversation) -> bool:
    """Say the customer's lines of `original` in `target`, in their order; whether that was all of it.

    They are understood again. It stops at a decision of another person, since that has to be made again too,
    and where the new conversation ends before the old one.
    """
    turns = original.turns.select_related("event__message").order_by("number")[: MAX_LINES + 1]
    for count, turn in enumerate(turns):
        if count == MAX_LINES or turn.event.kind not in _BY_CUSTOMER or not _resend_message(turn.event, target):
            return False
    return True


def _resend_message(event: Event, target: Conversation) -> bool:
    line = event.message
    incoming = Incoming(event.kind, event.client_id, event.payload, text=line.text if line else None)
    try:
        accepted = accept(target.pk, incoming, claim_for=OWNER)
    except ConversationOver:
        return False
    async_to_sync(drain)(target.pk, accepted.lease)
    return True
