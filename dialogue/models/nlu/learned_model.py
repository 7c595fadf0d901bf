"""Sentence embeddings of a release, stored so that they are computed once."""

from django.db import models

from dialogue.models.assistants.release import Release


class LearnedModel(models.Model):
    """One a release: LEARNING -> READY | BROKEN. `vectors` are the embeddings as bytes, `digest` is that of the texts.

    The row may be deleted: a process then computes it again.
    """

    class State(models.TextChoices):
        LEARNING = "learning"
        READY = "ready"
        BROKEN = "broken"

    release = models.OneToOneField(Release, models.CASCADE, primary_key=True, related_name="learned")
    state = models.CharField(max_length=10, choices=State, default=State.LEARNING)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True)
    vectors = models.BinaryField(default=b"")
    error = models.CharField(max_length=500, blank=True)
    began_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"learned of {self.release_id}"
