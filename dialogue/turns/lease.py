"""One runner a conversation: a lease with a fencing number, its epoch, that is renewed while a turn runs."""

import logging
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import Context, copy_context
from dataclasses import dataclass
from datetime import timedelta
from threading import Event, Lock, Thread
from typing import Any
from uuid import UUID, uuid4

from django.db import DatabaseError, close_old_connections, connections
from django.db.models import F, Q, QuerySet

from dialogue.models import Conversation, hot_path
from dialogue.turns import clock

log = logging.getLogger(__name__)

_told_skew_at = -60.0

TERM = timedelta(seconds=10)
"""How long a lease holds without a renewal, which is also how long a conversation waits after its runner has died."""

OWNER = f"{socket.gethostname()}:{os.getpid()}:{uuid4().hex[:8]}"
"""The name under which this process takes leases."""


class LeaseLost(Exception):
    """Another runner has this conversation now; this turn must not write anything."""


@dataclass(frozen=True)
class Lease:
    """The right to run one conversation's turns while its epoch is the epoch of the conversation's row.

    `inherited`: the previous owner did not give it back. Its process died, and the next event may be the cause.
    """

    conversation: UUID
    owner: str
    epoch: int
    inherited: bool = False

    @property
    def columns(self) -> dict[str, Any]:
        """The values of the conversation's row while the lease holds, as a filter: `{id, epoch, lease_owner}`."""
        return {"id": self.conversation, "epoch": self.epoch, "lease_owner": self.owner}

    def row(self) -> QuerySet[Conversation]:
        """Return the conversation's row as a query set, which is empty when the lease was lost."""
        return Conversation.objects.filter(**self.columns)

    def check(self) -> None:
        """Lock the conversation's row for the open transaction. Raises LeaseLost."""
        if not hot_path.exists(Conversation, self.columns, hot_path.for_update()):
            raise LeaseLost(self.conversation)


def is_free() -> Q:
    """Return the condition of a conversation without a lease, or with one that has run out."""
    return Q(lease_until__isnull=True) | _run_out()


def claim(conversation: UUID, owner: str = OWNER) -> Lease | None:
    """Take the lease; None when another runner has it, or when this host's clock is wrong.

    One conditional update decides. Every claim raises the epoch, so writes of an earlier owner no longer match.
    """
    row = Conversation.objects.filter(pk=conversation)
    until = clock.now() + TERM
    if clock.is_skewed():
        _tell_skew()
        return None
    changes: dict[str, Any] = {"lease_owner": owner, "lease_until": until, "epoch": F("epoch") + 1}
    # Two statements, because only the second tells that the owner before did not give the lease back.
    claimed = row.filter(lease_until__isnull=True).update(**changes)
    if not claimed and not row.filter(_run_out()).update(**changes):
        return None
    return Lease(conversation, owner, row.values_list("epoch", flat=True).get(), inherited=not claimed)


def _tell_skew() -> None:
    """Log, at most once a minute, why this host takes no leases."""
    global _told_skew_at  # noqa: PLW0603 - a process has one clock
    if time.monotonic() - _told_skew_at > 60:
        _told_skew_at = time.monotonic()
        log.error("no lease is taken: %s", clock.skew_sentence())


def _run_out() -> Q:
    return Q(lease_until__lt=clock.sql_now())


def renew(lease: Lease) -> bool:
    """Keep the lease for another term; False when it is lost."""
    return bool(lease.row().update(lease_until=clock.now() + TERM))


def release(lease: Lease) -> None:
    """Give the lease back. Does nothing when it is lost already."""
    lease.row().update(lease_until=None, lease_owner="")


def end_all() -> int:
    """End every lease now, for the start of the only process; return how many. Their next claims are `inherited`."""
    leased = Conversation.objects.filter(lease_until__isnull=False)
    return leased.update(lease_until=clock.now() - TERM)


def end_leases_of(owners: Sequence[str]) -> int:
    """End the leases of processes that have died; return how many. Their next claims are `inherited`."""
    return Conversation.objects.filter(lease_owner__in=owners, lease_until__isnull=False).update(
        lease_until=clock.now() - TERM
    )


class Heartbeat:
    """Renews every lease that this process has held for longer than a third of a term, in its own thread.

    Most turns end sooner, and renewing the leases of a hundred waiting turns would slow each of them. A busy loop (it
    compiles a large flow, a library computes) does not stop the thread; a frozen process does, and then other processes
    may take its conversations.
    """

    def __init__(self) -> None:
        self._held: dict[Lease, Context] = {}
        self._changing = Lock()
        self._beating: Thread | None = None

    @contextmanager
    def keeping(self, lease: Lease) -> Iterator[None]:
        """Renew the lease while the block runs; the first renewal comes within two thirds of its term."""
        with self._changing:
            self._held[lease] = copy_context()  # it holds the clock of the block, which tests freeze
            if self._beating is None or not self._beating.is_alive():
                self._beating = Thread(target=self._renew_all, name="heart", daemon=True)
                self._beating.start()
        try:
            yield
        finally:
            with self._changing:
                self._held.pop(lease, None)

    def _renew_all(self) -> None:
        before: set[Lease] = set()
        while self._wait_for_lease():
            leases = self._held.copy()
            for lease in before & leases.keys():
                leases[lease].copy().run(_renew_or_log, lease)
            before = set(leases)
        with suppress(DatabaseError):
            connections.close_all()

    def _wait_for_lease(self) -> bool:
        """Wait for a third of a term; False when the process holds no lease after it."""
        seconds = TERM.total_seconds() / 3
        # A project's test library may replace `time.sleep`, and the thread must outlive that.
        try:
            time.sleep(seconds)
        except Exception:
            log.exception("the thread that renews leases could not sleep")
            Event().wait(seconds)
        with self._changing:
            if not self._held:
                self._beating = None
            return bool(self._held)


def _renew_or_log(lease: Lease) -> None:
    """Renew one lease. A lost lease is noticed by the next write of its turn; no error may end the thread."""
    try:
        close_old_connections()
        renew(lease)
    except DatabaseError:
        log.warning("the lease of %s could not be renewed; the next beat tries again", lease.conversation)
    except Exception:
        log.exception("the lease of %s could not be renewed; the next beat tries again", lease.conversation)


heartbeat = Heartbeat()
"""The heartbeat of this process."""
