"""Evaluations and optimisations that run in the background."""

from django.db import models
from django.db.models import Q

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.authoring.background_run import Run
from dialogue.models.nlu.program import NLUProgram


class NLURun(Run):
    """One evaluation or optimisation, with its progress."""

    class Kind(models.TextChoices):
        EVALUATION = "evaluation"
        OPTIMISATION = "optimisation"

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="nlu_runs")
    kind = models.CharField(max_length=12, choices=Kind)
    nlu = models.CharField(max_length=10, blank=True)
    optimizer = models.CharField(max_length=20, blank=True)
    program = models.ForeignKey(NLUProgram, models.CASCADE, null=True, blank=True, related_name="runs")
    stage = models.CharField(max_length=40, blank=True)
    report = models.JSONField(default=dict, blank=True)

    class Meta(Run.Meta):
        constraints = [
            models.UniqueConstraint(fields=["assistant"], name="nlu_run_one_at_a_time", condition=Q(state="running"))
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
