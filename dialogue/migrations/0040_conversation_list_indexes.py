"""Indexes of the list of conversations: by outcome, by assistant, and what was not understood.

In a migration of its own: PostgreSQL builds no index on a table whose rows the same transaction has changed.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0039_conversation_outcomes")]

    operations = [
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["outcome", "-active_at", "-id"], name="conversation_outcome"),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["assistant", "-active_at", "-id"], name="conversation_assistant"),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(
                fields=["-active_at", "-id"],
                name="conversation_unclear",
                condition=models.Q(unclear_turns__gt=0),
            ),
        ),
    ]
