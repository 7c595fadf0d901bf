"""How statements of the hot path reach the database: one by one, or several together.

Measured with PostgreSQL and 32 turns in flight: a statement that is awaited alone costs two switches between threads
and two between processes, which together take longer than the statement. `exchange` sends several at once, and
`one_transaction` sends BEGIN with the first of them and COMMIT with the last. SQLite runs in this process, so there
statements are executed one by one, in the same order.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from threading import local
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper


@dataclass(frozen=True)
class Statement:
    """SQL with Django's placeholders. `missed` is raised if a change finds no row."""

    sql: str
    values: Sequence[Any]
    missed: Exception | None = None


_COMMIT = Statement("COMMIT", ())
_IDLE = 0
"""The status of a connection without an open transaction: `PQTRANS_IDLE` of libpq."""


class _Queue(local):
    """The changes of this thread's open transaction that are not sent yet; None outside of `sent_together`."""

    statements: list[Statement] | None = None


_queue = _Queue()


def this_database() -> BaseDatabaseWrapper:
    """This thread's connection. `django.db.connection` would look it up at every access of an attribute."""
    return connections[DEFAULT_DB_ALIAS]


class Afterwards:
    """Reads for after a transaction. Where its COMMIT is sent with its changes, they are sent with it, behind it."""

    def __init__(self) -> None:
        self.statements: Sequence[Statement] = ()
        self._cursors: list[Any] | None = None

    def ask(self, statements: Sequence[Statement]) -> None:
        """Read with these statements once the transaction has ended."""
        self.statements = statements

    def answer(self, cursors: list[Any]) -> None:
        """Take the cursors of the statements."""
        self._cursors = cursors

    def cursors(self) -> list[Any]:
        """Return the cursors of the statements, to be read once in order. Call it after the transaction's block."""
        if self._cursors is None:
            self._cursors = execute_all(self.statements, this_database())
        return self._cursors


@contextmanager
def one_transaction() -> Iterator[Afterwards]:
    """A transaction, or a savepoint within one, whose changes are `sent_together`; if possible with its COMMIT."""
    is_outermost = not this_database().in_atomic_block
    afterwards = Afterwards()
    with transaction.atomic(), sent_together():
        yield afterwards
        if is_outermost:
            _send_with_commit(this_database(), afterwards)


@contextmanager
def sent_together() -> Iterator[None]:
    """Send this block's changes with the next statement whose answer is needed, or at the end of the block.

    For a block within a transaction. With an error the changes that were not sent are dropped: the transaction is
    rolled back. The database's errors, and `missed` of a change, may come later than the change itself.
    """
    database = this_database()
    if not _has_pipeline(database) or _queue.statements is not None:
        yield
        return
    queue = _queue.statements = []
    database.execute_wrappers.append(_send_queue_first)
    try:
        yield
        _send_queue(database)
    finally:
        queue.clear()
        _queue.statements = None
        database.execute_wrappers.remove(_send_queue_first)


def send_changes() -> None:
    """Send this block's changes now: for code that would take their errors for errors of its own statement."""
    if _queue.statements:
        _send_queue(this_database())


def change(statement: Statement) -> None:
    """Execute the statement, or queue it in a block of `sent_together`."""
    database = this_database()
    if _queue.statements is not None and not _is_observed(database):
        _queue.statements.append(statement)
        return
    cursor = execute(statement.sql, statement.values, database)
    _check_found(statement, cursor)


def execute(sql: str, values: Sequence[Any], database: BaseDatabaseWrapper) -> Any:
    """Execute the statement through the driver, and return its answer, a cursor or like one.

    Where queries are logged or wrapped, through Django's cursor: it converts the placeholders each time, and for
    PostgreSQL puts the values into the text, which is then parsed and planned as a new statement.
    """
    if _has_pipeline(database):
        return _send_queue(database, Statement(sql, values))[0]
    _get_ready(database)
    if _is_observed(database):
        cursor = database.cursor()
        cursor.execute(sql, values)
        return cursor
    with database.wrap_database_errors:
        return database.connection.execute(_with_sqlite_placeholders(sql), values)


