"""Group commit for SQLite: the writes of several conversations that are ready at the same moment share one commit.

SQLite has one writer, and every commit waits for the disk. While the writer's thread commits, further writes gather;
then they run one after the other in one transaction, each in a savepoint of its own, so that one that fails undoes only
its own changes. Their callers go on after the commit. A write that comes alone waits for nothing.

PostgreSQL shares the wait for the disk itself, among the transactions of its connections, so there each write has its
own.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import monotonic
from typing import Any, ParamSpec, TypeVar

from django.db import DatabaseError, connection, transaction

from dialogue.turns.process import database, writes
from dialogue.turns.process.crash_points import crash_point

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

log = logging.getLogger(__name__)

MAX_WRITES_IN_COMMIT = 32
"""How many writes share a commit at most."""

MAX_GATHERING_SECONDS = 0.025
"""No write is added to a shared transaction that has been open for so long: the first one waits for its commit."""

ALONE_SECONDS = 5.0
"""After a shared commit that failed, each write has a commit of its own for so long: one of them may be the cause."""


class SharedCommitFailed(DatabaseError):
    """A commit that several conversations shared has failed, so nothing of this one is stored."""


@dataclass
class Write:
    """A write that waits for the database's thread."""

    work: Callable[[], Any]
    may_repeat: bool
    future: "Future[Any]" = field(default_factory=Future)
    has_run: bool = False
    result: Any = None
    error: BaseException | None = None

    def run(self) -> None:
        """Run the work in the open transaction, or in its own."""
        self.has_run = True
        try:
            self.result, self.error = self.work(), None
        except BaseException as error:
            self.error = error
            if isinstance(error, writes.FAILURES):
                writes.remember_failure()

    def answer(self) -> None:
        """Let the caller go on."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class SharedCommits:
    """The writes that wait, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[Write] = deque()
        self._changing = Lock()
        self._alone_until = 0.0

    def add(self, write: Write) -> None:
        """Let the database's thread run the write after the work that it has already."""
        with self._changing:
            self._waiting.append(write)
        # One call for each write. A call whose write was taken along by an earlier one finds nothing, and costs little.
        database.submit_write(self._run_waiting)

    def _run_waiting(self) -> None:
        first = self._take()
        if first is None:
            return
        second = self._take() if monotonic() >= self._alone_until else None
        if second is None:
            first.run()
            first.answer()
        else:
            self._run_together([first, second])

    def _take(self) -> Write | None:
        """Take the first write that waits and whose caller still waits for it."""
        with self._changing:
            while self._waiting:
                write = self._waiting.popleft()
                if write.future.set_running_or_notify_cancel():
                    return write
        return None

    def _run_together(self, shared: list[Write]) -> None:
        """Run these writes, and those that come meanwhile, in one transaction."""
        committed: list[bool] = []
        try:
            with transaction.atomic():
                transaction.on_commit(lambda: committed.append(True))
                self._run_in_savepoints(shared)
                crash_point("G1")
            crash_point("G2")
        except Exception as error:
            if not committed:
                self._run_alone(shared, error)
                return
            log.exception("what follows the commit of %s writes has failed", len(shared))
        for write in shared:
            write.answer()

    def _run_in_savepoints(self, shared: list[Write]) -> None:
        """Run the writes and add to `shared` those that wait. Raises DatabaseError if the transaction is broken."""
        ends_at = monotonic() + MAX_GATHERING_SECONDS
        for write in shared:  # it grows
            write.run()
            if transaction.get_rollback():
                raise SharedCommitFailed("the transaction is broken") from write.error
            if len(shared) < MAX_WRITES_IN_COMMIT and monotonic() < ends_at and (more := self._take()):
                shared.append(more)

    def _run_alone(self, shared: list[Write], error: Exception) -> None:
        """Give each write its own commit after the shared one has failed; those that ran and cannot repeat fail.

        A turn that fails runs again, from what is stored, and may fail three times. One that has not run yet, because
        the shared transaction did not begin or broke before it, loses none of these attempts.
        """
        if isinstance(error, writes.FAILURES):
            writes.remember_failure()
        log.warning("a commit of %s writes failed, each is now tried alone: %s", len(shared), error)
        self._alone_until = monotonic() + ALONE_SECONDS
        for write in shared:
            if write.may_repeat or not write.has_run:
                write.run()
            elif write.error is None or isinstance(write.error, transaction.TransactionManagementError):
                write.error = SharedCommitFailed(str(error))
            write.answer()


_commits = SharedCommits()


def in_shared_commit(
    work: Callable[Arguments, Result], *, may_repeat: bool = False
) -> Callable[Arguments, Coroutine[Any, Any, Result]]:
    """`work` as a coroutine function that runs it in the database's thread, if possible with a shared commit.

    It returns after the commit. `work` makes all its changes in one `transaction.atomic` of its own. `may_repeat`: it
    may run again after it was rolled back; otherwise it raises SharedCommitFailed then.
    """
    if connection.vendor != "sqlite":
        return database.in_thread(work)

    async def in_shared_commit_(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        write = Write(partial(copy_context().run, work, *args, **kwargs), may_repeat)
        _commits.add(write)
        result: Result = await asyncio.wrap_future(write.future)
        return result

    return in_shared_commit_
