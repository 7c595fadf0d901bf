"""After a test that committed, the database is again as the migrations left it.

Django's own way, `flush`, leaves it empty, and makes the permissions anew each time, which is most of what it costs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction


@dataclass(frozen=True)
class Table:
    """One table, and the rows that migrations put into it."""

    name: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]

    def empty(self, cursor: Any) -> None:
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(self.name)}")

    def fill(self, cursor: Any) -> None:
        if self.rows:
            columns = ", ".join(connection.ops.quote_name(column) for column in self.columns)
            places = ", ".join(["%s"] * len(self.columns))
            into = f"INSERT INTO {connection.ops.quote_name(self.name)} ({columns}) VALUES ({places})"
            cursor.executemany(into, self.rows)


def read_tables() -> list[Table]:
    """Every table of the models, as it is now."""
    names = sorted(connection.introspection.django_table_names(only_existing=True, include_views=False))
    with connection.cursor() as cursor:
        return [_read(cursor, name) for name in names]


def _read(cursor: Any, name: str) -> Table:
    cursor.execute(f"SELECT * FROM {connection.ops.quote_name(name)}")
    return Table(name, tuple(column[0] for column in cursor.description), cursor.fetchall())


def restore(tables: Sequence[Table]) -> None:
    """Bring back what `read_tables` saw. Keys are checked at the end, so that the order of tables does not matter."""
    with transaction.atomic(), connection.cursor() as cursor:
        for table in tables:
            table.empty(cursor)
        for table in tables:
            table.fill(cursor)
