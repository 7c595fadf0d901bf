"""Cache of the answers of language models."""

from django.db import models
from django.db.models import Q

from dialogue.models.conversations.conversation import Conversation


class NLUAnswer(models.Model):
    """A cached answer. Without a conversation it holds no user's values, and serves all conversations."""

    key = models.CharField(max_length=64)
    conversation = models.ForeignKey(Conversation, models.CASCADE, null=True, blank=True, related_name="nlu_answers")
    commands = models.JSONField()
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "conversation"], name="nlu_answer_once"),
            models.UniqueConstraint(fields=["key"], name="nlu_answer_shared_once", condition=Q(conversation=None)),
        ]

    def __str__(self) -> str:
        return f"answer {self.key[:8]}"
