"""Cached SQL statements for the rows of the hot path: what every turn reads and writes.

Measured with the ORM: two thirds of a turn's processor time went into building the same two dozen statements each time,
and a tenth into running them. Here each statement is built once, from the model's fields, so that a new column is part
of it. Code that is not part of every turn uses the ORM.

The functions take `where`, values by field name that must be equal, and `suffix`, SQL that is appended to the
statement, such as an order or a further condition. A suffix must be a constant: it is not escaped.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar
from uuid import UUID

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    AutoField,
    BinaryField,
    BooleanField,
    CharField,
    DateTimeField,
    Field,
    FloatField,
    IntegerField,
    JSONField,
    Model,
    TextField,
    UUIDField,
)
from django.db.models.base import ModelState

from dialogue.models.statements import (
    Afterwards,
    Statement,
    change,
    execute,
    execute_all,
    one_transaction,
    send_changes,
    sent_together,
    this_database,
)

__all__ = [
    "Increment",
    "NewKeys",
    "Query",
    "delete",
    "exists",
    "fetch",
    "fetch_after",
    "fetch_all",
    "fetch_with_expression",
    "for_update",
    "insert",
    "one_transaction",
    "plain_key",
    "send_changes",
    "sent_together",
    "update",
    "update_later",
]

Row = TypeVar("Row", bound=Model)
Converter = Callable[[Any, Any, BaseDatabaseWrapper], Any]
NativeTypes = frozenset[type]


@dataclass(frozen=True)
class Column:
    """A field's column for one database vendor.

    Values of `native_types` are passed to the driver as they are; with `is_json_text`, dicts and lists as JSON text.
    """

    field: "Field[Any, Any]"
    name: str
    native_types: NativeTypes
    is_json_text: bool

    def prepare(self, value: Any, database: BaseDatabaseWrapper) -> Any:
        if type(value) in self.native_types:
            return value
        if self.is_json_text and type(value) in (dict, list):
            return json.dumps(value)
        return self.field.get_db_prep_save(value, database)


@dataclass(frozen=True)
class Table:
    """A model's columns for one database vendor, and the converters of the values that it returns."""

    name: str
    columns: tuple[Column, ...]
    names: tuple[str, ...]
    written_columns: tuple[Column, ...]
    converters: tuple[tuple[int, Converter, Any], ...]

    def convert_row(self, values: Sequence[Any], database: BaseDatabaseWrapper) -> list[Any]:
        """Convert a row of the database to the values that the model takes."""
        converted = list(values)
        for position, convert, column in self.converters:
            converted[position] = convert(converted[position], column, database)
        return converted


def insert(rows: Sequence[Model], *, returning_keys: bool = False) -> None:
    """Insert new rows of one model. With `returning_keys`, each row gets the primary key that the database gave it.

    Without, or where all rows have keys already (see `NewKeys`), a block of `sent_together` may send the statements
    later.
    """
    if not rows:
        return
    model = type(rows[0])
    database = this_database()
    table = _table_of(model, database.vendor)
    has_keys = all(row.pk is not None for row in rows)
    returning_keys = returning_keys and not has_keys
    statement = _insert_sql(model, database.vendor, has_keys=has_keys, returning_keys=returning_keys)
    columns = table.columns if has_keys else table.written_columns
    for row in rows:
        values = [column.prepare(getattr(row, column.name), database) for column in columns]
        if returning_keys:
            row.pk = execute(statement, values, database).fetchone()[0]
        else:
            change(Statement(statement, values))
        # As `Model.save` leaves a row, so that a later `save` updates it.
        row._state.adding, row._state.db = False, database.alias


def update(model: type[Model], where: Mapping[str, Any], changes: Mapping[str, Any], suffix: str = "") -> int:
    """Update the rows that match `where`, and return their number. A value `Increment(by)` adds to the stored one."""
    statement = _update_statement(model, where, changes, suffix)
    count: int = execute(statement.sql, statement.values, this_database()).rowcount
    return count


