from django.db import migrations, models
from django.db.models import Q

WAITS = Q(audience="staff", decided_at__isnull=True)


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0019_urgent_when_due")]

    operations = [
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["kind", "-priority", "urgent_at", "number"], name="session_priority", condition=WAITS
            ),
        ),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["group", "kind", "-priority", "urgent_at", "number"],
                name="session_queue_priority",
                condition=WAITS,
            ),
        ),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["escalates_to", "kind", "-priority", "urgent_at", "number"],
                name="session_escalated_prio",
                condition=Q(escalated_at__isnull=False),
            ),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["-created_at", "-id"], name="conversation_created"),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["user_ref", "-active_at", "-id"], name="conversation_reference"),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["state", "-active_at", "-id"], name="conversation_in_state"),
        ),
        migrations.AddIndex(
            model_name="conversation",
            index=models.Index(fields=["user"], name="conversation_test", condition=Q(test=True)),
        ),
    ]
