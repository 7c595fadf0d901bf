"""Parse and format durations as authors write them: "30d", "1h30m", "24h1m"."""

import re
from datetime import timedelta

from dialogue.engine.source.phrases import Phrase

_SECONDS_BY_UNIT = {"w": 7 * 86_400, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PART = re.compile(r"([0-9]{1,7})([wdhms])")
_SUM = re.compile(r"(?:[0-9]{1,7}[wdhms]){1,6}")
_MAX_DURATION = timedelta(days=3650)


class DurationRefused(ValueError):
    """The text is not a duration such as 30m, 1h30m or 30d."""


def parse_duration(text: str) -> timedelta:
    """Return "1h30m" as a timedelta. Raises DurationRefused, also for zero and for more than ten years."""
    if not _SUM.fullmatch(text):
        raise DurationRefused(
            Phrase(
                "{text} is not a duration. Write amounts with a unit (w, d, h, m, s), such as 1h30m",
                text=repr(text[:60]),
            )
        )
    total = timedelta(seconds=sum(int(amount) * _SECONDS_BY_UNIT[unit] for amount, unit in _PART.findall(text)))
    if not timedelta(0) < total <= _MAX_DURATION:
        raise DurationRefused(
            Phrase("{text} is out of range. Write a duration between 1s and ten years (3650d)", text=repr(text))
        )
    return total


def format_duration(duration: timedelta) -> str:
    """Return the shortest sum of days, hours, minutes and seconds: timedelta(minutes=90) gives "1h30m"."""
    rest = int(duration.total_seconds())
    parts = []
    for unit in "dhms":
        amount, rest = divmod(rest, _SECONDS_BY_UNIT[unit])
        parts.append(f"{amount}{unit}" if amount else "")
    return "".join(parts) or "0s"
