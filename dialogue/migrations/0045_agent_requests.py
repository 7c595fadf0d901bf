"""Requests of agents of other systems, and the questions in them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0044_conversation_tests_index"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentRequest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ref", models.CharField(max_length=100)),
                ("body_sha256", models.CharField(max_length=64)),
                ("dialect", models.CharField(max_length=30)),
                ("source", models.CharField(max_length=100)),
                ("thread", models.CharField(max_length=200)),
                ("ask", models.JSONField()),
                ("details", models.JSONField(default=dict)),
                ("callback", models.CharField(blank=True, max_length=2000)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("delivered", "Delivered"),
                            ("incident", "Incident"),
                            ("withdrawn", "Withdrawn"),
                            ("abandoned", "Abandoned"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("answer", models.JSONField(blank=True, null=True)),
                ("made_at", models.DateTimeField()),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
                ("error", models.TextField(blank=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="agent_requests",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
                "permissions": [("ask_agentrequest", "Can ask staff to decide for agents of other systems")],
            },
        ),
        migrations.CreateModel(
            name="AgentPause",
            fields=[
                (
                    "session",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="agent_pause",
                        serialize=False,
                        to="dialogue.hitlsession",
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("snapshot", models.JSONField()),
                (
                    "request",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="pauses", to="dialogue.agentrequest"
                    ),
                ),
            ],
            options={
                "ordering": ("request", "position"),
            },
        ),
        migrations.AddIndex(
            model_name="agentrequest",
            index=models.Index(fields=["by", "source", "thread", "-id"], name="agent_request_thread"),
        ),
        migrations.AddIndex(
            model_name="agentrequest",
            index=models.Index(
                condition=models.Q(("state", "waiting"), models.Q(("callback", ""), _negated=True)),
                fields=["due_at"],
                name="agent_request_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="agentrequest",
            constraint=models.UniqueConstraint(fields=("by", "ref"), name="agent_request_once"),
        ),
        migrations.AddConstraint(
            model_name="agentpause",
            constraint=models.UniqueConstraint(fields=("request", "position"), name="agent_pause_once"),
        ),
    ]
