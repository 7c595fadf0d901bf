"""Preferences of a person in the console."""

from django.conf import settings
from django.db import models


class Preference(models.Model):
    """One person's preferences; without a row the defaults apply.

    `muted_until`: no toasts and no sound before it.

    `shows_first_steps`: the start page leads this person to the first steps of their role, until they dismiss them. New
    accounts have it.

    `skips_gate_tour`: the tour of the gate does not begin by itself any more, because this person has skipped or ended
    it.

    `zone`: the IANA name of the time zone that this person wants to read times in; empty: the browser's.

    `language`: the code of the language that this person chose for pages and mails; empty: the browser's.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    muted_until = models.DateTimeField(null=True, blank=True)
    shows_first_steps = models.BooleanField(default=False)
    skips_gate_tour = models.BooleanField(default=False)
    zone = models.CharField(max_length=64, blank=True, default="")
    language = models.CharField(max_length=10, blank=True, default="")

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"
