"""Read receipts: how far each reader has read a conversation."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from dialogue.models.conversations.conversation import Conversation


class ReadMark(models.Model):
    """One reader has read everything up to `seq`. Without a `reader` it is the customer."""

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
