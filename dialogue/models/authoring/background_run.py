"""Background runs: a row holds the progress, so that a reload of the page shows it."""

from django.conf import settings
from django.db import models


class Run(models.Model):
    """Base class for runs of scenarios and of the NLU. A worker renews `beat_at` while it runs."""

    class State(models.TextChoices):
        RUNNING = "running"
        DONE = "done"
        BROKEN = "broken"

    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    error = models.TextField(blank=True)
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    started_at = models.DateTimeField()
    beat_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ("-pk",)
