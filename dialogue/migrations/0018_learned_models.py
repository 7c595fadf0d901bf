import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dialogue", "0017_escalated_by_kind")]

    operations = [
        migrations.CreateModel(
            name="LearnedModel",
            fields=[
                (
                    "release",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="learned",
                        serialize=False,
                        to="dialogue.release",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("learning", "Learning"), ("ready", "Ready"), ("broken", "Broken")],
                        default="learning",
                        max_length=10,
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("digest", models.CharField(blank=True, max_length=64)),
                ("vectors", models.BinaryField(default=b"")),
                ("error", models.CharField(blank=True, max_length=500)),
                ("began_at", models.DateTimeField()),
                ("ready_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
    ]
