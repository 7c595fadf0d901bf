"""Webhooks: endpoints, secrets, events and deliveries."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from dialogue.audit.event_triggers import EventTriggers


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0050_api_token_scopes"),
        ("dialogue", "0050_foreign_keys_without_second_index"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WebhookEndpoint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("url", models.CharField(max_length=2000)),
                ("conversations", models.BooleanField(default=False)),
                ("messages", models.BooleanField(default=False)),
                ("sessions", models.BooleanField(default=False)),
                ("decisions", models.BooleanField(default=False)),
                ("incidents", models.BooleanField(default=False)),
                ("with_texts", models.BooleanField(default=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("active", "Active"), ("paused", "Paused")], default="active", max_length=6
                    ),
                ),
                (
                    "paused_because",
                    models.CharField(
                        blank=True,
                        choices=[("", "None"), ("person", "Person"), ("failing", "Failing"), ("gone", "Gone")],
                        default="",
                        max_length=8,
                    ),
                ),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("made_at", models.DateTimeField()),
                ("succeeded_at", models.DateTimeField(blank=True, null=True)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("rests_until", models.DateTimeField(blank=True, null=True)),
                (
                    "assistant",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhook_endpoints",
                        to="dialogue.assistant",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="WebhookEvent",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("opened", "Opened"),
                            ("ended", "Ended"),
                            ("message", "Message"),
                            ("inbox", "Inbox"),
                            ("audit", "Audit"),
                        ],
                        max_length=7,
                    ),
                ),
                ("row", models.BigIntegerField(default=0)),
                ("at", models.DateTimeField()),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhook_events",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("type", models.CharField(max_length=40)),
                ("body", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "Pending"), ("delivered", "Delivered"), ("failed", "Failed")],
                        default="pending",
                        max_length=9,
                    ),
                ),
                ("made_at", models.DateTimeField()),
                ("due_at", models.DateTimeField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                ("delivered_at", models.DateTimeField(blank=True, null=True)),
                ("milliseconds", models.PositiveIntegerField(blank=True, null=True)),
                ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("answer", models.TextField(blank=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="webhook_deliveries",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="dialogue.webhookendpoint",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "webhook deliveries",
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(fields=["endpoint", "-id"], name="webhook_delivery_list"),
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["endpoint", "due_at"],
                        name="webhook_delivery_due",
                    ),
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["endpoint", "conversation", "id"],
                        name="webhook_delivery_order",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="WebhookSecret",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("salt", models.CharField(max_length=64)),
                ("sha256", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(blank=True, null=True)),
                (
                    "account",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="secrets",
                        to="dialogue.webhookendpoint",
                    ),
                ),
            ],
            options={
                "ordering": ("-id",),
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("account__isnull", False), ("endpoint__isnull", True)),
                            models.Q(("account__isnull", True), ("endpoint__isnull", False)),
                            _connector="OR",
                        ),
                        name="webhook_secret_of_one",
                    )
                ],
            },
        ),
        EventTriggers(),
    ]
