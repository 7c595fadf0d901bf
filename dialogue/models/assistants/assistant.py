"""Assistants, their flows, every version of a flow, and the releases that conversations are pinned to."""

from django.conf import settings
from django.db import models

OWN_DOCUMENT = "assistant"
"""The name under which an assistant's own document (`assistant.yaml`) is kept beside its flows."""


class Assistant(models.Model):
    """An assistant: a set of YAML documents, of which one release is active."""

    name = models.SlugField(max_length=64, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    active_release = models.ForeignKey("Release", models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        permissions = [
            ("publish_assistant", "Can publish and roll back releases"),
            ("test_assistant", "Can try drafts and releases in the test console"),
        ]

    def __str__(self) -> str:
        return self.title


class Flow(models.Model):
    """One document of an assistant: a flow, or the assistant's own document under the name `assistant`."""

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="flows")
    name = models.CharField(max_length=64)
    head = models.ForeignKey("FlowVersion", models.PROTECT, null=True, blank=True, related_name="+")
    draft = models.TextField(blank=True)
    archived = models.BooleanField(default=False)

    class Meta:
        ordering = ("assistant", "name")
        constraints = [models.UniqueConstraint(fields=["assistant", "name"], name="flow_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def filename(self) -> str:
        return f"{self.name}.yaml"


class FlowVersion(models.Model):
    """A saved text of one flow; never changed afterwards."""

    flow = models.ForeignKey(Flow, models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    text = models.TextField()
    sha256 = models.CharField(max_length=64)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    note = models.CharField(max_length=500, blank=True)
    saved_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("flow", "number")
        constraints = [models.UniqueConstraint(fields=["flow", "number"], name="flow_version_once")]

    def __str__(self) -> str:
        return f"{self.flow} {self.number}"


class FlowDraft(models.Model):
    """What one author typed and has not saved yet; `base` is the number of the version that it was made from."""

    flow = models.ForeignKey(Flow, models.CASCADE, related_name="drafts")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    text = models.TextField(blank=True)
    base = models.PositiveIntegerField(default=0)
    saved_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["flow", "author"], name="flow_draft_once")]

    def __str__(self) -> str:
        return f"{self.flow} by {self.author}"


class Release(models.Model):
    """A published set of versions. Conversations keep the release they began with.

    A `trial` was never published: it holds the `texts` that somebody tries out in the test console, and has number 0.
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
