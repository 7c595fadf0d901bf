"""What colleagues propose as examples, until an author has looked at it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0022_ended_sessions"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="Correction",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("turn", models.PositiveIntegerField()),
                ("flow", models.CharField(max_length=64)),
                ("text", models.CharField(max_length=500)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={"constraints": [models.UniqueConstraint(fields=("conversation", "turn"), name="correction_once")]},
        ),
    ]
