"""LangGraph's checkpoints and their pending writes, stored by our own saver so that a turn has one commit."""

from django.db import models


class Checkpoint(models.Model):
    """One checkpoint of one thread. They are ordered by `number`: wall clocks of different hosts disagree."""

    thread_id = models.CharField(max_length=100)
    namespace = models.CharField(max_length=200, blank=True)
    checkpoint_id = models.CharField(max_length=60)
    parent_id = models.CharField(max_length=60, blank=True)
    # Checkpoint ids of LangGraph sort by the clock of the host that made them.
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=20)
    blob = models.BinaryField()
    metadata = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["thread_id", "namespace", "checkpoint_id"], name="checkpoint_once"),
            models.UniqueConstraint(fields=["thread_id", "namespace", "number"], name="checkpoint_order"),
        ]

    def __str__(self) -> str:
        return f"{self.thread_id} {self.number}"


class CheckpointWrite(models.Model):
    """A task's pending write of a checkpoint, such as an interrupt."""

    thread_id = models.CharField(max_length=100)
    namespace = models.CharField(max_length=200, blank=True)
    checkpoint_id = models.CharField(max_length=60)
    task_id = models.CharField(max_length=60)
    task_path = models.CharField(max_length=200, blank=True)
    position = models.IntegerField()
    channel = models.CharField(max_length=200)
    kind = models.CharField(max_length=20)
    blob = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["thread_id", "namespace", "checkpoint_id", "task_id", "position"], name="checkpoint_write_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.checkpoint_id} {self.channel}"
