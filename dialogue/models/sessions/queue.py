"""How people keep their queues in order: views of their own, tags on gates, who looks at what, and in full."""

from django.conf import settings
from django.db import models

from dialogue.models.conversations.conversation import Conversation
from dialogue.models.sessions.session import HITLSession


class SavedView(models.Model):
    """A person's own view of the queue. `query` is what the page's address asks for, as {name: text}."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=60)
    query = models.JSONField(default=dict)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ("name", "pk")
        constraints = [models.UniqueConstraint(fields=["owner", "name"], name="saved_view_once")]

    def __str__(self) -> str:
        return self.name


class SessionTag(models.Model):
    """A word that people put on a session, to find it by."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="tags")
    name = models.CharField(max_length=40)

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=["session", "name"], name="tag_once")]
        indexes = [models.Index(fields=["name", "session"], name="tag_of_sessions")]

    def __str__(self) -> str:
        return self.name


class Presence(models.Model):
    """Somebody has a session open on their screen; it holds until `until`, renewed while they look."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    until = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "by"], name="presence_once")]

    def __str__(self) -> str:
        return f"{self.by_id} at {self.session_id} until {self.until}"


class FullLook(models.Model):
    """The newest version of a session that somebody has seen with its sensitive values in full; the record has each."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    version = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "by"], name="full_look_once")]

    def __str__(self) -> str:
        return f"{self.by_id} saw {self.session_id} {self.version}"


class Unmasking(models.Model):
    """Somebody sees a conversation's sensitive values until `until`, for a reason; asked for again, the row is renewed.

    The record has each time.
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
