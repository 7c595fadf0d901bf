"""Channels: an assistant's connections to messengers and mailboxes, their threads, and what came in and went out."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.conversations.conversation import Conversation


class ChannelConnection(models.Model):
    """An assistant's account at a channel, such as a bot of Telegram or a mailbox.

    `uid` is in the address that takes its requests. `account` is the channel's own id of the account, which stays when
    its public name `address` changes; None where only `address` tells accounts apart. `values` are the settings that
    may be read, `sealed` those that may not, encrypted with the installation's key; secrets that we choose are derived
    from `salt` and stored nowhere (see `dialogue.channels.credentials`). A paused connection takes and sends nothing,
    and what others send waits there. `paused_because` is PERSON, or REFUSED where the channel no longer accepts the
    credentials. After a failed attempt nothing is sent until `rests_until`; `failures` counts them since the last line
    that arrived.
    """

    class State(models.TextChoices):
        ACTIVE = "active"
        PAUSED = "paused"

    class Cause(models.TextChoices):
        NONE = ""
        PERSON = "person"
        REFUSED = "refused"

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="channel_connections")
    channel = models.CharField(max_length=40)
    address = models.CharField(max_length=200)
    account = models.CharField(max_length=200, null=True, blank=True)
    values = models.JSONField(default=dict, blank=True)
    sealed = models.TextField(blank=True)
    salt = models.CharField(max_length=64)
    state = models.CharField(max_length=6, choices=State, default=State.ACTIVE)
    paused_because = models.CharField(max_length=7, choices=Cause, default=Cause.NONE, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField()
    received_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=500, blank=True)
    failures = models.PositiveIntegerField(default=0)
    rests_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.UniqueConstraint(fields=["channel", "address"], name="channel_address_once"),
            models.UniqueConstraint(
                fields=["channel", "account"], name="channel_account_once", condition=Q(account__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.channel} {self.address}"


class ChannelThread(models.Model):
    """A conversation at a channel: a private chat with a bot, or a thread of mails with one person.

    `key` names the thread at the channel, `recipient` is where lines go, and `facts` hold what the channel needs to
    answer in the thread. Of the threads with one key the current one takes new messages. `latest` is the number of the
    last line of the transcript that the customer did not write, set by a trigger in the transaction that writes the
    line; `sent` is the number of the last line that the channel has taken. A worker raises `claims` when it begins to
    send, and writes only while that number is its own; until `due_at` no other one begins.

    BLOCKED: the customer takes no more messages, until they write again. FAILED: a line could not be sent, and a person
    has to send it again or to skip it; the lines behind it wait.
    """

    class State(models.TextChoices):
        ACTIVE = "active"
        BLOCKED = "blocked"
        FAILED = "failed"

    connection = models.ForeignKey(ChannelConnection, models.CASCADE, related_name="threads", db_index=False)
    conversation = models.OneToOneField(Conversation, models.CASCADE, related_name="channel_thread")
    key = models.CharField(max_length=64)
    recipient = models.CharField(max_length=320)
    facts = models.JSONField(default=dict, blank=True)
    is_current = models.BooleanField(default=True)
    opened_at = models.DateTimeField()
    state = models.CharField(max_length=7, choices=State, default=State.ACTIVE)
    latest = models.PositiveIntegerField(default=0)
    sent = models.PositiveIntegerField(default=0)
    claims = models.PositiveBigIntegerField(default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["connection", "key"], name="channel_thread_current", condition=Q(is_current=True)
            )
        ]
        indexes = [
            models.Index(fields=["connection", "recipient", "opened_at"], name="channel_thread_recipient"),
            models.Index(
                fields=["connection", "due_at"],
                name="channel_thread_due",
                condition=Q(state="active", sent__lt=F("latest")),
            ),
            models.Index(fields=["connection", "-id"], name="channel_thread_failed", condition=Q(state="failed")),
        ]

    def __str__(self) -> str:
        return f"thread {self.pk}"


class ChannelArrival(models.Model):
    """A message that came through a channel: `ref` is the sender's own id of it, so that a repeated one counts once.

    It holds nothing of what was written; `sender` is a hash. `reason` says why a message was refused or ignored.
    """

    class Outcome(models.TextChoices):
        ACCEPTED = "accepted"
        REFUSED = "refused"
        IGNORED = "ignored"

    connection = models.ForeignKey(ChannelConnection, models.CASCADE, related_name="arrivals", db_index=False)
    ref = models.CharField(max_length=80)
    sender = models.CharField(max_length=64)
    conversation = models.ForeignKey(
        Conversation, models.CASCADE, null=True, blank=True, related_name="channel_arrivals"
    )
    outcome = models.CharField(max_length=8, choices=Outcome)
    reason = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("-pk",)
        constraints = [models.UniqueConstraint(fields=["connection", "ref"], name="channel_arrival_once")]
        indexes = [
            models.Index(fields=["connection", "-id"], name="channel_arrival_list"),
            models.Index(fields=["connection", "sender", "at"], name="channel_arrival_sender"),
        ]

    def __str__(self) -> str:
        return f"{self.outcome} {self.ref}"


class ChannelDelivery(models.Model):
    """Lines of the transcript on their way to a thread, `first` to `last`, under the same `uid` in every attempt.

    `pieces_sent` of the messages as which the channel takes them have arrived. `remote_id` is what it calls the last
    one. SKIPPED: a person gave these lines up.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        SENT = "sent"
        FAILED = "failed"
        SKIPPED = "skipped"

    connection = models.ForeignKey(ChannelConnection, models.CASCADE, related_name="deliveries", db_index=False)
    thread = models.ForeignKey(ChannelThread, models.CASCADE, related_name="deliveries", db_index=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="channel_deliveries")
    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    pieces_sent = models.PositiveSmallIntegerField(default=0)
    state = models.CharField(max_length=7, choices=State, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    made_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)
    remote_id = models.CharField(max_length=200, blank=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ("-pk",)
        verbose_name_plural = "channel deliveries"
        constraints = [models.UniqueConstraint(fields=["thread", "first"], name="channel_delivery_once")]
        indexes = [
            models.Index(fields=["connection", "-id"], name="channel_delivery_list"),
            models.Index(fields=["made_at"], name="channel_delivery_age"),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.uid}"
