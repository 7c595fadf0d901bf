"""Who has seen which version of a session with its sensitive values in full."""

from django.conf import settings
from django.db import models

from dialogue.models.sessions.session import HITLSession


class FullLook(models.Model):
    """The newest version that one person has seen unredacted. The audit trail records every version."""

    session = models.ForeignKey(HITLSession, models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    version = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["session", "by"], name="full_look_once")]

    def __str__(self) -> str:
        return f"{self.by_id} saw {self.session_id} {self.version}"
