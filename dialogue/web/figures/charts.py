"""Geometry of the charts, in the units of their viewBox. Numbers are texts with a point, in every language.

Drawn by the server as SVG: no script, no style attribute, so that it works under the content security policy and
without JavaScript. Texts stand beside the drawing as HTML, so that they are readable at every width.
"""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 700.0, 200.0
"""Of a chart with an axis of time."""
BAR_SHARE = 0.7
"""The part of its place that a bar fills."""
ROW_WIDTH = 100.0
MAX_TICKS = 4
TIME_STEPS_SECONDS = (
    *(1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600),
    *(7_200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800, 2_419_200),
)
PATTERNED = frozenset({"expired", "withdrawn", "handed", "asked_back", "not_understood", "corrected"})
"""What is drawn with a pattern, so that it is told apart without colour; the others are filled."""


def pattern_of(kind: str) -> str:
    """Return the `fill` of a class: the page's pattern of that name; "" for one that is filled by the style sheet."""
    return f"url(#p-{kind})" if kind in PATTERNED else ""


@dataclass(frozen=True)
class Segment:
    """One part of a bar: its class says what it counts."""

    kind: str
    x: str
    y: str
    width: str
    height: str

    @property
    def pattern(self) -> str:
        return pattern_of(self.kind)


@dataclass(frozen=True)
class Mark:
    """A point of a chart."""

    x: str
    y: str


def ticks(highest: float) -> list[float]:
    """Return round whole values from 0 to at least `highest`, at most `MAX_TICKS` steps apart."""
    if highest <= 0:
        return [0.0, 1.0]
    rough, power = max(1.0, highest / MAX_TICKS), 1.0
    while power * 10 <= rough:
        power *= 10
    return _scale(highest, next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough))


def time_ticks(longest: float) -> list[float]:
    """Return round spans in seconds from 0 to at least `longest`."""
    rough = longest / MAX_TICKS
    return _scale(longest, next((float(step) for step in TIME_STEPS_SECONDS if step >= rough), rough))


def _scale(highest: float, step: float) -> list[float]:
    count = max(1, int(-(-highest // step)))
    return [step * number for number in range(count + 1)]


def stacked_bars(columns: Sequence[Sequence[tuple[str, float]]], highest: float) -> list[Segment]:
    """Return the segments of stacked bars, from below; each column is (class, value) in this order."""
    place = WIDTH / max(1, len(columns))
    segments = []
    for number, column in enumerate(columns):
        x, base = number * place + place * (1 - BAR_SHARE) / 2, HEIGHT
        for kind, value in column:
            height = value / highest * HEIGHT if highest else 0.0
            base -= height
            if value:
                segments.append(Segment(kind, _text(x), _text(base), _text(place * BAR_SHARE), _text(height)))
    return segments


def column_marks(values: Sequence[float | None], highest: float) -> list[Mark]:
    """Return a mark in the middle of each column that has a value."""
    place = WIDTH / max(1, len(values))
    return [
        Mark(_text((number + 0.5) * place), _text(HEIGHT - value / highest * HEIGHT))
        for number, value in enumerate(values)
        if value is not None and highest
    ]


def row_segments(parts: Sequence[tuple[str, float]], total: float) -> list[Segment]:
    """Return the segments of one lying bar, from left to right, to the scale of `total`."""
    segments, x = [], 0.0
    for kind, value in parts:
        width = value / total * ROW_WIDTH if total else 0.0
        if value:
            segments.append(Segment(kind, _text(x), "0", _text(width), "10"))
        x += width
    return segments


def on_row(value: float | None, highest: float) -> str:
    """Return the place of a value on a lying axis; "" for None."""
    return _text(value / highest * ROW_WIDTH) if value is not None and highest else ""


def level(value: float, highest: float) -> str:
    """Return the height of a line across the chart."""
    return _text(HEIGHT - value / highest * HEIGHT) if highest else _text(HEIGHT)


def _text(number: float) -> str:
    return f"{number:.2f}"
