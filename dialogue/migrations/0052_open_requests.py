"""An index for counting the open requests of an account."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0051_webhooks"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="agentrequest",
            index=models.Index(
                condition=models.Q(("answered_at__isnull", True), ("state", "waiting")),
                fields=["by"],
                name="agent_request_open",
            ),
        ),
    ]
