"""How a person wants the console to behave towards them."""

from django.conf import settings
from django.db import models


class Preference(models.Model):
    """One person's row; who has none has changed nothing. `muted_until`: no toasts and no sound before this moment."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    muted_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"preferences of {self.user_id}"
