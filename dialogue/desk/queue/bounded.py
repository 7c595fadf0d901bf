"""Count and page queries with bounded cost: each reads a limited number of rows, however large the table is.

Django allows no LIMIT inside compound statements on SQLite, so these are put together from the SQL of its queries.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Expression, IntegerField, QuerySet, Value
from django.db.models.expressions import RawSQL

MAX_COUNT = 100
"""Counting stops at this number; pages show it as "99+"."""

MAX_SCANNED_ROWS = 2_000
"""Rows of each part that one page scans for conditions without an index; the next page continues after them."""

Rows = QuerySet[Any]


def bounded_counts(parts_by_name: Mapping[str, Sequence[Rows]]) -> dict[str, int]:
    """Return the number of rows of each entry's parts, at most `MAX_COUNT` each, in one query.

    The parts of one entry must not share rows.
    """
    statements = [_count_sql(rows) for rows in parts_by_name.values()]
    sql = ", ".join(statement for statement, _values in statements)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql}", [value for _each, values in statements for value in values])
        counts = cursor.fetchone()
    return {name: min(int(count), MAX_COUNT) for name, count in zip(parts_by_name, counts, strict=True)}


def bounded_count(parts: Iterable[Rows], limit: int) -> Expression:
    """Return the number of rows in any of `parts`, at most `limit`, as an expression of another query."""
    sql, values = _compound_sql((part.order_by().values_list("pk")[:limit] for part in parts), "UNION")
    if not sql:
        return Value(0)
    counted = f"SELECT COUNT(*) FROM (SELECT * FROM ({sql}) AS listed LIMIT {limit}) AS counted"
    return RawSQL(counted, values, output_field=IntegerField())


def first_keys(parts: Iterable[Rows], order: Sequence[str], count: int) -> list[Any]:
    """Return the keys of the first `count` rows of all parts together in this order, in one query."""
    names = [column.removeprefix("-") for column in order]
    queries = [part.order_by(*order).values_list("pk", *names)[:count] for part in parts]
    return [row[0] for row in _merge_parts(queries, order, 2, count)]


def scan_end(parts: Sequence[Rows], order: Sequence[str], count: int) -> list[Any] | None:
    """Return the sort keys up to which `count` rows of each part reach in all parts; None if they reach the end."""
    names = [column.removeprefix("-") for column in order]
    queries = [part.order_by(*order).values_list(*names)[count - 1 : count] for part in parts]
    rows = _merge_parts(queries, order, 1, 1)
    return [_python_value(parts[0], name, key) for name, key in zip(names, rows[0], strict=True)] if rows else None


def _merge_parts(parts: Iterable[Rows], order: Sequence[str], first_column: int, count: int) -> list[tuple[Any, ...]]:
    """Return the first rows of all parts, without repetition; the sort columns begin at `first_column`."""
    sql, values = _compound_sql(parts, "UNION")
    if not sql:
        return []
    sorting = ", ".join(f"{first_column + at} {_sql_direction(column)}" for at, column in enumerate(order))
    with connection.cursor() as cursor:
        cursor.execute(f"{sql} ORDER BY {sorting} LIMIT {count}", values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _sql_direction(column: str) -> str:
    return "DESC" if column.startswith("-") else "ASC"


def _python_value(rows: Rows, name: str, value: Any) -> Any:
    """Convert a raw value as Django would: each database stores dates and keys in its own way."""
    column: Any = rows.model._meta.get_field(name)
    column = column.get_col(rows.model._meta.db_table)
    for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection)):
        value = convert(value, column, connection)
    return value


def _count_sql(parts: Iterable[Rows]) -> tuple[str, list[Any]]:
    sql, values = _compound_sql((part.order_by().values_list("pk")[:MAX_COUNT] for part in parts), "UNION ALL")
    return (f"(SELECT COUNT(*) FROM ({sql}) AS counted)" if sql else "0"), values


def _compound_sql(parts: Iterable[Rows], word: str) -> tuple[str, list[Any]]:
    """Return one compound statement for the rows of all parts, and its parameters."""
    compiled = [statement for part in parts if (statement := _compile_part(part))]
    sql = f" {word} ".join(f"SELECT * FROM ({statement}) AS part" for statement, _values in compiled)
    return sql, [value for _each, values in compiled for value in values]


def _compile_part(part: Rows) -> tuple[str, tuple[Any, ...]] | None:
    try:
        sql, values = part.query.sql_with_params()
    except EmptyResultSet:  # a condition that no row meets, such as an empty list of groups
        return None
    return sql, tuple(values)
