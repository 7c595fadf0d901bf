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
from django.db.models import AutoField, BooleanField, CharField, Field, IntegerField, Model, TextField

Row = TypeVar("Row", bound=Model)
Convert = Callable[[Any, Any, BaseDatabaseWrapper], Any]
Taken = frozenset[type]


@dataclass(frozen=True)
class Column:
    """A field's column for one kind of database. Values of the types in `taken` go in as they are."""

    field: "Field[Any, Any]"
    name: str
    taken: Taken

    def stored(self, value: Any, here: BaseDatabaseWrapper) -> Any:
        return value if type(value) in self.taken else self.field.get_db_prep_save(value, here)


@dataclass(frozen=True)
class Table:
    """A model's columns for one kind of database: how values go in, and how they come out."""

    name: str
    columns: tuple[Column, ...]
    made: tuple[Column, ...]
    converters: tuple[tuple[int, Convert, Any], ...]

    def read(self, values: Sequence[Any], here: BaseDatabaseWrapper) -> list[Any]:
        """A row's values as the model takes them."""
        given = list(values)
        for place, convert, column in self.converters:
            given[place] = convert(given[place], column, here)
        return given


def insert(rows: Sequence[Model], *, keys: bool = False) -> None:
    """Store new rows of one model; with `keys` each learns the key that the database gave it."""
    if not rows:
        return
    model = type(rows[0])
    here = _here()
    table, statement = _table(model, here.vendor), _insertion(model, here.vendor, keys=keys)
    for row in rows:
        done = _run(statement, [each.stored(getattr(row, each.name), here) for each in table.made], here)
        if keys:
            row.pk = done.fetchone()[0]
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
    count: int = _run(f"{statement} {more}", values, here).rowcount
    return count


def delete(model: type[Model], where: Mapping[str, Any], more: str = "", values: Sequence[Any] = ()) -> None:
    """Delete the rows whose fields are equal to those of `where`, and nothing that belongs to them; `more` is the
    statement's end, and `values` are its own."""
    here = _here()
    statement = _deletion(model, here.vendor, tuple(where))
    given = [_prepared(model, name, value, here) for name, value in where.items()]
    _run(f"{statement} {more}", [*given, *values], here)


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
    found = _run(statement, [_prepared(model, name, value, here) for name, value in where.items()], here).fetchall()
    names = [each.name for each in table.columns]
    return [(model.from_db(here.alias, names, table.read(values, here)), beside) for *values, beside in found]


def exists(model: type[Model], where: Mapping[str, Any], more: str = "", *, other_than: Any = None) -> bool:
    """Whether there is such a row, other than the one with this key; `more` is the statement's end."""
    here = _here()
    statement = _search(model, here.vendor, tuple(where), other=other_than is not None)
    values = [_prepared(model, name, value, here) for name, value in where.items()]
    others = [] if other_than is None else [_prepared(model, _key(model).name, other_than, here)]
    return _run(f"{statement} {more}", [*values, *others], here).fetchone() is not None


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


def _prepared(model: type[Model], name: str, value: Any, here: BaseDatabaseWrapper) -> Any:
    return _column_named(model, name, here.vendor).stored(value, here)


@lru_cache(maxsize=256)
def _column_named(model: type[Model], name: str, vendor: str) -> Column:
    return _column_of(model._meta.get_field(name), vendor)  # type: ignore[arg-type]


def _column_of(field: "Field[Any, Any]", vendor: str) -> Column:
    return Column(field, field.attname, frozenset({type(None), *_taken(field, vendor)}))


def _taken(field: "Field[Any, Any]", vendor: str) -> Taken:
    """The types of which the field would hand its database each value unchanged."""
    match getattr(field, "target_field", field):
        case CharField() | TextField():
            return frozenset({str})
        case IntegerField() if vendor == "sqlite":  # others are told how wide a number is
            return frozenset({int})
        case BooleanField():
            return frozenset({bool})
        case _:
            return frozenset()


def _here() -> BaseDatabaseWrapper:
    """This thread's connection itself: `connection` looks it up anew at every word."""
    return connections[DEFAULT_DB_ALIAS]


