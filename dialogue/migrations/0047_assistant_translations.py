"""The titles and descriptions of assistants in other languages, for lists that do not load the release."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0046_gate_tour")]

    operations = [
        migrations.AddField(
            model_name="assistant",
            name="translations",
            field=models.JSONField(blank=True, default=dict),
        ),
    ]