def execute_all(statements: Sequence[Statement], database: BaseDatabaseWrapper) -> list[Any]:
    """Execute the statements in this order, together if possible. Return their cursors, to be read once in order."""
    if _has_pipeline(database):
        return _send_queue(database, *statements)
    return [_ReadCursor(execute(statement.sql, statement.values, database)) for statement in statements]


class _ReadCursor:
    """The rows of a cursor: on SQLite the next statement may be executed on the same connection."""

    def __init__(self, cursor: Any) -> None:
        self._rows = cursor.fetchall()

    def fetchall(self) -> list[Any]:
        return list(self._rows)


def _send_queue(database: BaseDatabaseWrapper, *further: Statement) -> list[Any]:
    """Send the queued changes and the further statements together. Return the cursors of the further ones."""
    queued = _queue.statements or []
    statements = [*queued, *further]
    queued.clear()
    if not statements:
        return []
    from dialogue.models.exchange import exchange  # it needs psycopg, which SQLite does not

    _get_ready(database)
    with database.wrap_database_errors:
        if _begins_transaction(database):
            # Psycopg would begin it with the next statement of the ORM, which is too late.
            database.connection.autocommit = True
            statements.insert(0, _begin_statement(database.connection))
        answers: list[Any] = exchange(database.connection, [(each.sql, each.values) for each in statements])
    for statement, answer in zip(statements, answers, strict=True):
        _check_found(statement, answer)
    return answers[len(statements) - len(further) :]


def _send_with_commit(database: BaseDatabaseWrapper, afterwards: Afterwards) -> None:
    """Send the queued changes with COMMIT, so that Django finds nothing left to commit, and the reads behind it.

    Not where a change may find no row, which is known only afterwards: then Django sends COMMIT.
    """
    queued = _queue.statements
    if queued and all(statement.missed is None for statement in queued):
        _committed, *cursors = _send_queue(database, _COMMIT, *afterwards.statements)
        afterwards.answer(cursors)


def _begins_transaction(database: BaseDatabaseWrapper) -> bool:
    """Whether the next statement is the first of a transaction."""
    return bool(database.in_atomic_block and database.connection.pgconn.transaction_status == _IDLE)


def _begin_statement(driver: Any) -> Statement:
    """Return the statement that begins a transaction as the connection's settings say."""
    words = ["BEGIN"]
    if driver.isolation_level is not None:
        words.append(f"ISOLATION LEVEL {driver.isolation_level.name.replace('_', ' ')}")
    if driver.read_only is not None:
        words.append("READ ONLY" if driver.read_only else "READ WRITE")
    if driver.deferrable is not None:
        words.append("DEFERRABLE" if driver.deferrable else "NOT DEFERRABLE")
    return Statement(" ".join(words), ())


def _send_queue_first(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    """Send what is queued before a statement of the ORM, which may read it."""
    if _queue.statements:
        _send_queue(context["connection"])
    return execute(sql, params, many, context)


def _check_found(statement: Statement, cursor: Any) -> None:
    if statement.missed is not None and not cursor.rowcount:
        raise statement.missed


def _has_pipeline(database: BaseDatabaseWrapper) -> bool:
    return database.vendor == "postgresql" and not _is_observed(database)


def _is_observed(database: BaseDatabaseWrapper) -> bool:
    """Whether queries are logged, or wrapped by other code."""
    return database.queries_logged or any(wrapper is not _send_queue_first for wrapper in database.execute_wrappers)


def _get_ready(database: BaseDatabaseWrapper) -> None:
    database.close_if_health_check_failed()
    database.ensure_connection()
    database.validate_no_broken_transaction()


@lru_cache(maxsize=256)
def _with_sqlite_placeholders(sql: str) -> str:
    return sql.replace("%s", "?")
