"""What the business begins in a conversation: planned flows and messages, and customers who refuse them."""

from django.db import models
from django.db.models import Q

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.conversations.conversation import Conversation


class Outreach(models.Model):
    """A flow or a message that is planned: at `due_at` it becomes an event of the conversation, once.

    `client_id` is the sender's own id of it. `reason` says why it was moved (quiet_hours, handed_over), or why it was
    not begun (opted_out, conversation_over, cancelled).
    """

    class Kind(models.TextChoices):
        START = "start"
        NOTIFY = "notify"

    class State(models.TextChoices):
        PLANNED = "planned"
        DONE = "done"
        CANCELLED = "cancelled"

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="outreaches", db_index=False)
    kind = models.CharField(max_length=10, choices=Kind)
    client_id = models.CharField(max_length=100)
    body_sha256 = models.CharField(max_length=64)
    payload = models.JSONField()
    state = models.CharField(max_length=10, choices=State, default=State.PLANNED)
    reason = models.CharField(max_length=40, blank=True)
    due_at = models.DateTimeField()
    planned_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("due_at", "pk")
        constraints = [models.UniqueConstraint(fields=["conversation", "client_id"], name="outreach_once")]
        indexes = [models.Index(fields=["due_at"], name="outreach_due", condition=Q(state="planned"))]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class ContactRefusal(models.Model):
    """A customer who does not want the assistant to write first.

    A verified customer refuses for all conversations with the assistant, by `user_ref`; another one for this
    `conversation` only, because anybody could give the name.
    """

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="+", db_index=False)
    user_ref = models.CharField(max_length=200, blank=True)
    conversation = models.OneToOneField(Conversation, models.CASCADE, null=True, blank=True, related_name="refusal")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["assistant", "user_ref"], name="refusal_once", condition=~Q(user_ref="")),
        ]

    def __str__(self) -> str:
        return self.user_ref or str(self.conversation_id)
