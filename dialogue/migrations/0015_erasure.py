"""When a conversation was erased, and an index that finds failed ones too when nothing happens in them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0014_queue_by_kind")]
    operations = [
        migrations.AddField("conversation", "erased_at", models.DateTimeField(blank=True, null=True)),
        migrations.RemoveIndex("conversation", "conversation_idle"),
        migrations.AddIndex(
            "conversation",
            models.Index(
                fields=["idle_until"],
                name="conversation_idle",
                condition=models.Q(state__in=["idle", "waiting", "failed"]),
            ),
        ),
    ]
