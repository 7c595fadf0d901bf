"""The one clock: the database's in service, frozen and moved by hand in scenarios and tests."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from django.db import connection
from django.db.models import DateTimeField, Expression, Model, Value
from django.db.models.functions import Now

from dialogue.models import hot_path

TOLERANCE = timedelta(milliseconds=250)
"""How far a host's clock may be from the database's."""

_TIME = "clock_timestamp()"

_ahead = timedelta(0)

Row = TypeVar("Row", bound=Model)


class ClockSkewed(Exception):
    """This host's clock is too far from the database's; the message says how far, and in which direction."""


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
    clock, cache = _frozen.get(), _glance.get()
    if clock is not None:
        return clock.at
    if cache is None:
        return _read_database_time()
    if not cache:
        cache.append(_read_database_time())
    return cache[0]


def fetch_with_time(model: type[Row], where: Mapping[str, Any], more: str = "") -> tuple[list[Row], datetime]:
    """Rows as `hot_path.fetch` gives them, and the time when they were read, in one question to the database."""
    if _frozen.get() is not None or _glance.get() is not None or connection.vendor == "sqlite":
        return hot_path.fetch(model, where, more), now()
    before = datetime.now(UTC)
    rows = hot_path.fetch_with_expression(model, where, more, _TIME)
    if not rows:
        return [], _read_database_time()
    at: datetime = rows[-1][1]
    _compare_clocks(at, before, datetime.now(UTC))
    return [row for row, _at in rows], at


def _read_database_time() -> datetime:
    if connection.vendor == "sqlite":
        return datetime.now(UTC)
    with connection.cursor() as cursor:
        before = datetime.now(UTC)
        cursor.execute(f"SELECT {_TIME}")
        at: datetime = cursor.fetchone()[0]
        _compare_clocks(at, before, datetime.now(UTC))
        return at


def _compare_clocks(at: datetime, before: datetime, after: datetime) -> None:
    """Note how far this host's clock is ahead, at least: the database answered between `before` and `after`.

    An answer that took long and lies between them says nothing.
    """
    global _ahead  # noqa: PLW0603 - a process has one host
    if at < before:
        _ahead = before - at
    elif at > after:
        _ahead = after - at
    elif after - before < TOLERANCE:
        _ahead = timedelta(0)


def measured_skew() -> timedelta:
    """How far this host's clock was ahead of the database's when that was last read; 0 with SQLite."""
    return _ahead


def is_skewed() -> bool:
    """Whether the two differ by more than is tolerated: such a host takes no leases."""
    return abs(_ahead) > TOLERANCE


def skew_sentence() -> str:
    """Why this host does nothing, for logs and people."""
    seconds = _ahead.total_seconds()
    direction = "ahead of" if seconds > 0 else "behind"
    return f"the clock of this host is {abs(seconds):.1f} s {direction} the database's; it runs no turns until then"


def refuse_skew() -> None:
    """Compare the clocks for a start. Raises ClockSkewed; a database that is away is for others to complain about."""
    if connection.vendor == "sqlite":
        return
    _read_database_time()
    if is_skewed():
        raise ClockSkewed(skew_sentence())


def sql_now() -> Expression:
    """The same time as an expression, for predicates that must be judged inside the statement."""
    clock = _frozen.get()
    if clock is not None:
        return Value(clock.at, output_field=DateTimeField())
    return Now()


@contextmanager
def cached_now() -> Iterator[None]:
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
