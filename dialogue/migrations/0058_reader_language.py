"""The language that a person chose for all browsers, and for mails."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0057_channel_accounts")]

    operations = [
        migrations.AddField(
            model_name="preference",
            name="language",
            field=models.CharField(blank=True, default="", max_length=10),
        ),
    ]
