"""Threads: which conversation a message belongs to, and lines that belong to no turn."""

from datetime import timedelta
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.crypto import salted_hmac

from dialogue.channels.port import IncomingMessage
from dialogue.conf import soni
from dialogue.models import ChannelConnection, ChannelDelivery, ChannelThread, Conversation, Message, hot_path
from dialogue.turns import clock
from dialogue.turns.accept import lock_conversation, open_conversation, storable_value

OPENING_WINDOW = timedelta(minutes=10)
NOT_TAKEN_KEY = "message_not_taken"
"""Key of the line that says why a message was not taken. It belongs to no turn."""


class TooManyOpened(Exception):
    """The sender opened too many conversations in `OPENING_WINDOW`."""


def find_thread(connection: ChannelConnection, message: IncomingMessage) -> ChannelThread | None:
    """Return the message's thread, whose conversation may be over, or None where there is none.

    The thread of an answered delivery counts only for the person that the delivery was for.
    """
    rows = ChannelThread.objects.select_related("conversation").filter(connection=connection)
    thread = None
    if answered_uid := _uuid(message.answers):
        answered = ChannelDelivery.objects.filter(connection=connection, uid=answered_uid).values("thread")
        thread = rows.filter(pk__in=answered[:1], recipient__iexact=message.recipient).first()
    return thread or rows.filter(key=message.thread, is_current=True).first()


def open_thread(
    connection: ChannelConnection, message: IncomingMessage, earlier: ChannelThread | None
) -> ChannelThread:
    """Open a conversation for the message, in the place of the `earlier` one that it found.

    Where another request has opened one meanwhile, such as the same message that was sent again, return that one.
    Raises AssistantNotFound where the assistant was never published, and TooManyOpened.
    """
    _check_openings(connection, message)
    now = clock.now()
    try:
        with transaction.atomic():
            same = ChannelThread.objects.filter(connection=connection, key=message.thread, is_current=True)
            current = same.select_related("conversation").select_for_update(of=("self",)).first()
            if current is not None and (earlier is None or current.pk != earlier.pk):
                return current
            same.update(is_current=False)
            conversation, _token = open_conversation(
                connection.assistant.name,
                user_ref=storable_value(message.sender)[:200],
                channel=connection.channel,
                language=storable_value(message.language)[:35],
                metadata=storable_value({"start_code": message.start_code} if message.start_code else {}),
                origin=sender_hash(connection, message.recipient),
            )
            thread = ChannelThread.objects.create(
                connection=connection,
                conversation=conversation,
                key=message.thread,
                recipient=storable_value(message.recipient),
                facts=storable_value(dict(message.facts)),
                opened_at=now,
                due_at=now,
            )
    except IntegrityError:  # another request opened it at the same moment
        rows = ChannelThread.objects.select_related("conversation")
        return rows.get(connection=connection, key=message.thread, is_current=True)
    return thread


def add_line(conversation: UUID, key: str, text: str) -> None:
    """Add a line of the system to the transcript, which the channel sends as every other.

    Raises ConversationNotFound and ConversationOver.
    """
    with transaction.atomic():
        row, at = lock_conversation(conversation)
        seq = row.last_message + 1
        line = Message(conversation=row, seq=seq, role=Message.Role.SYSTEM, key=key, text=text, at=at)
        hot_path.update(Conversation, {"id": row.pk}, {"last_message": seq})
        hot_path.insert([line], returning_keys=True)


def sender_hash(connection: ChannelConnection, recipient: str) -> str:
    """Return a hash that is equal for one sender, and irreversible without the installation's key."""
    sender = f"{connection.pk} {storable_value(recipient)}"
    return salted_hmac("dialogue.channels.sender", sender, algorithm="sha256").hexdigest()


def _check_openings(connection: ChannelConnection, message: IncomingMessage) -> None:
    if not soni.OPENINGS_PER_ADDRESS:
        return
    since = clock.now() - OPENING_WINDOW
    opened = ChannelThread.objects.filter(connection=connection, recipient=message.recipient, opened_at__gt=since)
    if opened.count() >= soni.OPENINGS_PER_ADDRESS:
        raise TooManyOpened


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
