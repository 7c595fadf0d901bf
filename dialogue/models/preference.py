"""Preferences of a person in the console."""

from django.conf import settings
from django.db import models


class Preference(models.Model):
    """One person's preferences; without a row the defaults apply. `muted_until`: no toasts and no sound before it."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    muted_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"
