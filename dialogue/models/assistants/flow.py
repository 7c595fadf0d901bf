"""The documents of an assistant: flows, their saved versions, and drafts of their authors."""

from django.conf import settings
from django.db import models

from dialogue.models.assistants.assistant import Assistant

OWN_DOCUMENT = "assistant"
"""The name under which an assistant's own document (`assistant.yaml`) is kept beside its flows."""


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
