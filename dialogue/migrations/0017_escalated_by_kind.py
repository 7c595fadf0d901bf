from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0016_flow_drafts")]

    operations = [
        migrations.RemoveIndex(model_name="hitlsession", name="session_escalated"),
        migrations.AddIndex(
            model_name="hitlsession",
            index=models.Index(
                fields=["escalates_to", "kind", "urgent_at", "-priority", "number"],
                name="session_escalated",
                condition=Q(escalated_at__isnull=False),
            ),
        ),
    ]
