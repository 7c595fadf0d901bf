"""What a step carries for programs, kept with the pause that it made."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0027_contested_submissions")]

    operations = [
        migrations.AddField(
            model_name="hitlsession",
            name="metadata",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
