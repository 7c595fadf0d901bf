"""A bank with a thousand conversations that wait for approval, made in bulk from one that really got there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from campaigns.support.busy_bank import BusyBank, busy_bank
from tests.support.processes.server import Server

COPY = """
import uuid
from datetime import timedelta
from dialogue.models import Checkpoint, CheckpointWrite, Conversation, Event, HITLSession, Message, Turn
from dialogue.turns import clock
from dialogue.turns.sessions import session_uid

def copied(row, **changes):
    facts = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    facts.pop(row._meta.pk.attname)
    return type(row)(**{**facts, **changes})

session = HITLSession.objects.get(number=GATE)
first = session.conversation
at = clock.now() + timedelta(seconds=EXPIRES_IN)
sessions, lines = list(first.sessions.all()), list(first.messages.all())
late = {"expires_at": at, "urgent_at": at}
for start in range(0, COUNT, 250):
    many = range(start, min(COUNT, start + 250))
    chats = [copied(first, id=uuid.uuid4(), token_sha256=uuid.uuid4().hex) for _ in many]
    Conversation.objects.bulk_create(chats)
    for model in (Checkpoint, CheckpointWrite):
        kept = list(model.objects.filter(thread_id=str(first.pk)))
        model.objects.bulk_create(copied(row, thread_id=str(chat.pk)) for chat in chats for row in kept)
    Message.objects.bulk_create(copied(row, conversation_id=chat.pk, turn_id=None) for chat in chats for row in lines)
    said = {(row.conversation_id, row.seq): row.pk for row in Message.objects.filter(conversation__in=chats)}
    for event in first.events.select_related("message").order_by("number"):
        seq = event.message.seq if event.message else 0
        Event.objects.bulk_create(
            copied(event, conversation_id=chat.pk, session_id=None, message_id=said.get((chat.pk, seq)))
            for chat in chats
        )
        made = Event.objects.filter(conversation__in=chats, number=event.number)
        Turn.objects.bulk_create(
            copied(turn, conversation_id=row.conversation_id, event_id=row.pk)
            for turn in Turn.objects.filter(event=event) for row in made
        )
    HITLSession.objects.bulk_create(
        copied(row, uid=session_uid(chat.pk, row.task_key), conversation_id=chat.pk, **(late if row == session else {}))
        for chat in chats for row in sessions
    )
HITLSession.objects.filter(pk=session.pk).update(**late)
print(HITLSession.objects.filter(HITLSession.undecided(), audience="staff").count())
"""

UNHEARD = """
from dialogue.models import HITLSession
print(HITLSession.objects.filter(audience="staff").exclude(delivery="applied").count())
"""


def unheard(server: Server) -> int:
    """How many staff sessions are undecided, or decided and not yet applied."""
    left: int = json.loads(server.shell(UNHEARD).splitlines()[-1])
    return left


@contextmanager
def crowded_bank(count: int, expires_in: timedelta, *, on_postgres: bool = False) -> Iterator[BusyBank]:
    """A bank, stopped, in which `count` conversations wait for approval, all until the same moment."""
    with busy_bank(on_postgres=on_postgres) as bank:
        gate = bank.open_gate()
        bank.server.kill()
        made = _fill(bank.server, gate, count, expires_in)
        assert made == count, made
        yield bank


def _fill(server: Server, gate: str, count: int, expires_in: timedelta) -> int:
    facts = f"GATE, COUNT, EXPIRES_IN = {gate[1:]}, {count - 1}, {expires_in.total_seconds()}\n"
    made: int = json.loads(server.shell(facts + COPY).splitlines()[-1])
    return made
