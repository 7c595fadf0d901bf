"""Rows of the hot path, read and written by statements that are made once.

Measured: of a turn's processor time two thirds went into building the same two dozen statements anew, and a tenth into
running them. These are made from the models' fields, so that a new column is in them by itself. Everything that is not
part of every turn goes through the ORM's usual doors.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import AutoField, CharField, Field, Model, TextField

Row = TypeVar("Row", bound=Model)
Convert = Callable[[Any], Any]


@dataclass(frozen=True)
class Table:
    """A model's columns for one kind of database: how values go in, and how they come out."""

    name: str
    fields: tuple["Field[Any, Any]", ...]
    made: tuple["Field[Any, Any]", ...]
    converters: tuple[tuple[int, Convert], ...]

    def read(self, values: Sequence[Any]) -> list[Any]:
        """A row's values as the model takes them."""
        given = list(values)
        for place, convert in self.converters:
            given[place] = convert(given[place])
        return given


def insert(rows: Sequence[Model], *, keys: bool = False) -> None:
    """Store new rows of one model; with `keys` each learns the key that the database gave it."""
    if not rows:
        return
    model = type(rows[0])
    here = _here()
    table, statement = _table(model, here.vendor), _insertion(model, here.vendor, keys=keys)
    with _cursor(here) as cursor:
        for row in rows:
            cursor.execute(statement, [_stored(field, getattr(row, field.attname), here) for field in table.made])
            if keys:
                row.pk = cursor.fetchone()[0]
            row._state.adding, row._state.db = False, here.alias


def update(model: type[Model], where: Mapping[str, Any], changes: Mapping[str, Any], more: str = "") -> int:
    """Change the rows whose fields are equal to those of `where`; how many there were. `more` is the statement's end.

    A value `Raised(by)` adds to what stands there.
    """
    here = _here()
    statement = _update(model, here.vendor, tuple(where), tuple(changes), _raises(changes))
    given = [_plain(each) for each in (*changes.values(), *where.values())]
    names = (*changes, *where)
    values = [_prepared(model, name, value, here) for name, value in zip(names, given, strict=True)]
    with _cursor(here) as cursor:
        cursor.execute(f"{statement} {more}", values)
        count: int = cursor.rowcount
    return count


def delete(model: type[Model], where: Mapping[str, Any], more: str = "", values: Sequence[Any] = ()) -> None:
    """Delete the rows whose fields are equal to those of `where`, and nothing that belongs to them; `more` is the
    statement's end, and `values` are its own."""
    here = _here()
    statement = _deletion(model, here.vendor, tuple(where))
    given = [_prepared(model, name, value, here) for name, value in where.items()]
    with _cursor(here) as cursor:
        cursor.execute(f"{statement} {more}", [*given, *values])


@dataclass(frozen=True)
class Raised:
    """Not a value, but what is added to the one that stands there."""

    by: int = 1


def fetch(model: type[Row], where: Mapping[str, Any], more: str = "") -> list[Row]:
    """The rows whose fields are equal to those of `where`; `more` is the statement's end, such as an order."""
    return [row for row, _nothing in fetch_with(model, where, more)]


def fetch_with(
    model: type[Row], where: Mapping[str, Any], more: str = "", beside: str = "NULL"
) -> list[tuple[Row, Any]]:
    """The same rows, each with the value of one more expression that the database works out."""
    here = _here()
    table = _table(model, here.vendor)
    statement = f"{_selection(model, here.vendor, tuple(where), beside)} {more}"
    with _cursor(here) as cursor:
        cursor.execute(statement, [_prepared(model, name, value, here) for name, value in where.items()])
        found = cursor.fetchall()
    names = [field.attname for field in table.fields]
    return [(model.from_db(here.alias, names, table.read(values)), beside) for *values, beside in found]


def exists(model: type[Model], where: Mapping[str, Any], more: str = "", *, other_than: Any = None) -> bool:
    """Whether there is such a row, other than the one with this key; `more` is the statement's end."""
    here = _here()
    statement = _search(model, here.vendor, tuple(where), other=other_than is not None)
    values = [_prepared(model, name, value, here) for name, value in where.items()]
    others = [] if other_than is None else [_stored(_key(model), other_than, here)]
    with _cursor(here) as cursor:
        cursor.execute(f"{statement} {more}", [*values, *others])
        return cursor.fetchone() is not None


def locking() -> str:
    """The end of a statement that locks what it reads, where rows can be locked."""
    return "FOR UPDATE" if connection.features.has_select_for_update else ""


