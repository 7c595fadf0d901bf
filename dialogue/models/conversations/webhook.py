"""Webhooks: the addresses that are told of events, the events to tell, and each delivery of one."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.conversations.conversation import Conversation


class WebhookEndpoint(models.Model):
    """An https address that is told of events: of one assistant, or of all where `assistant` is empty.

    The booleans say of which kinds, and `with_texts` whether with what people wrote. A paused endpoint gets nothing;
    its events wait. `paused_because` is PERSON where a person paused it, FAILING after the last attempt at a delivery,
    and GONE when the address answered 410. `failures` counts the failed attempts since the last one that arrived; after
    each one the endpoint rests until `rests_until`.
    """

    class State(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"

    class Cause(models.TextChoices):
        NONE = ""
        PERSON = "person"
        FAILING = "failing"
        GONE = "gone"

    assistant = models.ForeignKey(Assistant, models.CASCADE, null=True, blank=True, related_name="webhook_endpoints")
    url = models.CharField(max_length=2000)
    conversations = models.BooleanField(default=False)
    messages = models.BooleanField(default=False)
    sessions = models.BooleanField(default=False)
    decisions = models.BooleanField(default=False)
    incidents = models.BooleanField(default=False)
    with_texts = models.BooleanField(default=False)
    state = models.CharField(max_length=6, choices=State, default=State.ACTIVE)
    paused_because = models.CharField(max_length=8, choices=Cause, default=Cause.NONE, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField()
    succeeded_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    rests_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.url


class WebhookSecret(models.Model):
    """A secret that signs what is sent to an endpoint, or what agents of an account are called back with.

    As with `SigningSecret` the text is derived from `salt` and the installation's key, and stored nowhere. `ends_at`:
    until then a replaced secret signs too.
    """

    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, null=True, blank=True, related_name="secrets")
    account = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    salt = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = [
            models.CheckConstraint(
                name="webhook_secret_of_one",
                condition=Q(endpoint__isnull=True, account__isnull=False)
                | Q(endpoint__isnull=False, account__isnull=True),
            )
        ]

    def __str__(self) -> str:
        return f"secret {self.pk}"


class WebhookEvent(models.Model):
    """An event to tell, written by a trigger in the transaction that it is about, and deleted when it is addressed.

    `row` is the number of the message, the inbox event or the audit entry; 0 for a conversation's own events. The
    conversation of an inbox event is that of its session. The triggers are in `dialogue.audit.event_triggers`.
    """

    class Source(models.TextChoices):
        OPENED = "opened"
        ENDED = "ended"
        MESSAGE = "message"
        INBOX = "inbox"
        AUDIT = "audit"

    source = models.CharField(max_length=7, choices=Source)
    conversation = models.ForeignKey(Conversation, models.CASCADE, null=True, blank=True, related_name="webhook_events")
    row = models.BigIntegerField(default=0)
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.source} {self.row}"


class WebhookDelivery(models.Model):
    """One event on its way to one endpoint, under the same `uid` in every attempt, with exactly this `body`.

    `attempt_log` has the last attempts, the oldest first, as `{at, status, milliseconds, error}`: `at` in ISO 8601,
    `status` and `milliseconds` None without an answer. `attempts` counts from 0 again when a person sends it again.

    PENDING -> DELIVERED | FAILED; both -> PENDING when a person sends it again. `due_at` is the next attempt; while one
    runs, it is the end of that worker's lease.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        DELIVERED = "delivered"
        FAILED = "failed"

    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="deliveries")
    conversation = models.ForeignKey(
        Conversation, models.CASCADE, null=True, blank=True, related_name="webhook_deliveries"
    )
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    type = models.CharField(max_length=40)
    body = models.TextField()
    state = models.CharField(max_length=9, choices=State, default=State.PENDING)
    made_at = models.DateTimeField()
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    attempt_log = models.JSONField(default=list, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    answer = models.TextField(blank=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name_plural = "webhook deliveries"
        indexes = [
            models.Index(fields=["endpoint", "-id"], name="webhook_delivery_list"),
            models.Index(fields=["endpoint", "due_at"], name="webhook_delivery_due", condition=Q(state="pending")),
            models.Index(
                fields=["endpoint", "conversation", "id"], name="webhook_delivery_order", condition=Q(state="pending")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.uid}"

    @property
    def webhook_id(self) -> str:
        """The id that the receiver sees."""
        return f"msg_{self.uid.hex}"
