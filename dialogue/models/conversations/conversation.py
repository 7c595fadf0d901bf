"""A conversation: its state, its lease, and the counters of its rows."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from dialogue.models.account import display_name
from dialogue.models.assistants.assistant import Assistant
from dialogue.models.assistants.release import Release


class Conversation(models.Model):
    """One chat; its id is LangGraph's `thread_id`.

    `epoch` is the fencing token of the lease: every write of a turn is conditional on it. `stack` is a projection of
    the committed dialogue state (see `TurnOutcome.stack`) for lists and pages; the checkpoint is authoritative.
    `idle_until` is when the conversation ends if nothing happens; empty before its first turn. An erased one
    keeps only its numbers. `vouched`: `user_ref` and `metadata` come from an account that may say who the customer is.
    `origin`: a hash of the network address from which it was opened without an account. `opening` is what it was opened
    with: the `claims` of the customer's signed token, and `slots` as `{name: {value, source}}` with checked values.

    `outcome` is what the last turn came to, for lists and figures: it waits for the customer, for staff to decide
    (STAFF), for an EVENT, or a PERSON has the chat; otherwise the last flow FINISHED, was CANCELLED, or FAILED, or the
    customer LEFT in the middle of it. `unclear_turns` counts the typed messages that were not understood.
    """

    class State(models.TextChoices):
        IDLE = "idle"
        RUNNING = "running"
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Outcome(models.TextChoices):
        NONE = ""
        CUSTOMER = "customer"
        STAFF = "staff"
        PERSON = "person"
        EVENT = "event"
        FINISHED = "finished"
        CANCELLED = "cancelled"
        LEFT = "left"
        FAILED = "failed"

    OVER = (State.DONE, State.CANCELLED)
    LEFT_ALONE = (State.IDLE, State.WAITING, State.FAILED)
    """States in which an idle conversation may be ended."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    assistant = models.ForeignKey(Assistant, models.PROTECT, related_name="conversations", db_index=False)
    release = models.ForeignKey(Release, models.PROTECT, related_name="conversations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="chats", db_index=False
    )
    user_ref = models.CharField(max_length=200, blank=True)
    vouched = models.BooleanField(default=False)
    origin = models.CharField(max_length=64, blank=True)
    channel = models.CharField(max_length=40, default="web")
    language = models.CharField(max_length=35, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    opening = models.JSONField(default=dict, blank=True)
    test = models.BooleanField(default=False)
    token_sha256 = models.CharField(max_length=64, blank=True)

    state = models.CharField(max_length=10, choices=State, default=State.IDLE)
    explicit = models.CharField(max_length=20, default="idle")
    stack = models.JSONField(default=list, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome, default=Outcome.NONE, blank=True)
    unclear_turns = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    active_at = models.DateTimeField(default=timezone.now)
    idle_until = models.DateTimeField(null=True, blank=True)
    erased_at = models.DateTimeField(null=True, blank=True)

    last_message = models.PositiveIntegerField(default=0)
    last_event = models.PositiveIntegerField(default=0)
    last_turn = models.PositiveIntegerField(default=0)

    epoch = models.PositiveBigIntegerField(default=0)
    lease_owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-active_at", "-id")
        indexes = [
            models.Index(fields=["-active_at", "-id"], name="conversation_active"),
            models.Index(fields=["-created_at", "-id"], name="conversation_created"),
            models.Index(fields=["user_ref", "-active_at", "-id"], name="conversation_reference"),
            models.Index(fields=["state", "-active_at", "-id"], name="conversation_in_state"),
            models.Index(fields=["outcome", "-active_at", "-id"], name="conversation_outcome"),
            models.Index(fields=["assistant", "-active_at", "-id"], name="conversation_assistant"),
            models.Index(
                fields=["-active_at", "-id"], name="conversation_unclear", condition=models.Q(unclear_turns__gt=0)
            ),
            models.Index(fields=["-active_at", "-id"], name="conversation_tests_active", condition=models.Q(test=True)),
            models.Index(fields=["origin", "active_at"], name="conversation_origin", condition=~models.Q(origin="")),
            models.Index(fields=["user"], name="conversation_test", condition=models.Q(test=True)),
            models.Index(fields=["assistant", "state"], name="conversation_state"),
            models.Index(
                fields=["idle_until"],
                name="conversation_idle",
                condition=models.Q(state__in=["idle", "waiting", "failed"]),
            ),
            models.Index(fields=["user", "-active_at"], name="conversation_user"),
            models.Index(
                fields=["lease_until"], name="conversation_lease", condition=models.Q(lease_until__isnull=False)
            ),
        ]
        permissions = [
            ("view_every_conversation", "Can see every conversation"),
            ("cancel_conversation", "Can cancel a conversation"),
            ("erase_conversation", "Can erase a conversation"),
            ("unmask_conversation", "Can see sensitive values"),
            ("vouch_conversation", "Can say who the customer of a conversation is"),
            ("signal_conversation", "Can report events to conversations and begin their flows"),
        ]

    def __str__(self) -> str:
        return str(self.id)

    @property
    def keeps_release(self) -> bool:
        """Whether its next turn uses its own release: with an open flow, and in tests. Others take the active one."""
        return bool(self.stack) or self.state == self.State.WAITING or self.test

    @property
    def customer(self) -> str:
        """The customer's name as plain text for staff. A name that the customer only claims is marked."""
        return _("says: %s") % self.user_ref if self.is_name_unverified else self.known_name

    @property
    def is_name_unverified(self) -> bool:
        """Whether nobody but the customer says this name."""
        return bool(self.user_ref) and not self.vouched and self.user is None

    @property
    def customer_name(self) -> str:
        """The name alone, for sentences on pages that show it with its sign too (`{% customer %}`)."""
        return self.user_ref if self.is_name_unverified else self.known_name

    @property
    def customer_text(self) -> str:
        """The name for pages that cannot show the sign: "Mia Torres (unverified)"."""
        return _("%s (unverified)") % self.user_ref if self.is_name_unverified else self.known_name

    @property
    def known_name(self) -> str:
        """The customer's name if it comes from an account; otherwise "Guest"."""
        if self.user_ref and self.vouched:
            return self.user_ref
        return display_name(self.user) if self.user is not None else _("Guest")
