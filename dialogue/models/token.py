"""API tokens. A token belongs to a user, is stored as a hash, may be limited and end, and can be revoked."""

from datetime import datetime

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """A bearer token; the text itself is shown once, when it is made."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    scopes: "models.JSONField[list[str] | None, list[str] | None]" = models.JSONField(null=True, blank=True)
    """What it is limited to, as names of `desk/access/token_scopes.py`; None: all that its account may do."""
    ends_at = models.DateTimeField(null=True, blank=True)
    """From when on it is refused; None: it has no end."""
    last_used_at = models.DateTimeField(null=True, blank=True)
    """The last use, to a few minutes."""

    class Meta:
        verbose_name = "API token"

    def __str__(self) -> str:
        return self.name

    def has_scope(self, *names: str) -> bool:
        """Whether it may be used for one of these scopes."""
        return self.scopes is None or not set(self.scopes).isdisjoint(names)

    def has_ended(self, now: datetime) -> bool:
        """Whether its end date has passed."""
        return self.ends_at is not None and self.ends_at <= now
