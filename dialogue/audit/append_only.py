"""A migration operation that makes a table append-only, on SQLite and on PostgreSQL."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation

_TRIGGERS = {
    "sqlite": (
        "CREATE TRIGGER {table}_no_{event} BEFORE {event} ON {table} "
        "BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    ),
    "postgresql": (
        "CREATE TRIGGER {table}_no_{event} BEFORE {event} ON {table} FOR EACH STATEMENT EXECUTE FUNCTION append_only()"
    ),
}
_EVENTS = {"sqlite": ("UPDATE", "DELETE"), "postgresql": ("UPDATE", "DELETE", "TRUNCATE")}
_POSTGRES_FUNCTION = (
    "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
)


class AppendOnly(Operation):
    """Refuse UPDATE and DELETE of `table` with triggers, and TRUNCATE on PostgreSQL, for every database user."""

    reversible = True

    def __init__(self, table: str) -> None:
        self.table = table

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Triggers are not part of the models' state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any = None, to_state: Any = None
    ) -> None:
        vendor = schema_editor.connection.vendor
        if vendor == "postgresql":
            schema_editor.execute(_POSTGRES_FUNCTION, params=None)
        for event in _EVENTS[vendor]:
            schema_editor.execute(_TRIGGERS[vendor].format(table=self.table, event=event), params=None)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any = None, to_state: Any = None
    ) -> None:
        vendor = schema_editor.connection.vendor
        suffix = f" ON {self.table}" if vendor == "postgresql" else ""
        for event in _EVENTS[vendor]:
            schema_editor.execute(f"DROP TRIGGER {self.table}_no_{event}{suffix}", params=None)

    def describe(self) -> str:
        return f"Make {self.table} append-only"
