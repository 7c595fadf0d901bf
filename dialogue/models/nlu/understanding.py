"""What understanding by language models keeps: programs and how they were made, answers, spending, and alerts."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from dialogue.models.assistants.assistant import Assistant
from dialogue.models.authoring.background_run import Run
from dialogue.models.conversations.conversation import Conversation


class NLUProgram(models.Model):
    """A program for the language model, as JSON text with its hash; at most one of an assistant's serves.

    CANDIDATE -> SERVING -> RETIRED, and back: `replaced` is the one that served before it, None the built-in one.
    `scores` are those of its held-out data, `baseline` those that the program then serving had on the same data.
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


class NLURun(Run):
    """An evaluation or an optimisation on its way."""

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


class NLUAnswer(models.Model):
    """What a language model answered. Without a conversation it holds nobody's values, and answers everybody."""

    key = models.CharField(max_length=64)
    conversation = models.ForeignKey(Conversation, models.CASCADE, null=True, blank=True, related_name="nlu_answers")
    commands = models.JSONField()
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["key", "conversation"], name="nlu_answer_once"),
            models.UniqueConstraint(fields=["key"], name="nlu_answer_shared_once", condition=Q(conversation=None)),
        ]

    def __str__(self) -> str:
        return f"answer {self.key[:8]}"


class NLUSpending(models.Model):
    """What a conversation has cost in language models: calls, tokens, seconds, and money by the settings' prices."""

    conversation = models.OneToOneField(Conversation, models.CASCADE, primary_key=True, related_name="nlu_spending")
    calls = models.PositiveIntegerField(default=0)
    tokens = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0)
    money = models.DecimalField(max_digits=14, decimal_places=6, default=0)

    def __str__(self) -> str:
        return f"{self.calls} calls of {self.conversation_id}"


class Alert(models.Model):
    """Something that only those who run the installation can mend; told once, and over when it works again.

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
