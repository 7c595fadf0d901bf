"""What open inboxes are told, in an order that nobody can miss a part of.

Inboxes send what comes after the last number that they have. PostgreSQL hands out numbers when rows are inserted and
shows them when they are committed, so a later number may be seen first; a lock that ends with the transaction makes
the two orders one. SQLite has one writer, and the same orders.
"""

from collections.abc import Sequence

from django.db import connection

from dialogue.models import InboxEvent

_LOCK = 0x50_4E_49
"""The number of the lock; any that nothing else in the database uses."""


def tell_inboxes(events: Sequence[InboxEvent]) -> None:
    """Store `events` inside the caller's transaction, which must hold the conversation's row and must be open."""
    if not events:
        return
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    InboxEvent.objects.bulk_create(events)
