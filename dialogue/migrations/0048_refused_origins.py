"""Origins that are not allowed and whose pages asked for an assistant's chat."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0047_assistant_translations")]

    operations = [
        migrations.CreateModel(
            name="RefusedOrigin",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("origin", models.CharField(max_length=300)),
                ("count", models.PositiveIntegerField(default=1)),
                ("at", models.DateTimeField()),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="refused_origins",
                        to="dialogue.assistant",
                    ),
                ),
            ],
            options={
                "ordering": ("-at",),
                "constraints": [models.UniqueConstraint(fields=("assistant", "origin"), name="refused_origin_once")],
            },
        ),
    ]
