"""What a colleague says a customer meant, until an author has looked at it."""

from django.conf import settings
from django.db import models

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.conversations.conversation import Conversation


class Correction(models.Model):
    """These words of a turn should have been understood as this flow; accepted or refused, the row goes.

    It goes with its conversation too; the record has who proposed it and what became of it.
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
