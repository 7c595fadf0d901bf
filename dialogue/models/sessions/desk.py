"""What people at the desk have beside the sessions: how far somebody has read, who is there, and replies for reuse."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from dialogue.models.conversations.conversation import Conversation


class ReadMark(models.Model):
    """How far somebody has read a conversation: everything up to `seq`. Without a `reader` it is the customer."""

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="read_marks")
    reader = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    seq = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "reader"], name="read_mark_of_staff", condition=Q(reader__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["conversation"], name="read_mark_of_customer", condition=Q(reader__isnull=True)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.conversation_id} up to {self.seq}"


class Attendance(models.Model):
    """When somebody's console was last open: one row a person, renewed while a page of theirs listens."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    seen_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.user_id} seen {self.seen_at}"


class SavedReply(models.Model):
    """A text that operators write often. Without an `owner` everybody at the desk has it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    title = models.CharField(max_length=80)
    text = models.TextField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ("title", "pk")
        verbose_name_plural = "saved replies"
        indexes = [models.Index(fields=["owner", "title"], name="reply_of_owner")]

    def __str__(self) -> str:
        return self.title
