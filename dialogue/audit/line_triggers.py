"""A trigger that tells channels of lines: it raises `latest` of the conversation's thread when a line is written.

It does so in the transaction that writes the line, so that no code that writes one can forget to tell. What the
customer wrote is not told: channels have it. As with `event_triggers`, it is installed after every `migrate`, and a
migration that alters the table of threads has to remove it first.
"""

from typing import Any

from django.db import connections, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation

_NAME = "channel_line"
_TABLES = ("dialogue_channelthread", "dialogue_message")
_CONDITION = "NEW.role <> 'user'"
_UPDATE = "UPDATE dialogue_channelthread SET latest = NEW.seq WHERE conversation_id = NEW.conversation_id;"
_DROP = {
    "sqlite": f"DROP TRIGGER IF EXISTS {_NAME}",
    "postgresql": f"DROP TRIGGER IF EXISTS {_NAME} ON dialogue_message",
}
_INSTALLATION = {
    "sqlite": (
        _DROP["sqlite"],
        f"CREATE TRIGGER {_NAME} AFTER INSERT ON dialogue_message FOR EACH ROW WHEN {_CONDITION} BEGIN {_UPDATE} END",
    ),
    "postgresql": (
        f"CREATE OR REPLACE FUNCTION {_NAME}() RETURNS trigger LANGUAGE plpgsql AS $$ "
        f"BEGIN {_UPDATE} RETURN NULL; END $$",
        _DROP["postgresql"],
        f"CREATE TRIGGER {_NAME} AFTER INSERT ON dialogue_message FOR EACH ROW "
        f"WHEN ({_CONDITION}) EXECUTE FUNCTION {_NAME}()",
    ),
}


def install_after_migrate(using: str, plan: Any = None, **_: Any) -> None:
    """Install the trigger after `migrate` has changed something, once the table of threads exists."""
    connection = connections[using]
    if not plan or not set(_TABLES) <= set(connection.introspection.table_names()):
        return
    with transaction.atomic(using), connection.cursor() as cursor:
        for statement in _INSTALLATION[connection.vendor]:
            cursor.execute(statement)


class LineTrigger(Operation):
    """Install the trigger that tells channels of lines."""

    reversible = True

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Triggers are not part of the models' state."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any = None, to_state: Any = None
    ) -> None:
        for statement in _INSTALLATION[schema_editor.connection.vendor]:
            schema_editor.execute(statement, params=None)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any = None, to_state: Any = None
    ) -> None:
        schema_editor.execute(_DROP[schema_editor.connection.vendor], params=None)

    def describe(self) -> str:
        return "Install the trigger that tells channels of lines"