def update_later(
    model: type[Model],
    where: Mapping[str, Any],
    changes: Mapping[str, Any],
    suffix: str = "",
    missed: Exception | None = None,
) -> None:
    """Update the rows that match `where`, at once or, in a block of `sent_together`, perhaps at its end.

    Raises `missed` then if no row matched.
    """
    change(_update_statement(model, where, changes, suffix, missed))


def _update_statement(
    model: type[Model],
    where: Mapping[str, Any],
    changes: Mapping[str, Any],
    suffix: str,
    missed: Exception | None = None,
) -> Statement:
    database = this_database()
    sql = _update_sql(model, database.vendor, tuple(where), tuple(changes), _incremented_names(changes))
    # By position, not as one mapping: a field may stand in both, such as a state that is compared and changed.
    fields = (*changes.items(), *where.items())
    values = [_prepare_value(model, name, _plain_value(value), database) for name, value in fields]
    return Statement(f"{sql} {suffix}", values, missed)


def delete(model: type[Model], where: Mapping[str, Any], suffix: str = "", suffix_values: Sequence[Any] = ()) -> None:
    """Delete the rows that match `where`. Rows that refer to them are not deleted: no cascade runs here.

    `suffix_values` are the parameters of the suffix.
    """
    database = this_database()
    statement = _delete_sql(model, database.vendor, tuple(where))
    where_values = [_prepare_value(model, name, value, database) for name, value in where.items()]
    change(Statement(f"{statement} {suffix}", [*where_values, *suffix_values]))


@dataclass(frozen=True)
class Increment:
    """In an update: add `by` to the stored value."""

    by: int = 1


@dataclass(frozen=True)
class NewKeys:
    """Primary keys for `count` rows of `model` that are about to be inserted, read with a row of a `Query`.

    Rows that have their keys need no answer when they are inserted, also where others refer to them. SQLite runs in
    this process, where an answer costs nothing: it gives no keys here, but with the insertion.
    """

    model: type[Model]
    count: int = 1


@dataclass(frozen=True)
class Query:
    """A read: the rows of `model` that match `where`, each with the value of an SQL `expression`, then lists of `keys`.

    `suffix_values` are the parameters of the suffix, as the driver takes them (see `plain_key`).
    """

    model: type[Model]
    where: Mapping[str, Any]
    suffix: str = ""
    suffix_values: Sequence[Any] = ()
    expression: str = "NULL"
    keys: Sequence[NewKeys] = ()


def fetch(model: type[Row], where: Mapping[str, Any], suffix: str = "") -> list[Row]:
    """Return the rows that match `where`."""
    return [row for row, _nothing in fetch_with_expression(model, where, suffix)]


def fetch_with_expression(
    model: type[Row], where: Mapping[str, Any], suffix: str = "", expression: str = "NULL"
) -> list[tuple[Row, Any]]:
    """Return the rows that match `where`, each with the value of an SQL expression, such as the database's time."""
    database = this_database()
    query = Query(model, where, suffix, expression=expression)
    statement = _select_statement(query, database)
    return _rows_of(query, execute(statement.sql, statement.values, database).fetchall(), database)


def fetch_all(queries: Sequence[Query]) -> list[list[tuple[Any, ...]]]:
    """Return for each query its rows, each with what `Query` says. PostgreSQL is asked once for all."""
    database = this_database()
    return _rows_of_all(queries, execute_all([_select_statement(query, database) for query in queries], database))


def fetch_after(ending: Afterwards, queries: Sequence[Query]) -> Callable[[], list[list[tuple[Any, ...]]]]:
    """Let the block of `one_transaction` that gave `ending` read these queries once it has committed.

    Call the result after the block: it returns what `fetch_all` does.
    """
    database = this_database()
    ending.ask([_select_statement(query, database) for query in queries])
    return lambda: _rows_of_all(queries, ending.cursors())


def _rows_of_all(queries: Sequence[Query], cursors: Sequence[Any]) -> list[list[tuple[Any, ...]]]:
    database = this_database()
    return [_rows_of(query, cursor.fetchall(), database) for query, cursor in zip(queries, cursors, strict=True)]


def plain_key(model: type[Model], key: Any) -> Any:
    """Return the primary key as the driver takes it, for `suffix_values`."""
    return _prepare_value(model, _key_field(model).name, key, this_database())


