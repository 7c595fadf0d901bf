"""The ledger of actions: intended calls, attempts and outcomes."""

from django.db import models

from dialogue.models.conversations.conversation import Conversation


class ActionRun(models.Model):
    """One action under its key, the same in every re-run: intended -> running -> succeeded | failed | unknown."""

    class State(models.TextChoices):
        INTENDED = "intended"
        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        UNKNOWN = "unknown"

    key = models.CharField(max_length=250, unique=True)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="action_runs")
    action = models.CharField(max_length=64)
    inputs = models.JSONField(default=dict)
    inputs_sha256 = models.CharField(max_length=64)
    idempotent = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=State, default=State.INTENDED)
    outputs = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    epoch = models.PositiveBigIntegerField()
    intended_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("conversation", "pk")
        indexes = [
            models.Index(fields=["state"], name="action_open", condition=models.Q(state__in=["running", "unknown"]))
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.state}"
