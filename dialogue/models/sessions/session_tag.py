"""Tags on sessions."""

from django.db import models

from dialogue.models.sessions.session import HITLSession


class SessionTag(models.Model):
    """A word that people put on a session to find it again."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="tags")
    name = models.CharField(max_length=40)

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=["session", "name"], name="tag_once")]
        indexes = [models.Index(fields=["name", "session"], name="tag_of_sessions")]

    def __str__(self) -> str:
        return self.name
