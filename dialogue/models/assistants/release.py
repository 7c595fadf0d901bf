"""Releases: published sets of flow versions. Conversations are pinned to one."""

from django.conf import settings
from django.db import models

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.assistants.flow import FlowVersion


class Release(models.Model):
    """A published set of versions. Conversations keep the release they began with.

    A `trial` was never published: it holds the `texts` that are tried out in the test console, and has number 0.
    """

    assistant = models.ForeignKey(Assistant, models.PROTECT, related_name="releases")
    number = models.PositiveIntegerField()
    versions = models.ManyToManyField(FlowVersion, related_name="releases")
    sha256 = models.CharField(max_length=64, db_index=True)
    engine_version = models.CharField(max_length=20)
    note = models.CharField(max_length=500, blank=True)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    published_at = models.DateTimeField(auto_now_add=True)
    trial = models.BooleanField(default=False)
    texts = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("assistant", "number")
        constraints = [
            models.UniqueConstraint(
                fields=["assistant", "number"], name="release_once", condition=models.Q(trial=False)
            ),
            models.UniqueConstraint(fields=["assistant", "sha256"], name="trial_once", condition=models.Q(trial=True)),
        ]

    def __str__(self) -> str:
        return f"{self.assistant.name} {self.number}"

    def documents(self) -> dict[str, str]:
        """The texts of this release by file name."""
        if self.trial:
            return dict(self.texts)
        rows = self.versions.select_related("flow").order_by("flow__name")
        return {version.flow.filename: version.text for version in rows}
