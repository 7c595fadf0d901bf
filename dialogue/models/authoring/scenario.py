"""Scenarios of an assistant: the documents, the scenarios in them, and their runs."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.authoring.background_run import Run
from dialogue.models.conversations.conversation import Conversation


class ScenarioDocument(models.Model):
    """One scenario file with the text as the author wrote it. `version` grows with every save.

    `origin` is the production conversation that it was promoted from: it is deleted when that one is erased.
    """

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="scenario_documents")
    name = models.CharField(max_length=100)
    text = models.TextField()
    version = models.PositiveIntegerField(default=1)
    origin = models.ForeignKey(Conversation, models.CASCADE, null=True, blank=True, related_name="scenarios")
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    saved_at = models.DateTimeField()

    class Meta:
        ordering = ("assistant", "name")
        constraints = [models.UniqueConstraint(fields=["assistant", "name"], name="scenario_document_once")]

    def __str__(self) -> str:
        return self.name

    @property
    def filename(self) -> str:
        return f"{self.name}.yaml"


class Scenario(models.Model):
    """One scenario of a document; saving the document replaces it. `result` is that of its last run.

    `passed` is None if it was not run since the document was saved. `sha256` is that of the assistant's texts then.
    """

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="scenarios")
    document = models.ForeignKey(ScenarioDocument, models.CASCADE, related_name="scenarios")
    place = models.PositiveIntegerField()
    title = models.CharField(max_length=300)
    turns = models.PositiveIntegerField()
    gates = models.PositiveIntegerField(default=0)
    passed = models.BooleanField(null=True, blank=True)
    fact = models.CharField(max_length=500, blank=True)
    seconds = models.FloatField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    result = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("document__name", "place")
        constraints = [models.UniqueConstraint(fields=["document", "place"], name="scenario_place_once")]
        indexes = [models.Index(fields=["assistant", "passed"], name="scenario_passed")]

    def __str__(self) -> str:
        return self.title


class ScenarioRun(Run):
    """One run of some or all scenarios of an assistant, with its progress."""

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="scenario_runs")
    sha256 = models.CharField(max_length=64)
    nlu = models.CharField(max_length=20, default="given")
    whole = models.BooleanField(default=True)
    failed = models.PositiveIntegerField(default=0)

    class Meta(Run.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["assistant"], name="scenario_run_one_at_a_time", condition=Q(state="running")
            )
        ]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.assistant_id}"
