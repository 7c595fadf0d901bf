"""Assistants."""

from django.db import models


class Assistant(models.Model):
    """An assistant: a set of YAML documents, of which one release is active."""

    name = models.SlugField(max_length=64, unique=True)
    title = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    active_release = models.ForeignKey("Release", models.PROTECT, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        permissions = [
            ("publish_assistant", "Can publish and roll back releases"),
            ("test_assistant", "Can try drafts and releases in the test console"),
        ]

    def __str__(self) -> str:
        return self.title