def _select_statement(query: Query, database: BaseDatabaseWrapper) -> Statement:
    keys = query.keys if database.vendor == "postgresql" else ()
    key_models = tuple(each.model for each in keys)
    sql = _select_sql(query.model, database.vendor, tuple(query.where), query.expression, key_models)
    values = [_prepare_value(query.model, name, value, database) for name, value in query.where.items()]
    return Statement(f"{sql} {query.suffix}", [*(each.count for each in keys), *values, *query.suffix_values])


def _rows_of(query: Query, found: Iterable[Sequence[Any]], database: BaseDatabaseWrapper) -> list[tuple[Any, ...]]:
    table = _table_of(query.model, database.vendor)
    end = len(table.columns)
    no_keys: list[list[int]] = [] if database.vendor == "postgresql" else [[] for _ in query.keys]
    return [(_stored_row(query.model, table, row[:end], database), *row[end:], *no_keys) for row in found]


def _stored_row(model: type[Row], table: Table, values: Sequence[Any], database: BaseDatabaseWrapper) -> Row:
    """Return the row as `Model.from_db` does, but set all its columns at once, without `pre_init` and `post_init`."""
    row = model.__new__(model)
    row._state = ModelState()
    row._state.adding, row._state.db = False, database.alias
    vars(row).update(zip(table.names, table.convert_row(values, database), strict=True))
    return row


def exists(model: type[Model], where: Mapping[str, Any], suffix: str = "", *, excluding: Any = None) -> bool:
    """Whether a row matches `where`, other than the one with the primary key `excluding`."""
    database = this_database()
    statement = _exists_sql(model, database.vendor, tuple(where), excludes_key=excluding is not None)
    values = [_prepare_value(model, name, value, database) for name, value in where.items()]
    excluded = [] if excluding is None else [_prepare_value(model, _key_field(model).name, excluding, database)]
    return execute(f"{statement} {suffix}", [*values, *excluded], database).fetchone() is not None


def for_update() -> str:
    """The suffix that locks the rows that are read; "" on SQLite, which has one writer anyway."""
    return "FOR UPDATE" if connection.features.has_select_for_update else ""


def _plain_value(value: Any) -> Any:
    match value:
        case Increment(by):
            return by
        case Model():
            return value.pk
        case _:
            return value


def _incremented_names(changes: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name, value in changes.items() if isinstance(value, Increment))


def _prepare_value(model: type[Model], name: str, value: Any, database: BaseDatabaseWrapper) -> Any:
    return _column_named(model, name, database.vendor).prepare(value, database)


@lru_cache(maxsize=256)
def _column_named(model: type[Model], name: str, vendor: str) -> Column:
    return _column_of(model._meta.get_field(name), vendor)  # type: ignore[arg-type]


def _column_of(field: "Field[Any, Any]", vendor: str) -> Column:
    is_json_text = isinstance(field, JSONField) and field.encoder is None
    return Column(field, field.attname, frozenset({type(None), *_native_types(field, vendor)}), is_json_text)


def _native_types(field: "Field[Any, Any]", vendor: str) -> NativeTypes:
    """The types whose values need no conversion: the driver, or `exchange`, sends them as the column takes them."""
    match getattr(field, "target_field", field):
        case CharField() | TextField():
            return frozenset({str})
        case IntegerField():
            return frozenset({int})
        case FloatField():
            return frozenset({float})
        case BooleanField():
            return frozenset({bool})
        case UUIDField() if vendor == "postgresql":
            return frozenset({UUID})
        case DateTimeField() if vendor == "postgresql":
            return frozenset({datetime})
        case BinaryField():
            return frozenset({bytes})
        case _:
            return frozenset()


def _key_field(model: type[Model]) -> "Field[Any, Any]":
    return model._meta.pk


@lru_cache(maxsize=64)
def _table_of(model: type[Model], vendor: str) -> Table:
    columns = tuple(_column_of(field, vendor) for field in model._meta.concrete_fields)
    # The database gives the value of an AutoField.
    written = tuple(column for column in columns if not isinstance(column.field, AutoField))
    names = tuple(column.name for column in columns)
    converters = tuple(_column_converters(columns))
    return Table(connection.ops.quote_name(model._meta.db_table), columns, names, written, converters)


