"""The one clock: the database's in service, frozen and moved by hand in scenarios and tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.models import DateTimeField, Expression, Value
from django.db.models.functions import Now


class FrozenClock:
    """A clock that stands still until somebody advances it."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def advance(self, by: timedelta) -> None:
        self.at += by


_frozen: ContextVar[FrozenClock | None] = ContextVar("frozen_clock", default=None)
_glance: ContextVar[list[datetime] | None] = ContextVar("glance", default=None)


def now() -> datetime:
    """The time by which deadlines are judged, with its zone (UTC).

    SQLite has no clock but its process's; PostgreSQL is asked, because hosts disagree.
    """
    clock, read = _frozen.get(), _glance.get()
    if clock is not None:
        return clock.at
    if read is None:
        return _read()
    if not read:
        read.append(_read())
    return read[0]


def _read() -> datetime:
    if connection.vendor == "sqlite":
        return datetime.now(UTC)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        at: datetime = cursor.fetchone()[0]
        return at


def sql_now() -> Expression:
    """The same time as an expression, for predicates that must be judged inside the statement."""
    clock = _frozen.get()
    if clock is not None:
        return Value(clock.at, output_field=DateTimeField())
    return Now()


@contextmanager
def glance() -> Iterator[None]:
    """Read the clock once for everything that a page shows; predicates inside of statements go on as ever."""
    token = _glance.set([])
    try:
        yield
    finally:
        _glance.reset(token)


@contextmanager
def frozen(at: datetime) -> Iterator[FrozenClock]:
    """Stop the clock at `at`, for this context and the tasks and threads that it starts."""
    clock = FrozenClock(at)
    token = _frozen.set(clock)
    try:
        yield clock
    finally:
        _frozen.reset(token)
