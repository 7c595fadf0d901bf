"""What a step carries for programs, kept with the pause that it made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0025_vouched_conversations")]

    operations = [
        migrations.AddField(
            model_name="hitlsession",
            name="metadata",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
