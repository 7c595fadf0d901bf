"""Lines that are stored before their turn's commit, by the event that they answer, and what a re-run begins with."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0029_conversation_origin")]

    operations = [
        migrations.AddField(model_name="event", name="basis", field=models.JSONField(null=True, blank=True)),
        migrations.AddField(
            model_name="message",
            name="reply_to",
            field=models.ForeignKey(
                "dialogue.Event", models.PROTECT, null=True, blank=True, related_name="replies", db_index=False
            ),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(
                fields=["reply_to", "ordinal"], name="message_once_early", condition=Q(reply_to__isnull=False)
            ),
        ),
    ]
