"""Drop the indexes of foreign keys that another index of the same table begins with; index only keys that are set.

Each turn wrote into all of them. The indexes are dropped by name, since SQLite would copy the whole table for each changed field.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

COVERED_FIELDS = {
    "conversation": ("assistant", "user"),
    "event": ("conversation", "session"),
    "hitlsession": ("conversation", "group", "escalates_to", "assignee", "decided_by"),
    "message": ("conversation", "turn"),
    "turn": ("conversation",),
}


def drop_indexes(apps: Any, schema_editor: Any) -> None:
    for model_name, fields in COVERED_FIELDS.items():
        model = apps.get_model("dialogue", model_name)
        for field in fields:
            for name in index_names(schema_editor, model, field):
                schema_editor.execute(f"DROP INDEX {schema_editor.quote_name(name)}")


def create_indexes(apps: Any, schema_editor: Any) -> None:
    for model_name, fields in COVERED_FIELDS.items():
        model = apps.get_model("dialogue", model_name)
        for field in fields:
            schema_editor.add_index(model, models.Index(fields=[field], name=f"{model_name}_{field}_fk"))


def index_names(schema_editor: Any, model: Any, field: str) -> list[str]:
    """The names of the indexes of this field alone that the model does not declare itself."""
    connection, column = schema_editor.connection, model._meta.get_field(field).column
    declared = {index.name for index in model._meta.indexes}
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, model._meta.db_table)
    return [
        name
        for name, constraint in constraints.items()
        if constraint["index"]
        and not constraint["unique"]
        and constraint["columns"] == [column]
        and name not in declared
    ]


def without_index(model_name: str, field: str, to: Any, on_delete: Any, related_name: str, **options: Any) -> Any:
    key = models.ForeignKey(db_index=False, on_delete=on_delete, related_name=related_name, to=to, **options)
    return migrations.AlterField(model_name=model_name, name=field, field=key)


KEYS_THAT_ARE_SET = [
    ("event", "session", "event_session"),
    ("hitlsession", "group", "session_group"),
    ("hitlsession", "escalates_to", "session_escalates"),
    ("hitlsession", "assignee", "session_assignee"),
    ("hitlsession", "decided_by", "session_decider"),
]

CASCADE, PROTECT = django.db.models.deletion.CASCADE, django.db.models.deletion.PROTECT
OPTIONAL = {"blank": True, "null": True}


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0050_api_token_scopes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(drop_indexes, create_indexes),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                without_index("conversation", "assistant", "dialogue.assistant", PROTECT, "conversations"),
                without_index("conversation", "user", settings.AUTH_USER_MODEL, PROTECT, "chats", **OPTIONAL),
                without_index("event", "conversation", "dialogue.conversation", CASCADE, "events"),
                without_index("event", "session", "dialogue.hitlsession", PROTECT, "events", **OPTIONAL),
                without_index("hitlsession", "conversation", "dialogue.conversation", CASCADE, "sessions"),
                without_index("hitlsession", "group", "auth.group", PROTECT, "+", **OPTIONAL),
                without_index("hitlsession", "escalates_to", "auth.group", PROTECT, "+", **OPTIONAL),
                without_index("hitlsession", "assignee", settings.AUTH_USER_MODEL, PROTECT, "+", **OPTIONAL),
                without_index("hitlsession", "decided_by", settings.AUTH_USER_MODEL, PROTECT, "+", **OPTIONAL),
                without_index("message", "conversation", "dialogue.conversation", CASCADE, "messages"),
                without_index("message", "turn", "dialogue.turn", PROTECT, "messages", **OPTIONAL),
                without_index("turn", "conversation", "dialogue.conversation", CASCADE, "turns"),
            ]
        ),
        *[
            migrations.AddIndex(
                model_name=model_name,
                index=models.Index(fields=[field], name=name, condition=models.Q(**{f"{field}__isnull": False})),
            )
            for model_name, field, name in KEYS_THAT_ARE_SET
        ],
    ]
