"""Contents of deleted files that are still to be removed from the storage."""

from django.db import models


class FileDeletion(models.Model):
    """One content whose row is deleted, by its name in the storage.

    The transaction that deletes the row writes this one, so that a process that ends before it has removed the content
    leaves the rest to the next sweep. `removed_at` is when the content was removed first; the sweep removes it once
    more later, because an upload that ran meanwhile may have stored it again.
    """

    content = models.CharField(max_length=200, primary_key=True)
    removed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["removed_at"], name="file_deletion_due")]

    def __str__(self) -> str:
        return self.content
