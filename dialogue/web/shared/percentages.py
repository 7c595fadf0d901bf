"""Shares as whole percentages, rounded the same way on every page."""


def percent_of(part: int, whole: int) -> int:
    """Round to the nearest: 91 for 10 of 11. Only all of them are 100, and only none are 0; 0 of nothing, too."""
    if part in (0, whole):
        return 100 if part else 0
    return min(99, max(1, round(100 * part / whole)))
