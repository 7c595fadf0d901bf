"""One runner per conversation: a lease with a fencing number, renewed while a turn runs."""

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import DatabaseError
from django.db.models import F, Q, QuerySet

from dialogue.models import Conversation
from dialogue.turns import clock
from dialogue.turns.database import in_thread

log = logging.getLogger(__name__)

TERM = timedelta(seconds=10)
"""How long a lease holds without a renewal, and so how long a conversation waits when its runner died."""

OWNER = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
"""The name under which this process takes leases."""


class LeaseLost(Exception):
    """Another runner has this conversation now; nothing of this turn may be written."""


@dataclass(frozen=True)
class Lease:
    """The right to turn one conversation's events, as long as its epoch is the row's epoch.

    `inherited` says that the holder before us did not give it back: its process died, perhaps of the next event.
    """

    conversation: UUID
    owner: str
    epoch: int
    inherited: bool = False

    def row(self) -> QuerySet[Conversation]:
        """The conversation's row, while the lease is still ours; an empty set when it was lost."""
        return Conversation.objects.filter(pk=self.conversation, epoch=self.epoch, lease_owner=self.owner)

    def check(self) -> None:
        """Lock the row for the open transaction, or raise LeaseLost."""
        if self.row().select_for_update().values_list("pk").first() is None:
            raise LeaseLost(self.conversation)


def free() -> Q:
    """The predicate of a conversation that nobody holds."""
    return Q(lease_until__isnull=True) | _run_out()


def claim(conversation: UUID, owner: str = OWNER) -> Lease | None:
    """Take the lease, or None when somebody else has it. One conditional update decides; the epoch grows with every
    claim, so that an earlier holder is fenced out."""
    row = Conversation.objects.filter(pk=conversation)
    taken: dict[str, Any] = {"lease_owner": owner, "lease_until": clock.now() + TERM, "epoch": F("epoch") + 1}
    fresh = row.filter(lease_until__isnull=True).update(**taken)
    if not fresh and not row.filter(_run_out()).update(**taken):
        return None
    return Lease(conversation, owner, row.values_list("epoch", flat=True).get(), inherited=not fresh)


def _run_out() -> Q:
    return Q(lease_until__lt=clock.sql_now())


def renew(lease: Lease) -> bool:
    """Hold on for another term; False when the lease is lost."""
    return bool(lease.row().update(lease_until=clock.now() + TERM))


def release(lease: Lease) -> None:
    """Give the lease back; harmless when it is lost already."""
    lease.row().update(lease_until=None, lease_owner="")


def end_all() -> int:
    """End every lease now, for a start that knows of no other living process. Whoever claims next inherits."""
    held = Conversation.objects.filter(lease_until__isnull=False)
    return held.update(lease_until=clock.now() - TERM)


@asynccontextmanager
async def heartbeat(lease: Lease) -> AsyncIterator[None]:
    """Renew the lease three times a term while the block runs."""
    beating = asyncio.create_task(_beat(lease))
    try:
        yield
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating


async def _beat(lease: Lease) -> None:
    while True:
        await asyncio.sleep(TERM.total_seconds() / 3)
        try:
            held = await in_thread(renew)(lease)
        except DatabaseError:
            log.warning("the lease of %s could not be renewed; the next beat tries again", lease.conversation)
            continue
        if not held:
            return
