"""manage.py worker — runs turns, sweeps and the outbox of the scaled deployment; as many as wanted, on any machine."""

import signal
from collections.abc import Coroutine
from contextlib import suppress
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from dialogue.management.terminal import wait_for
from dialogue.turns import clock
from dialogue.turns.process import jobs, watchdog
from dialogue.turns.process.database import MigrationsWait, refuse_unmigrated


class Command(BaseCommand):
    help = "Run turns, sweeps and the outbox until told to end. Start as many as wanted, on any machine."

    def handle(self, *args: Any, **options: Any) -> None:
        if not jobs.have_workers():
            raise CommandError(
                "Workers need PostgreSQL and Redis: set DATABASE_URL and REDIS_URL. "
                "With SQLite, `manage.py up` runs everything in one process."
            )
        # In the background of a script SIGINT is ignored, and here it is what ends the work in order.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # A container's first process is spared by the signals that it does not handle, and would be killed in the end.
        signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
        with suppress(KeyboardInterrupt):
            self._refuse_to_start()
            self._work()

    @staticmethod
    def _refuse_to_start() -> None:
        try:
            refuse_unmigrated()
            clock.refuse_skew()
        except (MigrationsWait, clock.ClockSkewed) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"The database does not answer: {error}") from error

    def _work(self) -> None:
        from dialogue.management.worker import work  # the queue's library is there only when it is used

        self.stdout.write(self.style.SUCCESS("Waiting for work; Ctrl+C ends it."))
        self.stdout.flush()
        wait_for(_watched(work()))


async def _watched(work: Coroutine[Any, Any, None]) -> None:
    """Do `work` until SIGINT cancels it, which asyncio sees to; from then on the process has its time to end."""
    cancel: Any = signal.getsignal(signal.SIGINT)

    def end(number: int, frame: FrameType | None) -> None:
        watchdog.end_within()
        cancel(number, frame)

    signal.signal(signal.SIGINT, end)
    await work
