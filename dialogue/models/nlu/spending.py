"""What conversations have spent on language models."""

from django.db import models

from dialogue.models.conversations.conversation import Conversation


class NLUSpending(models.Model):
    """Calls, tokens, seconds and money, by the prices in the settings, of one conversation."""

    conversation = models.OneToOneField(Conversation, models.CASCADE, primary_key=True, related_name="nlu_spending")
    calls = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0)
    money = models.DecimalField(max_digits=14, decimal_places=6, default=0)

    def __str__(self) -> str:
        return f"{self.calls} calls of {self.conversation_id}"
