from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0013_event_incidents")]

    operations = [
        migrations.RemoveIndex(model_name="hitlsession", name="session_urgency"),
        migrations.RemoveIndex(model_name="hitlsession", name="session_queue"),
        migrations.RemoveIndex(model_name="hitlsession", name="session_snoozed"),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["kind", "urgent_at", "-priority", "number"],
                name="session_urgency",
                condition=Q(audience="staff", decided_at__isnull=True),
            ),
        ),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["group", "kind", "urgent_at", "-priority", "number"],
                name="session_queue",
                condition=Q(audience="staff", decided_at__isnull=True),
            ),
        ),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["group", "kind", "follow_up_at", "number"],
                name="session_snoozed",
                condition=Q(audience="staff", decided_at__isnull=True, follow_up_at__isnull=False),
            ),
        ),
    ]
