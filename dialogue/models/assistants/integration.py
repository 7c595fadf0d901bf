"""An assistant on other sites: the origins that may show its chat, and the secrets with which their servers sign."""

from django.conf import settings
from django.db import models

from dialogue.models.assistants.assistant import Assistant


class AllowedOrigin(models.Model):
    """An origin, such as https://www.example.org, whose pages may show the chat and call the API for visitors.

    `seen_at`: when a page of this origin opened the chat last, to the minute.
    """

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="allowed_origins")
    origin = models.CharField(max_length=300)
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    added_at = models.DateTimeField()
    seen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("origin",)
        constraints = [models.UniqueConstraint(fields=["assistant", "origin"], name="allowed_origin_once")]
        indexes = [models.Index(fields=["origin"], name="allowed_origin")]

    def __str__(self) -> str:
        return self.origin


class RefusedOrigin(models.Model):
    """An origin that is not allowed, and whose pages asked for the chat `count` times (at most one a minute counts)."""

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="refused_origins")
    origin = models.CharField(max_length=300)
    count = models.PositiveIntegerField(default=1)
    at = models.DateTimeField()

    class Meta:
        ordering = ("-at",)
        constraints = [models.UniqueConstraint(fields=["assistant", "origin"], name="refused_origin_once")]

    def __str__(self) -> str:
        return self.origin


class SigningSecret(models.Model):
    """A secret with which a site's server signs who its visitor is.

    The text of the secret is not stored: it is derived from `salt` and the installation's own key, so that a copy of
    the database signs nothing. `sha256` tells whether that key is still the one it was derived from. `ends_at`: when a
    rotated secret stops counting.
    """

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="signing_secrets")
    salt = models.CharField(max_length=64)
    sha256 = models.CharField(max_length=64)
    ending = models.CharField(max_length=4)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.assistant.name} …{self.ending}"


class UsedToken(models.Model):
    """A signed token with an id of its own (`jti`), which opened a conversation and opens no second one."""

    secret = models.ForeignKey(SigningSecret, models.CASCADE, related_name="used_tokens")
    sha256 = models.CharField(max_length=64)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["secret", "sha256"], name="used_token_once")]

    def __str__(self) -> str:
        return self.sha256
