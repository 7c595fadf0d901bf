"""What the local model of understanding learned from a release, kept so that no process learns it twice."""

from django.db import models

from dialogue.models.assistants.release import Release


class LearnedModel(models.Model):
    """One a release: LEARNING -> READY | BROKEN. `vectors` are the artefact's bytes, `digest` says what they are of.

    It is no part of the release's meaning: whoever deletes it makes a process learn it again.
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
