"""A value found in a message, with its position."""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class Span:
    """`value` is a stored form or near it; `start` and `end` are characters; a `weak` span needs its question."""

    start: int
    end: int
    value: JsonValue
    weak: bool = False

    @property
    def length(self) -> int:
        """The number of characters."""
        return self.end - self.start

    def overlaps(self, other: "Span") -> bool:
        """Return whether the two spans share a character."""
        return self.start < other.end and other.start < self.end

    def touches(self, other: "Span") -> bool:
        """Return whether the spans do not overlap and at most one character stands between them."""
        return 0 <= other.start - self.end <= 1 or 0 <= self.start - other.end <= 1


def without_overlaps(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return spans that do not overlap, in the order of the message; longer ones are preferred."""
    accepted: list[Span] = []
    for span in sorted(spans, key=lambda span: -span.length):
        index = bisect_left(accepted, span.start, key=lambda other: other.start)
        if not any(map(span.overlaps, accepted[max(index - 1, 0) : index + 1])):
            accepted.insert(index, span)
    return tuple(accepted)
