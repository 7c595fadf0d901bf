"""One runner per conversation: a lease with a fencing number, renewed while a turn runs."""

import logging
import os
import socket
import time
from collections.abc import Iterator
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

    @property
    def columns(self) -> dict[str, Any]:
        """What the conversation's row says while the lease is still ours."""
        return {"id": self.conversation, "epoch": self.epoch, "lease_owner": self.owner}

    def row(self) -> QuerySet[Conversation]:
        """The conversation's row; an empty set when the lease was lost."""
        return Conversation.objects.filter(**self.columns)

    def check(self) -> None:
        """Lock the row for the open transaction, or raise LeaseLost."""
        if not hot_path.exists(Conversation, self.columns, hot_path.for_update()):
            raise LeaseLost(self.conversation)


def is_free() -> Q:
    """The predicate of a conversation that nobody holds."""
    return Q(lease_until__isnull=True) | _run_out()


def claim(conversation: UUID, owner: str = OWNER) -> Lease | None:
    """Take the lease; None when somebody else has it, or when this host's clock is wrong.

    One conditional update decides; the epoch grows with every claim, so that an earlier holder is fenced out.
    """
    row = Conversation.objects.filter(pk=conversation)
    until = clock.now() + TERM
    if clock.is_skewed():
        _tell_skew()
        return None
    changes: dict[str, Any] = {"lease_owner": owner, "lease_until": until, "epoch": F("epoch") + 1}
    claimed = row.filter(lease_until__isnull=True).update(**changes)
    if not claimed and not row.filter(_run_out()).update(**changes):
        return None
    return Lease(conversation, owner, row.values_list("epoch", flat=True).get(), inherited=not claimed)


def _tell_skew() -> None:
    """Say why nothing is run here, once a minute."""
    global _told_skew_at  # noqa: PLW0603 - a process has one clock
    if time.monotonic() - _told_skew_at > 60:
        _told_skew_at = time.monotonic()
        log.error("no lease is taken: %s", clock.skew_sentence())


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
    leased = Conversation.objects.filter(lease_until__isnull=False)
    return leased.update(lease_until=clock.now() - TERM)


class Heartbeat:
    """Renews every lease that this process holds for longer than a third of a term, from a thread of its own.

    Most turns are over by then, and where a hundred wait for theirs, renewing all would take from each of them.
    A loop that is busy (a large flow is compiled, a library computes) cannot stop it; a process that stands still can,
    and then others may take its conversations.
    """

    def __init__(self) -> None:
        self._held: dict[Lease, Context] = {}
        self._changing = Lock()
        self._beating: Thread | None = None

    @contextmanager
    def keeping(self, lease: Lease) -> Iterator[None]:
        """Renew the lease while the block runs, for the first time after two thirds of its term at the latest."""
        with self._changing:
            self._held[lease] = copy_context()  # with the clock that the block goes by
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
        """A third of a term; False when nothing was held any more by then."""
        seconds = TERM.total_seconds() / 3
        # Sleeping fails under a test library that replaces the system's clock.
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
    """A lease that was lost is found out by the next write of its turn. Nothing may end the thread that renews them."""
    try:
        close_old_connections()
        renew(lease)
    except DatabaseError:
        log.warning("the lease of %s could not be renewed; the next beat tries again", lease.conversation)
    except Exception:
        log.exception("the lease of %s could not be renewed; the next beat tries again", lease.conversation)


heartbeat = Heartbeat()
"""The process's own."""
