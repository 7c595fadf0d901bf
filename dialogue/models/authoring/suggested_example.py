"""Suggested examples: corrections of the NLU that wait for an author."""

from django.conf import settings
from django.db import models

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.conversations.conversation import Conversation


class Correction(models.Model):
    """The words of a turn should have been understood as this flow. The row is deleted once it is accepted or refused.

    It is deleted with its conversation too; the audit trail records who proposed it and the decision.
    """

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="corrections")
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="corrections", db_index=False)
    turn = models.PositiveIntegerField()
    flow = models.CharField(max_length=64)
    text = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["conversation", "turn"], name="correction_once")]

    def __str__(self) -> str:
        return f"turn {self.turn} of {self.conversation_id} should have been {self.flow}"
