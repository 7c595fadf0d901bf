"""Triggers of the database: installed by a migration, and again after every `migrate`.

SQLite drops the triggers of a table when a migration rebuilds that table. It also refuses to rename a table that a
trigger names: a migration that alters such a table has to remove the triggers first (`Triggers.remove`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation


@dataclass(frozen=True)
class Triggers:
    """Triggers that belong together. `installation` and `removal` give the statements for a database's vendor.

    `subject` says what they serve. They are installed once all of `tables` exist.
    """

    subject: str
    tables: frozenset[str]
    installation: Callable[[str], Sequence[str]]
    removal: Callable[[str], Sequence[str]]

    def install(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        """Create the triggers, in the place of earlier ones."""
        for statement in self.installation(schema_editor.connection.vendor):
            schema_editor.execute(statement, params=None)

    def remove(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        """Drop the triggers."""
        for statement in self.removal(schema_editor.connection.vendor):
            schema_editor.execute(statement, params=None)

    def install_after_migrate(self, using: str, plan: Any = None, **_: Any) -> None:
        """Install the triggers after `migrate` has changed something, once their tables exist."""
        connection = connections[using]
        if not plan or not self.tables <= set(connection.introspection.table_names()):
            return
        with transaction.atomic(using), connection.cursor() as cursor:
            for statement in self.installation(connection.vendor):
                cursor.execute(statement)


class InstallTriggers(Operation):
    """A migration's operation that installs triggers; backwards it removes them."""

    reversible = True
    triggers: Triggers

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Triggers are not part of the models' state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any = None, to_state: Any = None
    ) -> None:
        self.triggers.install(schema_editor)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any = None, to_state: Any = None
    ) -> None:
        self.triggers.remove(schema_editor)

    def describe(self) -> str:
        return f"Install the triggers of {self.triggers.subject}"
