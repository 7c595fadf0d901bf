"""When the console of a person was last open."""

from django.conf import settings
from django.db import models


class Attendance(models.Model):
    """One row a person, renewed while a page of their console is connected."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    seen_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.user_id} seen {self.seen_at}"
