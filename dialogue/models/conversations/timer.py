"""The moments at which the clock tells a conversation that a wait, a reminder or a time limit is over."""

from django.db import models
from django.db.models import Q

from dialogue.models.conversations.conversation import Conversation


class Timer(models.Model):
    """One timer of one pause of a flow: `task_key` is the pause's, `name` is due, reminder or timeout.

    The commit of the turn that opens the pause writes the row, and the commit of the turn that ends it deletes the
    row. `fired_at` is set in the transaction that accepts the timer's event, so that there is one event.
    """

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="timers", db_index=False)
    task_key = models.CharField(max_length=200)
    name = models.CharField(max_length=10)
    due_at = models.DateTimeField()
    fired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("due_at", "pk")
        constraints = [models.UniqueConstraint(fields=["conversation", "task_key", "name"], name="timer_once")]
        indexes = [models.Index(fields=["due_at"], name="timer_due", condition=Q(fired_at__isnull=True))]

    def __str__(self) -> str:
        return f"{self.name} of {self.task_key}"
