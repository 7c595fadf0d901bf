"""Channels: connections, threads, arrivals and deliveries, and the trigger that tells threads of lines."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from dialogue.audit.line_triggers import LineTrigger


class Migration(migrations.Migration):
    dependencies = [
        ("dialogue", "0052_open_requests"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ChannelConnection",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("channel", models.CharField(max_length=40)),
                ("address", models.CharField(max_length=200)),
                ("values", models.JSONField(blank=True, default=dict)),
                ("sealed", models.TextField(blank=True)),
                ("salt", models.CharField(max_length=64)),
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
                        choices=[("", "None"), ("person", "Person"), ("refused", "Refused")],
                        default="",
                        max_length=7,
                    ),
                ),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("made_at", models.DateTimeField()),
                ("received_at", models.DateTimeField(blank=True, null=True)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("rests_until", models.DateTimeField(blank=True, null=True)),
                (
                    "assistant",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channel_connections",
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
            name="ChannelArrival",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ref", models.CharField(max_length=80)),
                ("sender", models.CharField(max_length=64)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("accepted", "Accepted"), ("refused", "Refused"), ("ignored", "Ignored")], max_length=8
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("at", models.DateTimeField()),
                (
                    "conversation",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channel_arrivals",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "connection",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="arrivals",
                        to="dialogue.channelconnection",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="ChannelThread",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64)),
                ("recipient", models.CharField(max_length=320)),
                ("facts", models.JSONField(blank=True, default=dict)),
                ("is_current", models.BooleanField(default=True)),
                ("opened_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[("active", "Active"), ("blocked", "Blocked"), ("failed", "Failed")],
                        default="active",
                        max_length=7,
                    ),
                ),
                ("latest", models.PositiveIntegerField(default=0)),
                ("sent", models.PositiveIntegerField(default=0)),
                ("claims", models.PositiveBigIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
                ("error", models.CharField(blank=True, max_length=500)),
                (
                    "connection",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to="dialogue.channelconnection",
                    ),
                ),
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channel_thread",
                        to="dialogue.conversation",
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="ChannelDelivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("first", models.PositiveIntegerField()),
                ("last", models.PositiveIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("pending", "Pending"),
                            ("sent", "Sent"),
                            ("failed", "Failed"),
                            ("skipped", "Skipped"),
                        ],
                        default="pending",
                        max_length=7,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("made_at", models.DateTimeField()),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("remote_id", models.CharField(blank=True, max_length=200)),
                ("error", models.CharField(blank=True, max_length=500)),
                (
                    "connection",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="dialogue.channelconnection",
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channel_deliveries",
                        to="dialogue.conversation",
                    ),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="dialogue.channelthread",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "channel deliveries",
                "ordering": ("-pk",),
            },
        ),
        migrations.AddConstraint(
            model_name="channelconnection",
            constraint=models.UniqueConstraint(fields=("channel", "address"), name="channel_address_once"),
        ),
        migrations.AddIndex(
            model_name="channelarrival",
            index=models.Index(fields=["connection", "-id"], name="channel_arrival_list"),
        ),
        migrations.AddIndex(
            model_name="channelarrival",
            index=models.Index(fields=["connection", "sender", "at"], name="channel_arrival_sender"),
        ),
        migrations.AddConstraint(
            model_name="channelarrival",
            constraint=models.UniqueConstraint(fields=("connection", "ref"), name="channel_arrival_once"),
        ),
        migrations.AddIndex(
            model_name="channelthread",
            index=models.Index(fields=["connection", "key", "opened_at"], name="channel_thread_key"),
        ),
        migrations.AddIndex(
            model_name="channelthread",
            index=models.Index(
                condition=models.Q(("sent__lt", models.F("latest")), ("state", "active")),
                fields=["connection", "due_at"],
                name="channel_thread_due",
            ),
        ),
        migrations.AddIndex(
            model_name="channelthread",
            index=models.Index(
                condition=models.Q(("state", "failed")), fields=["connection", "-id"], name="channel_thread_failed"
            ),
        ),
        migrations.AddConstraint(
            model_name="channelthread",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_current", True)), fields=("connection", "key"), name="channel_thread_current"
            ),
        ),
        migrations.AddIndex(
            model_name="channeldelivery",
            index=models.Index(fields=["connection", "-id"], name="channel_delivery_list"),
        ),
        migrations.AddIndex(
            model_name="channeldelivery",
            index=models.Index(fields=["made_at"], name="channel_delivery_age"),
        ),
        migrations.AddConstraint(
            model_name="channeldelivery",
            constraint=models.UniqueConstraint(fields=("thread", "first"), name="channel_delivery_once"),
        ),
        LineTrigger(),
    ]
