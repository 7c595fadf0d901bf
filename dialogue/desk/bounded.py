"""Questions to big tables that cost the same however many rows there are: each looks at a bounded number of them.

Django offers no limits inside of compound statements on SQLite, so that these are put together from its SQL.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

MOST_COUNTED = 100
"""Where counting ends: what is shown of so many is "99+"."""

Rows = QuerySet[Any]


def counts(wanted: Mapping[str, Sequence[Rows]]) -> dict[str, int]:
    """How many rows each entry's parts have together, at most `MOST_COUNTED`, in one query.

    The parts of one entry share no row.
    """
    asked = [_count(rows) for rows in wanted.values()]
    sql = ", ".join(each for each, _values in asked)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {sql}", [value for _each, values in asked for value in values])
        found = cursor.fetchone()
    return {name: min(int(count), MOST_COUNTED) for name, count in zip(wanted, found, strict=True)}


def first_keys(parts: Iterable[Rows], order: Sequence[str], count: int) -> list[Any]:
    """The keys of the first `count` rows of each part in this order, in one query; the first of all are among them."""
    sql, values = _together(part.order_by(*order)[:count] for part in parts)
    if not sql:
        return []
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return [row[0] for row in cursor.fetchall()]


def _count(parts: Iterable[Rows]) -> tuple[str, list[Any]]:
    sql, values = _together(part.order_by()[:MOST_COUNTED] for part in parts)
    return (f"(SELECT COUNT(*) FROM ({sql}) AS counted)" if sql else "0"), values


def _together(parts: Iterable[Rows]) -> tuple[str, list[Any]]:
    """One statement that gives the keys of all parts, and its values."""
    compiled = [each for part in parts if (each := _compiled(part))]
    sql = " UNION ALL ".join(f"SELECT * FROM ({each}) AS part" for each, _values in compiled)
    return sql, [value for _each, values in compiled for value in values]


def _compiled(part: Rows) -> tuple[str, tuple[Any, ...]] | None:
    try:
        sql, values = part.values_list("pk", flat=True).query.sql_with_params()
    except EmptyResultSet:  # what can never hold, such as one of no groups
        return None
    return sql, tuple(values)
