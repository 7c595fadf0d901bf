"""Keys that sign receipts of decisions. The private part is derived when it is needed, and stored nowhere."""

from django.db import models


class ReceiptKey(models.Model):
    """A key by its name. Receipts that it has signed stay valid after it was retired."""

    name = models.CharField(max_length=16, primary_key=True)
    salt = models.CharField(max_length=64)
    public_key = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("created_at", "name")

    def __str__(self) -> str:
        return self.name
