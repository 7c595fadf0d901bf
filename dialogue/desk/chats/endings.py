"""Ending a conversation from outside: the event that cancels it, with its audit entry."""

from functools import partial
from uuid import UUID, uuid4

from django.db import transaction

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Person
from dialogue.desk.forms.storable import storable
from dialogue.models import Event
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept


@transaction.atomic
def cancel_conversation(conversation: UUID, person: Person, reason: str) -> None:
    """Cancel the conversation with all its gates, in its next turn. Whether the person may is the caller's question.

    Raises ConversationNotFound and ConversationOver.
    """
    from dialogue.turns import runner  # the engine is loaded when something happens, not at start

    reason = storable(reason)
    accept(conversation, Incoming(Event.Kind.CANCEL, f"cancel:{uuid4().hex}", {"reason": reason}))
    act = Act("conversation.cancelled", person.name, person.id, detail={"reason": reason})
    chain.record(conversation, [act], clock.now())
    transaction.on_commit(partial(runner.wake_conversation, conversation))
