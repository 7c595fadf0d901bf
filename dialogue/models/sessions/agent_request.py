"""Requests of agents that other frameworks run: what they asked, and what they get back."""

from django.conf import settings
from django.db import models

from dialogue.models.conversations.conversation import Conversation
from dialogue.models.sessions.session import HITLSession


class AgentRequest(models.Model):
    """One request of a program, with a session for each question in it.

    `ref` is the program's own id; with the same id and body it gets the same answer. `ask` is what came, untouched, in
    the words of `dialect`; `details` are the lines of context, the link and the run that came with it. `answer` is
    stored when the last session is decided, and never changes afterwards.

    WAITING -> DELIVERED | INCIDENT | WITHDRAWN; INCIDENT -> WAITING | ABANDONED. `due_at` is the next attempt to send
    the answer to `callback`.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        DELIVERED = "delivered"
        INCIDENT = "incident"
        WITHDRAWN = "withdrawn"
        ABANDONED = "abandoned"

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    ref = models.CharField(max_length=100)
    body_sha256 = models.CharField(max_length=64)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="agent_requests")
    dialect = models.CharField(max_length=30)
    source = models.CharField(max_length=100)
    thread = models.CharField(max_length=200)
    ask = models.JSONField()
    details = models.JSONField(default=dict)
    callback = models.CharField(max_length=2000, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    answer = models.JSONField(null=True, blank=True)
    made_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    error = models.TextField(blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = [models.UniqueConstraint(fields=["by", "ref"], name="agent_request_once")]
        indexes = [
            models.Index(fields=["by", "source", "thread", "-id"], name="agent_request_thread"),
            models.Index(
                fields=["by"],
                name="agent_request_open",
                condition=models.Q(state="waiting", answered_at__isnull=True),
            ),
            models.Index(
                fields=["due_at"],
                name="agent_request_due",
                condition=models.Q(state="waiting") & ~models.Q(callback=""),
            ),
        ]
        permissions = [("ask_agentrequest", "Can ask staff to decide for agents of other systems")]

    def __str__(self) -> str:
        return self.ref


class AgentPause(models.Model):
    """One question of a request, and the session that asks it.

    `snapshot` is the question as people see it (`dialects.pauses.Pause.plain`) with the fields of its form.
    """

    session = models.OneToOneField(HITLSession, models.CASCADE, primary_key=True, related_name="agent_pause")
    request = models.ForeignKey(AgentRequest, models.CASCADE, related_name="pauses")
    position = models.PositiveSmallIntegerField()
    snapshot = models.JSONField()

    class Meta:
        ordering = ("request", "position")
        constraints = [models.UniqueConstraint(fields=["request", "position"], name="agent_pause_once")]

    def __str__(self) -> str:
        return f"{self.request_id}.{self.position}"
