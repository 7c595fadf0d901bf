"""People who skipped the tour of the gate, or came to its end, are not shown it again by itself."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0045_agent_requests")]

    operations = [
        migrations.AddField(
            model_name="preference",
            name="skips_gate_tour",
            field=models.BooleanField(default=False),
        ),
    ]
