"""Counters of failed attempts, one a time window, for rate limits. Any process raises them atomically."""

from django.db import models


class TryCounter(models.Model):
    """`key` is a hash of what is counted, such as a name with an address; `since` is when its window began."""

    key = models.CharField(max_length=64, primary_key=True)
    since = models.DateTimeField(db_index=True)
    tries = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.tries} since {self.since}"
