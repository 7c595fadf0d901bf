"""Durations as authors write them: sums of amounts with a unit, such as "30d", "1h30m" or "24h1m"."""

import re
from datetime import timedelta

_SECONDS_BY_UNIT = {"w": 7 * 86_400, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PART = re.compile(r"([0-9]{1,7})([wdhms])")
_SUM = re.compile(r"(?:[0-9]{1,7}[wdhms]){1,6}")
_MAX_DURATION = timedelta(days=3650)


class DurationRefused(ValueError):
    """The text is no duration such as 30m, 1h30m or 30d."""


def parse_duration(text: str) -> timedelta:
    """Read "1h30m" into a timedelta; raises DurationRefused for anything else, for zero and for over ten years."""
    if not _SUM.fullmatch(text):
        raise DurationRefused(f"{text[:60]!r} is no duration. Write amounts with a unit (w, d, h, m, s), such as 1h30m")
    total = timedelta(seconds=sum(int(amount) * _SECONDS_BY_UNIT[unit] for amount, unit in _PART.findall(text)))
    if not timedelta(0) < total <= _MAX_DURATION:
        raise DurationRefused(f"{text!r} is out of range. A duration is more than zero and at most ten years (3650d)")
    return total


def format_duration(duration: timedelta) -> str:
    """The shortest sum of days, hours, minutes and seconds: timedelta(minutes=90) gives "1h30m"."""
    rest = int(duration.total_seconds())
    parts = []
    for unit in "dhms":
        amount, rest = divmod(rest, _SECONDS_BY_UNIT[unit])
        parts.append(f"{amount}{unit}" if amount else "")
    return "".join(parts) or "0s"
