"""The attempts of a webhook's delivery one by one; deliveries from before have only the last one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0062_submission_sentence")]

    operations = [
        migrations.AddField(
            model_name="webhookdelivery", name="attempt_log", field=models.JSONField(blank=True, default=list)
        ),
    ]
