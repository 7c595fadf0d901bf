from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0021_unmasking")]

    operations = [
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["kind", "urgent_at", "-priority", "number"],
                name="session_ended",
                condition=Q(decided_at__isnull=False),
            ),
        ),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["group", "kind", "urgent_at", "-priority", "number"],
                name="session_ended_in_queue",
                condition=Q(audience="staff", decided_at__isnull=False),
            ),
        ),
    ]
