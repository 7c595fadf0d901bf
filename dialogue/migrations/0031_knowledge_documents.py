"""Documents that questions are answered from, with each database's own full-text index over their passages."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

SQLITE = (
    "CREATE VIRTUAL TABLE dialogue_passagesearch"
    " USING fts5(heading, text, tokenize = 'porter unicode61 remove_diacritics 2')",
    "CREATE TRIGGER dialogue_passage_stored AFTER INSERT ON dialogue_knowledgepassage"
    " BEGIN INSERT INTO dialogue_passagesearch (rowid, heading, text) VALUES (new.id, new.heading, new.text); END",
    "CREATE TRIGGER dialogue_passage_removed AFTER DELETE ON dialogue_knowledgepassage"
    " BEGIN DELETE FROM dialogue_passagesearch WHERE rowid = old.id; END",
)
POSTGRES = (
    "ALTER TABLE dialogue_knowledgepassage ADD COLUMN search tsvector",
    "CREATE INDEX knowledge_passage_search ON dialogue_knowledgepassage USING gin (search)",
)


def make_index(apps: Any, schema_editor: Any) -> None:
    for statement in POSTGRES if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement, params=None)


def drop_index(apps: Any, schema_editor: Any) -> None:
    """PostgreSQL's goes with the table."""
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TABLE dialogue_passagesearch", params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0030_early_lines"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="KnowledgeDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=200)),
                ("title", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("from_folder", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="knowledge_documents",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [models.UniqueConstraint(fields=["assistant", "name"], name="knowledge_document_name")],
            },
        ),
        migrations.CreateModel(
            name="KnowledgePassage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ordinal", models.PositiveIntegerField()),
                ("heading", models.CharField(blank=True, max_length=300)),
                ("text", models.TextField()),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="passages",
                        to="dialogue.knowledgedocument",
                    ),
                ),
            ],
            options={
                "ordering": ("document", "ordinal"),
                "constraints": [
                    models.UniqueConstraint(fields=["document", "ordinal"], name="knowledge_passage_place")
                ],
            },
        ),
        migrations.RunPython(make_index, drop_index),
    ]
