"""What conversations came to and how messages were understood, for the list of conversations and the figures."""

from collections import Counter
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Exists, OuterRef, Q

CHUNK_ROWS = 1_000
OUTCOMES = ["", "customer", "staff", "person", "event", "finished", "cancelled", "left", "failed"]
READINGS = ["", "understood", "asked_back", "not_understood", "corrected"]
QUESTIONS_BACK = {"clarify", "which_option", "confirm_option", "no_match", "which_item", "ask_change"}


def label_names(names: list[str]) -> list[tuple[str, str]]:
    """The names with the labels that Django gives them."""
    return [(name, (name or "none").replace("_", " ").title()) for name in names]


def set_outcomes(apps: Any, _editor: Any) -> None:
    """Derive the outcome of the conversations that exist from their states and pauses; a later rule wins."""
    conversations = apps.get_model("dialogue", "Conversation").objects
    sessions = apps.get_model("dialogue", "HITLSession").objects.filter(conversation=OuterRef("pk"))
    is_open = sessions.filter(state__in=["open", "claimed"])
    cut_off = sessions.filter(audience="user", state="cancelled", reason="conversation_over")
    rules = [
        (Q(Exists(sessions)), "finished"),
        (Q(Exists(is_open)), "customer"),
        (Q(Exists(is_open.filter(kind="human"))), "staff"),
        (Q(Exists(is_open.filter(kind="handoff"))), "person"),
        (Q(Exists(cut_off), state="done"), "left"),
        (Q(state="cancelled"), "cancelled"),
        (Q(state="failed"), "failed"),
    ]
    for condition, outcome in rules:
        conversations.filter(condition).update(outcome=outcome)


def set_readings(apps: Any, _editor: Any) -> None:
    """Read the records that retention has left, and count the messages that were not understood."""
    turns = apps.get_model("dialogue", "Turn").objects
    unclear: Counter[Any] = Counter()
    rows = turns.filter(event__kind="message").order_by("pk").values_list("pk", "conversation_id", "record")
    last = 0
    while chunk := list(rows.filter(pk__gt=last)[:CHUNK_ROWS]):
        last = chunk[-1][0]
        readings = {pk: reading_of(record or {}) for pk, _conversation, record in chunk}
        for reading in set(readings.values()) - {""}:
            turns.filter(pk__in=[pk for pk, found in readings.items() if found == reading]).update(reading=reading)
        unclear.update(row[1] for row in chunk if readings[row[0]] == "not_understood")
    conversations = apps.get_model("dialogue", "Conversation").objects
    for number in set(unclear.values()):
        keys = [key for key, count in unclear.items() if count == number]
        for start in range(0, len(keys), CHUNK_ROWS):
            conversations.filter(pk__in=keys[start : start + CHUNK_ROWS]).update(unclear_turns=number)


def reading_of(record: dict[str, Any]) -> str:
    """How a message was understood, from its record as the engine wrote it until this migration."""
    if not record.get("path"):
        return ""
    said = {str(key).partition(":")[0] for key in record.get("messages") or ()}
    commands = record.get("proposed") or ()
    proposed = {next(iter(command), "") if isinstance(command, dict) else str(command) for command in commands}
    if "cannot_handle" in said or proposed == {"cannot_handle"}:
        return "not_understood"
    return "asked_back" if "clarify" in proposed or said & QUESTIONS_BACK else "understood"


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0038_reader_zone"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="conversation",
            name="outcome",
            field=models.CharField(blank=True, choices=label_names(OUTCOMES), default="", max_length=10),
        ),
        migrations.AddField(
            model_name="conversation", name="unclear_turns", field=models.PositiveIntegerField(default=0)
        ),
        migrations.AddField(
            model_name="turn",
            name="reading",
            field=models.CharField(
                blank=True,
                choices=label_names(READINGS),
                default="",
                max_length=14,
            ),
        ),
        migrations.CreateModel(
            name="ConversationView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("query", models.JSONField(default=dict)),
                ("made_at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ("name", "pk")},
        ),
        migrations.AddConstraint(
            model_name="conversationview",
            constraint=models.UniqueConstraint(fields=("owner", "name"), name="conversation_view_once"),
        ),
        migrations.RunPython(set_outcomes, migrations.RunPython.noop),
        migrations.RunPython(set_readings, migrations.RunPython.noop),
    ]
