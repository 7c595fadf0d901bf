"""One exchange with PostgreSQL: send several statements at once, then read all their answers.

This is libpq's pipeline mode. psycopg's cursors use it too, but they write to the socket and look for answers after
each statement. Measured with twelve statements of seven values: 80 microseconds of processor a statement through
cursors, 30 here; and each look gives other threads of the process their turn.

Values are sent as text without a type: PostgreSQL reads each as the type that its place has, and one plan of a
statement serves all values.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from psycopg import Connection, DataError, adapt, errors
from psycopg.abc import PQGen, Transformer
from psycopg.generators import fetch_many, send
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

MAX_PLANS = 200
"""How many statements a connection keeps planned; further ones are planned at each execution."""

Values = list[bytes | None]


class Answer:
    """The answer to one statement: its rows, and how many rows it returned or changed."""

    __slots__ = ("_rows", "rowcount")

    def __init__(self, rows: list[tuple[Any, ...]], rowcount: int) -> None:
        self._rows = rows
        self.rowcount = rowcount

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        return self._rows[0] if self._rows else None


class _Plans:
    """The names of the statements that a connection has planned, and how often it has executed the others."""

    def __init__(self) -> None:
        self.names: dict[str, bytes] = {}
        self._uses: Counter[str] = Counter()
        self._last_name = 0

    def new_name(self, sql: str, threshold: int | None) -> bytes | None:
        """Count a use of a statement without a plan. Return the name of its plan if it is worth one now."""
        if threshold is None or len(self.names) >= MAX_PLANS:
            return None
        self._uses[sql] += 1
        if self._uses[sql] <= threshold:
            return None
        self._last_name += 1
        return b"soni_%d" % self._last_name

    def forget(self) -> None:
        self.names.clear()
        self._uses.clear()


_plans: WeakKeyDictionary[Connection[Any], _Plans] = WeakKeyDictionary()


def exchange(connection: Connection[Any], statements: Sequence[tuple[str, Sequence[Any]]]) -> list[Answer]:
    """Execute the statements, SQL with `%s` for each value, in this order. Return their answers.

    A statement that the connection has executed more often than its `prepare_threshold` is planned once.

    Raises the psycopg error of the first statement that fails; the database has executed none behind it then.
    """
    transformer = adapt.Transformer(connection)
    encoded = [(sql, *_encode_all(values, transformer)) for sql, values in statements]
    plans = _plans.setdefault(connection, _Plans())
    pgconn = connection.pgconn
    pgconn.enter_pipeline_mode()
    try:
        sent = [new_plan for each in encoded for new_plan in _send(connection, plans, *each)]
        pgconn.pipeline_sync()
        results = connection.wait(_fetch(connection, len(sent)))
        pgconn.exit_pipeline_mode()
    except BaseException:
        connection.close()  # an answer that was not fetched would be taken for that to the next statement
        raise
    for new_plan, result in zip(sent, results, strict=True):
        if new_plan is not None and result.status != ExecStatus.COMMAND_OK:
            plans.names.pop(new_plan, None)
    _raise_first_error(connection, plans, results)
    return [_answer(result, transformer) for new_plan, result in zip(sent, results, strict=True) if new_plan is None]


def _send(
    connection: Connection[Any], plans: _Plans, sql: str, values: Values, formats: list[int] | None
) -> Iterator[str | None]:
    """Send a statement, and before it its plan if it gets one. Yield for each result the statement of the plan or None.

    psycopg's connections do not block: libpq keeps what the socket does not take.
    """
    pgconn = connection.pgconn
    name = plans.names.get(sql)
    if name is None and (name := plans.new_name(sql, connection.prepare_threshold)):
        plans.names[sql] = name
        pgconn.send_prepare(name, _numbered(sql))
        yield sql
    if name is None:
        pgconn.send_query_params(_numbered(sql), values, None, formats)
    else:
        pgconn.send_query_prepared(name, values, formats)
    yield None


def _fetch(connection: Connection[Any], count: int) -> PQGen[list[PGresult]]:
    """Send what libpq still holds, and fetch so many results and the end of the pipeline."""
    yield from send(connection.pgconn)
    results = []
    for _ in range(count):
        results += yield from fetch_many(connection.pgconn)
    yield from fetch_many(connection.pgconn)
    return results


def _raise_first_error(connection: Connection[Any], plans: _Plans, results: Sequence[PGresult]) -> None:
    failed = next((result for result in results if result.status == ExecStatus.FATAL_ERROR), None)
    if failed is None:
        return
    error = errors.error_from_result(failed, connection.info.encoding)
    if isinstance(error, (errors.FeatureNotSupported, errors.InvalidSqlStatementName)):
        plans.forget()  # a column got another type, or a pooler or other code has dropped the plans
    raise error


def _answer(result: PGresult, transformer: Transformer) -> Answer:
    rows: list[tuple[Any, ...]] = []
    if result.ntuples:
        transformer.set_pgresult(result)
        rows = transformer.load_rows(0, result.ntuples, tuple)
    return Answer(rows, result.command_tuples or 0)


def _encode_all(values: Sequence[Any], transformer: Transformer) -> tuple[Values, list[int] | None]:
    """Return the values as they are sent, and their formats; None for the formats if all are text."""
    encoded: Values = []
    for value in values:
        encode = _ENCODERS.get(type(value))
        encoded.append(encode(value) if encode else _encode_other(value, transformer))
    if bytes not in map(type, values):
        return encoded, None
    return encoded, [Format.BINARY if type(value) is bytes else Format.TEXT for value in values]


def _encode_other(value: Any, transformer: Transformer) -> bytes | None:
    """Encode a value of a type that is not in the table, such as a member of an enumeration, as psycopg does."""
    if isinstance(value, str):
        return _encode_text(value)
    dumped = transformer.get_dumper(value, adapt.PyFormat.TEXT).dump(value)
    return None if dumped is None else bytes(dumped)


def _encode_text(value: str) -> bytes:
    # libpq takes a NUL for the end of the text and would store what is before it.
    if "\0" in value:
        raise DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes")
    return value.encode()


_ENCODERS: dict[type, Callable[[Any], bytes | None]] = {
    type(None): lambda _nothing: None,
    str: _encode_text,
    bytes: bytes,
    int: lambda number: b"%d" % number,
    float: lambda number: repr(number).encode(),
    bool: lambda yes: b"t" if yes else b"f",
    UUID: lambda key: key.hex.encode(),
    datetime: lambda moment: moment.isoformat().encode(),
}


@lru_cache(maxsize=500)
def _numbered(sql: str) -> bytes:
    """Return the statement with `$1`, `$2`, … in place of each `%s`."""
    first, *others = sql.split("%s")
    return "".join([first, *(f"${number}{part}" for number, part in enumerate(others, start=1))]).encode()
