"""Shares with their intervals, and lines of a table."""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

Z95 = 1.959964


def interval(right: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, in per cent."""
    if not of:
        return 0.0, 100.0
    share, weight = right / of, Z95**2 / of
    centre = (share + weight / 2) / (1 + weight)
    half = Z95 / (1 + weight) * math.sqrt(share * (1 - share) / of + weight / (4 * of))
    return 100 * (centre - half), 100 * (centre + half)


def share_line(name: str, right: int, of: int, demanded: float | None = None) -> str:
    """ "name  91.50 %  [90.65, 92.28]  of 4500  (at least 91)"."""
    low, high = interval(right, of)
    figure = f"{name:62}{100 * right / max(of, 1):7.2f} %  [{low:5.2f}, {high:5.2f}]  of {of}"
    return figure + (f"  (at least {demanded:g}: {_verdict(100 * right / max(of, 1) >= demanded)})" if demanded else "")


class Took(NamedTuple):
    """Milliseconds by the clock, and those that the processor worked; they are apart where others use it too."""

    clock: float
    processor: float


def time_line(name: str, times: Sequence[Took], allowed: float | None = None) -> str:
    clock, worked = ([each[column] for each in times] for column in (0, 1))
    median, late = statistics.median(clock), statistics.quantiles(clock, n=20)[-1]
    limit = f"  (at most {allowed:g}: {_verdict(median <= allowed)})" if allowed else ""
    return f"{name:62}{median:7.2f} ms  p95 {late:.2f} ms, processor {statistics.median(worked):.2f} ms{limit}"


def _verdict(held: bool) -> str:
    return "held" if held else "NOT HELD"
