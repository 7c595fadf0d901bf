"""Images of an assistant's folder, which its messages show."""

from django.db import models

from dialogue.models.assistants.assistant import Assistant


class AssistantImage(models.Model):
    """An image of the assistant's folder `images`. It is small, so that the row holds its content."""

    assistant = models.ForeignKey(Assistant, models.CASCADE, related_name="images")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10)
    content = models.BinaryField()
    digest = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=["assistant", "name"], name="assistant_image_name")]

    def __str__(self) -> str:
        return self.name
