"""Gates get a summary for lists, and a text of their values to search in; those that wait get the text now."""

from typing import Any

from django.db import migrations, models

BATCH = 500
MAX_CHARACTERS = 500


def _fill_search_texts(apps: Any, _schema_editor: Any) -> None:
    sessions = apps.get_model("dialogue", "HITLSession").objects
    rows = sessions.filter(decided_at__isnull=True, audience="staff", kind="human").only("pk", "shown")
    changed = []
    for row in rows.iterator(chunk_size=BATCH):
        row.search_text = _search_text(row.shown)
        if row.search_text:
            changed.append(row)
    sessions.bulk_update(changed, ["search_text"], batch_size=BATCH)


def _search_text(shown: list[dict[str, Any]]) -> str:
    """The plain values; a record with sensitive parts, and a value that has a sensitive one in it, is left out."""
    hidden = [str(entry.get(part)) for entry in shown if entry.get("sensitive") for part in ("value", "shown")]
    texts = [
        str(entry.get(part) or "")
        for entry in shown
        if not entry.get("sensitive") and not entry.get("masked") and isinstance(entry.get("value"), str | int | float)
        for part in ("shown", "value")
        if not isinstance(entry.get("value"), bool)
    ]
    plain = [text for text in texts if text and not any(len(value) > 2 and value in text for value in hidden)]
    return " ".join(dict.fromkeys(plain)).casefold()[:MAX_CHARACTERS]


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0040_conversation_list_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="hitlsession",
            name="search_text",
            field=models.CharField(blank=True, default="", max_length=500),
        ),
        migrations.AddField(
            model_name="hitlsession",
            name="summary",
            field=models.CharField(blank=True, default="", max_length=300),
        ),
        migrations.RunPython(_fill_search_texts, migrations.RunPython.noop, elidable=True),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                condition=models.Q(("decided_at__isnull", True)), fields=["search_text"], name="session_values"
            ),
        ),
    ]
