"""What each author typed and has not saved yet."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

UNIQUE = models.UniqueConstraint(fields=("flow", "author"), name="flow_draft_once")


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0015_erasure"), migrations.swappable_dependency(settings.AUTH_USER_MODEL)]

    operations = [
        migrations.CreateModel(
            name="FlowDraft",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField(blank=True)),
                ("base", models.PositiveIntegerField(default=0)),
                ("saved_at", models.DateTimeField(auto_now=True)),
                (
                    "author",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "flow",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="drafts", to="dialogue.flow"
                    ),
                ),
            ],
            options={"constraints": [UNIQUE]},
        ),
    ]
