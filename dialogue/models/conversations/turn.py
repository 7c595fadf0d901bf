"""Committed turns, each with the record of its decisions."""

from django.db import models

from dialogue.models.assistants.release import Release
from dialogue.models.conversations.conversation import Conversation
from dialogue.models.conversations.event import Event


class Turn(models.Model):
    """The turn that answered one event. `record` is dialogue.md's "Knowing why", as `TurnOutcome.record`.

    `reading` is how a typed message was understood, for figures: it outlives the record, which retention deletes. It is
    empty for other events, and for what a customer writes to a person. CORRECTED: staff said what was meant.
    """

    class Reading(models.TextChoices):
        NONE = ""
        UNDERSTOOD = "understood"
        ASKED_BACK = "asked_back"
        NOT_UNDERSTOOD = "not_understood"
        CORRECTED = "corrected"

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="turns", db_index=False)
    number = models.PositiveIntegerField()
    event = models.OneToOneField(Event, models.PROTECT, related_name="turn")
    release = models.ForeignKey(Release, models.PROTECT, related_name="+")
    record = models.JSONField()
    reading = models.CharField(max_length=14, choices=Reading, default=Reading.NONE, blank=True)
    state = models.CharField(max_length=10)
    stack = models.JSONField(default=list)
    milliseconds = models.FloatField()
    llm_calls = models.PositiveIntegerField(default=0)
    tokens = models.PositiveIntegerField(default=0)
    finished_at = models.DateTimeField()

    class Meta:
        ordering = ("conversation", "number")
        constraints = [models.UniqueConstraint(fields=["conversation", "number"], name="turn_once")]

    def __str__(self) -> str:
        return f"turn {self.number}"
