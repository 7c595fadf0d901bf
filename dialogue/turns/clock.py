"""The clock of the product: the database's in service, a frozen one that is moved by hand in scenarios and tests."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connection
from django.db.models import DateTimeField, Expression, Model, Value
from django.db.models.functions import Now

from dialogue.models import hot_path

TOLERANCE = timedelta(milliseconds=250)
"""How far a host's clock may differ from the database's."""

_TIME = "clock_timestamp()"

_ahead = timedelta(0)

Row = TypeVar("Row", bound=Model)


class ClockSkewed(Exception):
    """This host's clock is too far from the database's; the message says how far, and in which direction."""


class FrozenClock:
    """A clock that stands still until `advance` moves it."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def advance(self, by: timedelta) -> None:
        self.at += by


_frozen: ContextVar[FrozenClock | None] = ContextVar("frozen_clock", default=None)
_glance: ContextVar[list[datetime] | None] = ContextVar("glance", default=None)


def now() -> datetime:
    """Return the time by which deadlines are judged, in UTC.

    SQLite uses the clock of its process. PostgreSQL is asked, because the clocks of hosts differ.
    """
    clock, cache = _frozen.get(), _glance.get()
    if clock is not None:
        return clock.at
    if cache is None:
        return _read_database_time()
    if not cache:
        cache.append(_read_database_time())
    return cache[0]


class ReadWithTime(NamedTuple, Generic[Row]):
    """Rows, the time when they were read, the rows of further queries, and the new keys in the order of `keys`."""

    rows: list[Row]
    at: datetime
    others: list[list[Any]]
    keys: Sequence[list[int]]


def fetch_with_time(model: type[Row], where: Mapping[str, Any], suffix: str = "") -> tuple[list[Row], datetime]:
    """Return the rows of `hot_path.fetch`, and the time when they were read, with one statement."""
    found = fetch_all_with_time(model, where, suffix)
    return found.rows, found.at


def fetch_all_with_time(
    model: type[Row],
    where: Mapping[str, Any],
    suffix: str,
    *others: hot_path.Query,
    keys: Sequence[hot_path.NewKeys] = (),
) -> ReadWithTime[Row]:
    """Return the rows of `hot_path.fetch`, the time when they were read, and the rows of further queries.

    With a row come new `keys`. PostgreSQL is asked once for all of it.
    """
    is_own_clock = _frozen.get() is not None or _glance.get() is not None or connection.vendor == "sqlite"
    first = hot_path.Query(model, where, suffix, expression="NULL" if is_own_clock else _TIME, keys=keys)
    before = datetime.now(UTC)
    found, *other_rows = hot_path.fetch_all([first, *others])
    after = datetime.now(UTC)
    new_keys: Sequence[list[int]] = found[-1][2:] if found else [[] for _ in keys]
    if is_own_clock or not found:
        at = now()
    else:
        at = found[-1][1]
        _compare_clocks(at, before, after)
    return ReadWithTime([row for row, *_ in found], at, [[row for row, *_ in rows] for rows in other_rows], new_keys)


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
    """Store how far this host's clock is ahead, at least: the database answered between `before` and `after`.

    An answer that took longer than the tolerance and lies between them tells nothing about the clocks.
    """
    global _ahead  # noqa: PLW0603 - a process has one host
    if at < before:
        _ahead = before - at
    elif at > after:
        _ahead = after - at
    elif after - before < TOLERANCE:
        _ahead = timedelta(0)


def measured_skew() -> timedelta:
    """Return how far this host's clock was ahead of the database's at the last reading; 0 with SQLite."""
    return _ahead


def is_skewed() -> bool:
    """Whether the clocks differ by more than `TOLERANCE`; such a host takes no leases."""
    return abs(_ahead) > TOLERANCE


def skew_sentence() -> str:
    """Return a sentence for logs and people that says why this host runs no turns."""
    seconds = _ahead.total_seconds()
    direction = "ahead of" if seconds > 0 else "behind"
    return f"the clock of this host is {abs(seconds):.1f} s {direction} the database's; it runs no turns until then"


def refuse_skew() -> None:
    """Compare the clocks before a worker starts. Raises ClockSkewed, and DatabaseError when the database is away."""
    if connection.vendor == "sqlite":
        return
    _read_database_time()
    if is_skewed():
        raise ClockSkewed(skew_sentence())


def sql_now() -> Expression:
    """Return the time of `now` as an expression, for conditions that the statement itself must judge."""
    clock = _frozen.get()
    if clock is not None:
        return Value(clock.at, output_field=DateTimeField())
    return Now()


@contextmanager
def cached_now() -> Iterator[None]:
    """Read the clock once for the whole block, such as the building of a page; `sql_now` still uses the real time."""
    token = _glance.set([])
    try:
        yield
    finally:
        _glance.reset(token)


@contextmanager
def frozen(at: datetime) -> Iterator[FrozenClock]:
    """Freeze the clock at `at` for this context, and for the tasks and threads that it starts."""
    clock = FrozenClock(at)
    token = _frozen.set(clock)
    try:
        yield clock
    finally:
        _frozen.reset(token)