def _plain(value: Any) -> Any:
    match value:
        case Raised(by):
            return by
        case Model():
            return value.pk
        case _:
            return value


def _raises(changes: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name, value in changes.items() if isinstance(value, Raised))


@lru_cache(maxsize=256)
def _field(model: type[Model], name: str) -> "Field[Any, Any]":
    found: Field[Any, Any] = model._meta.get_field(name)  # type: ignore[assignment]
    return found


def _prepared(model: type[Model], name: str, value: Any, here: BaseDatabaseWrapper) -> Any:
    return _stored(_field(model, name), value, here)


def _stored(field: "Field[Any, Any]", value: Any, here: BaseDatabaseWrapper) -> Any:
    as_it_is = value is None or (type(value) is str and isinstance(field, (CharField, TextField)))
    return value if as_it_is else field.get_db_prep_save(value, here)


def _here() -> BaseDatabaseWrapper:
    """This thread's connection itself: `connection` looks it up anew at every word."""
    return connections[DEFAULT_DB_ALIAS]


def _cursor(here: BaseDatabaseWrapper) -> Any:
    """A cursor that gives PostgreSQL the values beside a statement, which is then parsed and planned once a connection.

    Django's own writes them into its text, so that each is a new one.
    """
    if here.vendor != "postgresql":
        return here.cursor()
    from psycopg import Cursor

    here.ensure_connection()
    cursor: Any = Cursor(here.connection)
    return here.make_debug_cursor(cursor) if here.queries_logged else here.make_cursor(cursor)


def _key(model: type[Model]) -> "Field[Any, Any]":
    return model._meta.pk


@lru_cache(maxsize=64)
def _table(model: type[Model], vendor: str) -> Table:
    fields = tuple(model._meta.concrete_fields)
    made = tuple(field for field in fields if not isinstance(field, AutoField))
    return Table(connection.ops.quote_name(model._meta.db_table), fields, made, tuple(_converters(fields)))


def _converters(fields: Iterable["Field[Any, Any]"]) -> Iterable[tuple[int, Convert]]:
    for place, field in enumerate(fields):
        column = field.get_col(field.model._meta.db_table)
        for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection)):
            yield place, _bound(convert, column)


def _bound(convert: Any, column: Any) -> Convert:
    return lambda value: convert(value, column, connection)


@lru_cache(maxsize=64)
def _insertion(model: type[Model], vendor: str, *, keys: bool) -> str:
    table = _table(model, vendor)
    places = ", ".join(["%s"] * len(table.made))
    end = f" RETURNING {_quoted(model._meta.pk)}" if keys else ""
    return f"INSERT INTO {table.name} ({', '.join(map(_quoted, table.made))}) VALUES ({places}){end}"


@lru_cache(maxsize=256)
def _update(
    model: type[Model], vendor: str, where: tuple[str, ...], names: tuple[str, ...], raised: frozenset[str]
) -> str:
    table = _table(model, vendor)
    changes = ", ".join(_change(model, name, raised=name in raised) for name in names)
    return f"UPDATE {table.name} SET {changes} WHERE {_where(model, where)}"


def _change(model: type[Model], name: str, *, raised: bool) -> str:
    column = _column(model, name)
    return f"{column} = {column} + %s" if raised else f"{column} = %s"


@lru_cache(maxsize=64)
def _selection(model: type[Model], vendor: str, where: tuple[str, ...], beside: str) -> str:
    table = _table(model, vendor)
    columns = ", ".join(map(_quoted, table.fields))
    return f"SELECT {columns}, {beside} FROM {table.name} WHERE {_where(model, where)}"


@lru_cache(maxsize=64)
def _search(model: type[Model], vendor: str, where: tuple[str, ...], *, other: bool) -> str:
    excepted = f" AND {_quoted(_key(model))} <> %s" if other else ""
    return f"SELECT 1 FROM {_table(model, vendor).name} WHERE {_where(model, where)}{excepted}"


@lru_cache(maxsize=64)
def _deletion(model: type[Model], vendor: str, where: tuple[str, ...]) -> str:
    return f"DELETE FROM {_table(model, vendor).name} WHERE {_where(model, where)}"


def _where(model: type[Model], names: Iterable[str]) -> str:
    return " AND ".join(f"{_column(model, name)} = %s" for name in names)


def _column(model: type[Model], name: str) -> str:
    return _quoted(_field(model, name))


def _quoted(field: Any) -> str:
    return connection.ops.quote_name(field.column)
