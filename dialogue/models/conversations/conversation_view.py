"""Saved views: filters of the list of conversations that a person keeps under a name."""

from django.conf import settings
from django.db import models


class ConversationView(models.Model):
    """A person's own view of the list. `query` holds the query parameters of its URL, `{name: text}`."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    query = models.JSONField(default=dict)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("name", "pk")
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="conversation_view_once")]

    def __str__(self) -> str:
        return self.name
