"""The transcript: every line that was shown, numbered without gaps."""

from django.db import models
from django.db.models import Q

from dialogue.models.conversations.conversation import Conversation

APOLOGY = "error"
"""Key of the line that tells the user that a turn failed for good. It belongs to no turn."""


class Message(models.Model):
    """One line of the transcript. `seq` starts at 1 and has no gaps; `(turn, ordinal)` is the same in each attempt.

    `reply_to` is the event whose turn stored the line before its commit: when an action started, or when the turn
    failed for good. Empty for all others. `parts` (see `dialogue.engine.ports.message_parts`) is what a channel can
    show better than as `text`; empty for a line that is only text, and for lines that are older than parts.
    """

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"
        OPERATOR = "operator"
        SYSTEM = "system"

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages", db_index=False)
    seq = models.PositiveIntegerField()
    turn = models.ForeignKey("Turn", models.PROTECT, null=True, blank=True, related_name="messages", db_index=False)
    reply_to = models.ForeignKey("Event", models.PROTECT, null=True, blank=True, related_name="replies", db_index=False)
    ordinal = models.PositiveSmallIntegerField(default=0)
    role = models.CharField(max_length=10, choices=Role)
    key = models.CharField(max_length=140, blank=True)
    text = models.TextField(blank=True)
    buttons = models.JSONField(default=list, blank=True)
    parts = models.JSONField(default=list, blank=True)
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
