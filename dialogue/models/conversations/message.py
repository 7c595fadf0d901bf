"""The transcript: every line that anybody saw, numbered without a gap."""

from django.db import models
from django.db.models import Q

from dialogue.models.conversations.conversation import Conversation

APOLOGY = "error"
"""The key of the line that tells the user of a turn that failed for good; no turn says it."""


class Message(models.Model):
    """One line of the transcript; `seq` starts at 1 and has no gap, `(turn, ordinal)` is the same in a re-run.

    `reply_to` is the event whose turn stored the line before its commit: with an action's start, or when it failed for
    good. Empty for all others.
    """

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"
        OPERATOR = "operator"
        SYSTEM = "system"

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages")
    seq = models.PositiveIntegerField()
    turn = models.ForeignKey("Turn", models.PROTECT, null=True, blank=True, related_name="messages")
    reply_to = models.ForeignKey("Event", models.PROTECT, null=True, blank=True, related_name="replies", db_index=False)
    ordinal = models.PositiveSmallIntegerField(default=0)
    role = models.CharField(max_length=10, choices=Role)
    key = models.CharField(max_length=140, blank=True)
    text = models.TextField(blank=True)
    buttons = models.JSONField(default=list, blank=True)
    author = models.CharField(max_length=150, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("conversation", "seq")
        constraints = [
            models.UniqueConstraint(fields=["conversation", "seq"], name="message_order"),
            models.UniqueConstraint(fields=["turn", "ordinal"], name="message_once"),
            models.UniqueConstraint(
                fields=["reply_to", "ordinal"], name="message_once_early", condition=Q(reply_to__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role}: {self.text[:40]}"
