"""Texts that operators write often."""

from django.conf import settings
from django.db import models


class SavedReply(models.Model):
    """A text for replies. Without an `owner` all operators share it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+")
    title = models.CharField(max_length=80)
    text = models.TextField()
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField()

    class Meta:
        ordering = ("title", "pk")
        verbose_name_plural = "saved replies"
        indexes = [models.Index(fields=["owner", "title"], name="reply_of_owner")]

    def __str__(self) -> str:
        return self.title
