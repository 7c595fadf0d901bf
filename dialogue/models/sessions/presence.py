"""Who has which session open on their screen."""

from django.conf import settings
from django.db import models

from dialogue.models.sessions.session import HITLSession


class Presence(models.Model):
    """Somebody has a session open on their screen; it holds until `until`, renewed while they look."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    until = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "by"], name="presence_once")]

    def __str__(self) -> str:
        return f"{self.by_id} at {self.session_id} until {self.until}"
