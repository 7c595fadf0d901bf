"""Periods of whole days in the reader's time zone, each with the period before it."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from functools import cached_property


@dataclass(frozen=True)
class Period:
    """The days from `first` to `last`, both included, in `zone`. A day begins at its midnight there."""

    first: date
    last: date
    zone: tzinfo

    @classmethod
    def ending_at(cls, now: datetime, days: int, zone: tzinfo) -> "Period":
        """The last `days` days; the last of them is the day of `now`, so far."""
        last = now.astimezone(zone).date()
        return cls(last - timedelta(days=days - 1), last, zone)

    @cached_property
    def start(self) -> datetime:
        return datetime.combine(self.first, time(), self.zone)

    @cached_property
    def end(self) -> datetime:
        """The midnight after the last day."""
        return datetime.combine(self.last + timedelta(days=1), time(), self.zone)

    @property
    def days(self) -> list[date]:
        count = (self.last - self.first).days + 1
        return [self.first + timedelta(days=number) for number in range(count)]

    @property
    def before(self) -> "Period":
        """As many days, up to the one before the first."""
        last = self.first - timedelta(days=1)
        return Period(last - (self.last - self.first), last, self.zone)

    def day_of(self, at: datetime) -> date:
        return at.astimezone(self.zone).date()

    def hour_of(self, at: datetime) -> int:
        return at.astimezone(self.zone).hour

    def __contains__(self, at: datetime) -> bool:
        return self.start <= at < self.end
