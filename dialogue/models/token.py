"""API tokens. A token belongs to a user, is stored as a hash, and can be revoked."""

from django.conf import settings
from django.db import models


class ApiToken(models.Model):
    """A bearer token; the text itself is shown once, when it is made."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name
