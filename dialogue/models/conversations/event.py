"""The durable queue of events that wait for their turn."""

from django.db import models
from django.db.models import Q

from dialogue.models.conversations.conversation import Conversation


class Event(models.Model):
    """One event; a turn answers it. `number` is the order of acceptance, which is the order of the turns.

    `basis` is null until an attempt of the turn stores a line before its commit. Then it is the `{release, at}` of that
    attempt: every later one uses the same release and the same time, and so says the same. When a person retries the
    turn, it is emptied.
    """

    class Kind(models.TextChoices):
        MESSAGE = "message"
        CHOICE = "choice"
        DECISION = "decision"
        EXPIRY = "expiry"
        CANCEL = "cancel"
        SAY = "say"
        SLOTS = "slots"
        HAND_BACK = "hand_back"
        TIMEOUT = "timeout"
        FILE = "file"
        TIMER = "timer"
        SIGNAL = "signal"
        START = "start"
        NOTIFY = "notify"

    class State(models.TextChoices):
        DUE = "due"
        DONE = "done"
        INCIDENT = "incident"
        ABANDONED = "abandoned"

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="events", db_index=False)
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    client_id = models.CharField(max_length=100)
    body_sha256 = models.CharField(max_length=64)
    payload = models.JSONField()
    session = models.ForeignKey(
        "HITLSession", models.PROTECT, null=True, blank=True, related_name="events", db_index=False
    )
    message = models.OneToOneField("Message", models.PROTECT, null=True, blank=True, related_name="event")
    state = models.CharField(max_length=10, choices=State, default=State.DUE)
    attempts = models.PositiveSmallIntegerField(default=0)
    understanding = models.JSONField(null=True, blank=True)
    basis = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True)
    reference = models.CharField(max_length=12, blank=True)
    accepted_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("conversation", "number")
        constraints = [
            models.UniqueConstraint(fields=["conversation", "client_id"], name="event_once"),
            models.UniqueConstraint(fields=["conversation", "number"], name="event_order"),
            models.UniqueConstraint(
                fields=["session"], name="one_event_per_decision", condition=Q(kind__in=["decision", "expiry"])
            ),
        ]
        indexes = [
            models.Index(fields=["session"], name="event_session", condition=Q(session__isnull=False)),
            models.Index(fields=["accepted_at"], name="event_due", condition=Q(state="due")),
            models.Index(fields=["accepted_at"], name="event_incident", condition=Q(state="incident")),
            models.Index(fields=["conversation", "number"], name="event_next", condition=Q(state="due")),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"


IS_DUE = f"AND state = '{Event.State.DUE}'"
"""SQL suffix for due events. The state is part of the text, not a parameter: SQLite uses the partial index `event_next`
only if it can read the condition, and with a parameter it would plan the statement each time."""
