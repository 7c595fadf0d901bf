"""The events that open inboxes read, stored so that the order of their numbers is the order of their commits.

An inbox reads the events after the last number that it has. PostgreSQL gives numbers at the insert and shows rows at
the commit, so without a lock a later number could become visible first, and the inbox would miss the earlier one. The
lock ends with the transaction. SQLite has one writer, so both orders are the same.
"""

from collections.abc import Sequence

from django.db import connection

from dialogue.models import InboxEvent

_LOCK = 0x50_4E_49
"""The key of the advisory lock: any number that nothing else in the database uses."""


def tell_inboxes(events: Sequence[InboxEvent]) -> None:
    """Store `events` in the caller's open transaction, which must have locked the conversation's row."""
    if not events:
        return
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    InboxEvent.objects.bulk_create(events)
