"""What an API token is limited to, when it ends, and when it was last used."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0049_receipt_keys"),
    ]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="scopes",
            field=models.JSONField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="ends_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="apitoken",
            name="last_used_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