def _column_converters(columns: Iterable[Column]) -> Iterable[tuple[int, Converter, Any]]:
    for position, column in enumerate(columns):
        expression = column.field.get_col(column.field.model._meta.db_table)
        for convert in (*connection.ops.get_db_converters(expression), *expression.get_db_converters(connection)):
            is_json = isinstance(column.field, JSONField)
            yield position, _read_empty_json_or(convert) if is_json else convert, expression


def _read_empty_json_or(convert: Converter) -> Converter:
    """Return a converter that decodes only JSON which is not empty: most columns of a row are."""

    def read_json(value: Any, column: Any, database: BaseDatabaseWrapper) -> Any:
        new_empty = _EMPTY_JSON.get(value)
        return new_empty() if new_empty else convert(value, column, database)

    return read_json


_EMPTY_JSON: Mapping[Any, Callable[[], Any]] = {"{}": dict, "[]": list}


@lru_cache(maxsize=64)
def _insert_sql(model: type[Model], vendor: str, *, has_keys: bool, returning_keys: bool) -> str:
    table = _table_of(model, vendor)
    written = table.columns if has_keys else table.written_columns
    placeholders = ", ".join(["%s"] * len(written))
    returning = f" RETURNING {_quote_column(model._meta.pk)}" if returning_keys else ""
    columns = ", ".join(_quote_column(column.field) for column in written)
    return f"INSERT INTO {table.name} ({columns}) VALUES ({placeholders}){returning}"


@lru_cache(maxsize=256)
def _update_sql(
    model: type[Model], vendor: str, where: tuple[str, ...], names: tuple[str, ...], incremented: frozenset[str]
) -> str:
    table = _table_of(model, vendor)
    changes = ", ".join(_assignment_sql(model, name, is_incremented=name in incremented) for name in names)
    return f"UPDATE {table.name} SET {changes} WHERE {_where_sql(model, where)}"


def _assignment_sql(model: type[Model], name: str, *, is_incremented: bool) -> str:
    column = _quote_field(model, name)
    return f"{column} = {column} + %s" if is_incremented else f"{column} = %s"


@lru_cache(maxsize=64)
def _select_sql(
    model: type[Model], vendor: str, where: tuple[str, ...], expression: str, key_models: tuple[type[Model], ...]
) -> str:
    table = _table_of(model, vendor)
    columns = [_quote_column(column.field) for column in table.columns]
    selected = ", ".join([*columns, expression, *(_new_keys_sql(each, vendor) for each in key_models)])
    return f"SELECT {selected} FROM {table.name} WHERE {_where_sql(model, where)}"


def _new_keys_sql(model: type[Model], vendor: str) -> str:
    table = _table_of(model, vendor).name
    sequence = f"pg_get_serial_sequence('{table}', '{_key_field(model).column}')"
    return f"ARRAY(SELECT nextval({sequence}) FROM generate_series(1, %s::integer))"


@lru_cache(maxsize=64)
def _exists_sql(model: type[Model], vendor: str, where: tuple[str, ...], *, excludes_key: bool) -> str:
    exclusion = f" AND {_quote_column(_key_field(model))} <> %s" if excludes_key else ""
    return f"SELECT 1 FROM {_table_of(model, vendor).name} WHERE {_where_sql(model, where)}{exclusion}"


@lru_cache(maxsize=64)
def _delete_sql(model: type[Model], vendor: str, where: tuple[str, ...]) -> str:
    return f"DELETE FROM {_table_of(model, vendor).name} WHERE {_where_sql(model, where)}"


def _where_sql(model: type[Model], names: Iterable[str]) -> str:
    return " AND ".join(f"{_quote_field(model, name)} = %s" for name in names) or "1 = 1"


def _quote_field(model: type[Model], name: str) -> str:
    return _quote_column(model._meta.get_field(name))


def _quote_column(field: Any) -> str:
    return connection.ops.quote_name(field.column)
