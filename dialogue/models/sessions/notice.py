"""Outbox of mails that carry answer links."""

import uuid

from django.db import models

from dialogue.models.sessions.answer_link import AnswerLink


class Notice(models.Model):
    """A mail to send, written in the transaction of what it announces, and sent by the sweep at least once.

    PENDING -> SENT | INCIDENT | VOID; void means that the mail is no longer needed. `uid` is the mail's id, the
    same in every attempt, so that a mailbox can recognise a repeat.
    """

    class State(models.TextChoices):
        PENDING = "pending"
        SENT = "sent"
        INCIDENT = "incident"
        VOID = "void"

    uid = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    link = models.ForeignKey(AnswerLink, models.CASCADE, related_name="notices")
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True)
    made_at = models.DateTimeField()
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        indexes = [models.Index(fields=["due_at"], name="notice_due", condition=models.Q(state="pending"))]

    def __str__(self) -> str:
        return f"mail {self.uid}"
