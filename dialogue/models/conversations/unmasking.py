"""Time-limited access to the sensitive values of a conversation."""

from django.conf import settings
from django.db import models

from dialogue.models.conversations.conversation import Conversation


class Unmasking(models.Model):
    """One person sees the sensitive values of a conversation until `until`. Asked for again, the row is renewed.

    The audit trail records every time with its reason.
    """

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="unmaskings", db_index=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    reason = models.TextField()
    at = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["conversation", "person"], name="unmasking_once")]

    def __str__(self) -> str:
        return f"{self.person_id} sees {self.conversation_id} until {self.until}"
