"""LangGraph's checkpoints and their pending writes, kept through the ORM so that a turn has one commit."""

from django.db import models


class Checkpoint(models.Model):
    """One checkpoint of one thread. `number` is our own order: wall clocks of different hosts disagree."""

    thread_id = models.CharField(max_length=100)
    namespace = models.CharField(max_length=200, blank=True)
    checkpoint_id = models.CharField(max_length=60)
    parent_id = models.CharField(max_length=60, blank=True)
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
    """A task's write that waits beside a checkpoint (an interrupt, for example)."""

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
