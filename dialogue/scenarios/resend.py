"""Say messages in a test conversation: those of another one, to try a changed text, or those that an author wrote."""

from collections.abc import Iterable
from uuid import uuid4

from asgiref.sync import async_to_sync

from dialogue.models import Conversation, Event
from dialogue.turns.accept import ConversationOver, Incoming, accept
from dialogue.turns.lease import OWNER
from dialogue.turns.worker import drain

MAX_LINES = 50
"""More lines are not said while an author waits."""

_BY_CUSTOMER = (Event.Kind.MESSAGE, Event.Kind.CHOICE)


def resend_messages(original: Conversation, target: Conversation) -> bool:
    """Say the customer's lines of `original` in `target`, in their order; whether that was all of it.

    They are understood again. It stops at a decision of another person, since that has to be made again too,
    and where the new conversation ends before the old one.
    """
    turns = original.turns.select_related("event__message").order_by("number")[: MAX_LINES + 1]
    for count, turn in enumerate(turns):
        if count == MAX_LINES or turn.event.kind not in _BY_CUSTOMER or not _say(_message_of(turn.event), target):
            return False
    return True


def say_messages(texts: Iterable[str], target: Conversation) -> None:
    """Say these messages in `target`, in their order, until it ends."""
    for text in texts:
        if not _say(Incoming(Event.Kind.MESSAGE, uuid4().hex, {"text": text}, text=text), target):
            return


def _message_of(event: Event) -> Incoming:
    line = event.message
    return Incoming(event.kind, event.client_id, event.payload, text=line.text if line else None)


def _say(incoming: Incoming, target: Conversation) -> bool:
    try:
        accepted = accept(target.pk, incoming, claim_for=OWNER)
    except ConversationOver:
        return False
    async_to_sync(drain)(target.pk, accepted.lease)
    return True
