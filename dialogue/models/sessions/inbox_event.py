"""Numbered changes of staff sessions, which open inboxes receive."""

from django.db import models

from dialogue.models.sessions.session import HITLSession

ESCALATED = "escalated"
"""The kind of the change that lets another role act too; clients hear of it as of any change, that role with a word."""

OVERTAKEN = "overtaken"
"""The kind of the change that leaves a decision without effect: the customer was faster with something else."""


class InboxEvent(models.Model):
    """A change of one session. The sockets of the console send those after their cursor, in this order."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="+")
    kind = models.CharField(max_length=20)
    version = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"session.{self.kind} {self.session_id}"
