"""Parts of messages that show more than text, and the images of assistants."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0032_timers"),
    ]

    operations = [
        migrations.AddField(
            model_name="message",
            name="parts",
            field=models.JSONField(blank=True, default=list),
        ),
        migrations.CreateModel(
            name="AssistantImage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=100)),
                ("kind", models.CharField(max_length=10)),
                ("content", models.BinaryField()),
                ("digest", models.CharField(max_length=64)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="images", to="dialogue.assistant"
                    ),
                ),
            ],
            options={
                "ordering": ("name",),
                "constraints": [models.UniqueConstraint(fields=("assistant", "name"), name="assistant_image_name")],
            },
        ),
    ]
