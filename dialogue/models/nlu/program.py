"""Optimised programs for the language model."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from dialogue.models.assistants.assistant import Assistant


class NLUProgram(models.Model):
    """A program for the language model as JSON text with its hash. At most one of an assistant serves.

    CANDIDATE -> SERVING -> RETIRED, and back: `replaced` is the one that served before it, None the built-in one.
    `scores` are its own on the held-out data, `baseline` those of the program that served then, on the same data.
    """

    class State(models.TextChoices):
        CANDIDATE = "candidate"
        SERVING = "serving"
        RETIRED = "retired"

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="nlu_programs")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State, default=State.CANDIDATE)
    artefact = models.TextField()
    sha256 = models.CharField(max_length=64)
    signature = models.CharField(max_length=64)
    dspy = models.CharField(max_length=20)
    model = models.CharField(max_length=200)
    optimizer = models.CharField(max_length=20)
    data = models.CharField(max_length=64)
    scores = models.JSONField(default=dict, blank=True)
    baseline = models.JSONField(default=dict, blank=True)
    beaten = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="+")
    replaced = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="+")
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+")
    made_at = models.DateTimeField()
    promoted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("assistant", "-number")
        constraints = [
            models.UniqueConstraint(fields=["assistant", "number"], name="nlu_program_once"),
            models.UniqueConstraint(fields=["assistant"], name="nlu_program_one_serves", condition=Q(state="serving")),
        ]

    def __str__(self) -> str:
        return f"program {self.number}"
