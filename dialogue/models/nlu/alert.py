"""Alerts to administrators about language models."""

from django.db import models
from django.db.models import Q


class Alert(models.Model):
    """A problem that only administrators can mend. It is reported once, and over when it works again.

    `subject` names what it is about, such as a model.
    """

    class Kind(models.TextChoices):
        KEY_REFUSED = "key_refused"

    kind = models.CharField(max_length=20, choices=Kind)
    subject = models.CharField(max_length=200)
    times = models.PositiveIntegerField(default=1)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    over_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(fields=["kind", "subject"], name="alert_once", condition=Q(over_at=None))
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
