"""Who has which session open on their screen."""

from django.conf import settings
from django.db import models

from dialogue.models.sessions.session import HITLSession


class Presence(models.Model):
    """One person has a session open. The row is valid until `until`, and renewed while the page is open."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    until = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "by"], name="presence_once")]

    def __str__(self) -> str:
        return f"{self.by_id} at {self.session_id} until {self.until}"