def _run(statement: str, values: Sequence[Any], here: BaseDatabaseWrapper) -> Any:
    """The driver's cursor after the statement. Django's own is asked where somebody listens to it.

    Django's looks for placeholders anew each time, and writes PostgreSQL the values into the text, which is then
    parsed and planned as a new one.
    """
    here.close_if_health_check_failed()
    here.ensure_connection()
    if here.queries_logged or here.execute_wrappers:
        cursor = here.cursor()
        cursor.execute(statement, values)
        return cursor
    here.validate_no_broken_transaction()
    with here.wrap_database_errors:
        return _driver(here).execute(_in_its_words(statement, here.vendor), values)


def _driver(here: BaseDatabaseWrapper) -> Any:
    if here.vendor != "postgresql":
        return here.connection
    from psycopg import Cursor

    return Cursor(here.connection)


@lru_cache(maxsize=256)
def _in_its_words(statement: str, vendor: str) -> str:
    return statement.replace("%s", "?") if vendor == "sqlite" else statement


def _key(model: type[Model]) -> "Field[Any, Any]":
    return model._meta.pk


@lru_cache(maxsize=64)
def _table(model: type[Model], vendor: str) -> Table:
    columns = tuple(_column_of(field, vendor) for field in model._meta.concrete_fields)
    made = tuple(each for each in columns if not isinstance(each.field, AutoField))
    return Table(connection.ops.quote_name(model._meta.db_table), columns, made, tuple(_converters(columns)))


def _converters(columns: Iterable[Column]) -> Iterable[tuple[int, Convert, Any]]:
    for place, each in enumerate(columns):
        column = each.field.get_col(each.field.model._meta.db_table)
        for convert in (*connection.ops.get_db_converters(column), *column.get_db_converters(connection)):
            yield place, convert, column


@lru_cache(maxsize=64)
def _insertion(model: type[Model], vendor: str, *, keys: bool) -> str:
    table = _table(model, vendor)
    places = ", ".join(["%s"] * len(table.made))
    end = f" RETURNING {_quoted(model._meta.pk)}" if keys else ""
    return f"INSERT INTO {table.name} ({', '.join(_quoted(each.field) for each in table.made)}) VALUES ({places}){end}"


@lru_cache(maxsize=256)
def _update(
    model: type[Model], vendor: str, where: tuple[str, ...], names: tuple[str, ...], raised: frozenset[str]
) -> str:
    table = _table(model, vendor)
    changes = ", ".join(_change(model, name, raised=name in raised) for name in names)
    return f"UPDATE {table.name} SET {changes} WHERE {_where(model, where)}"


def _change(model: type[Model], name: str, *, raised: bool) -> str:
    column = _quoted_named(model, name)
    return f"{column} = {column} + %s" if raised else f"{column} = %s"


@lru_cache(maxsize=64)
def _selection(model: type[Model], vendor: str, where: tuple[str, ...], beside: str) -> str:
    table = _table(model, vendor)
    columns = ", ".join(_quoted(each.field) for each in table.columns)
    return f"SELECT {columns}, {beside} FROM {table.name} WHERE {_where(model, where)}"


@lru_cache(maxsize=64)
def _search(model: type[Model], vendor: str, where: tuple[str, ...], *, other: bool) -> str:
    excepted = f" AND {_quoted(_key(model))} <> %s" if other else ""
    return f"SELECT 1 FROM {_table(model, vendor).name} WHERE {_where(model, where)}{excepted}"


@lru_cache(maxsize=64)
def _deletion(model: type[Model], vendor: str, where: tuple[str, ...]) -> str:
    return f"DELETE FROM {_table(model, vendor).name} WHERE {_where(model, where)}"


def _where(model: type[Model], names: Iterable[str]) -> str:
    return " AND ".join(f"{_quoted_named(model, name)} = %s" for name in names)


def _quoted_named(model: type[Model], name: str) -> str:
    return _quoted(model._meta.get_field(name))


def _quoted(field: Any) -> str:
    return connection.ops.quote_name(field.column)
