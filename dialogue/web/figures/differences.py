"""Differences to the period before, in words."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dialogue.web.shared.times import short_span_text

Wish = Literal["more", "less", ""]
"""Which direction is good; "" where neither is."""
NOTICEABLE_SHARE = 0.005
NOTICEABLE_SECONDS = 1.0


@dataclass(frozen=True)
class Difference:
    """A difference in words, its tone ("good", "bad" or ""), and its sign, an icon."""

    words: str
    tone: str = ""
    sign: str = ""


NO_COMPARISON = Difference("")


def count_difference(now: int, before: int, wish: Wish = "") -> Difference:
    """Compare two counts: "12% more"."""
    if not before:
        return NO_COMPARISON
    change = (now - before) / before
    if abs(change) < NOTICEABLE_SHARE:
        return Difference(_("about the same"))
    percent = number_format(round(abs(change) * 100), 0)  # number_format cuts
    words = _("%s%% more") % percent if change > 0 else _("%s%% fewer") % percent
    return _with_tone(words, change, wish)


def rate_difference(now: float | None, before: float | None, wish: Wish) -> Difference:
    """Compare two shares from 0 to 1: "0.9 points better"."""
    if now is None or before is None:
        return NO_COMPARISON
    change = now - before
    if abs(change) < NOTICEABLE_SHARE / 10:
        return Difference(_("about the same"))
    points = number_format(round(abs(change) * 100, 1), 1)
    is_better = (change > 0) == (wish == "more")
    words = _("%s points better") % points if is_better else _("%s points worse") % points
    return _with_tone(words, change, wish)


def span_difference(now: float | None, before: float | None) -> Difference:
    """Compare two spans in seconds: "2 min faster"."""
    if now is None or before is None:
        return NO_COMPARISON
    change = now - before
    if abs(change) < NOTICEABLE_SECONDS:
        return Difference(_("about the same"))
    span = short_span_text(timedelta(seconds=abs(change)))
    return _with_tone(_("%s faster") % span if change < 0 else _("%s slower") % span, change, "less")


def _with_tone(words: str, change: float, wish: Wish) -> Difference:
    if not wish:
        return Difference(words, "", "up" if change > 0 else "down")
    is_better = (change > 0) == (wish == "more")
    return Difference(words, "good" if is_better else "bad", "ok" if is_better else "warn")
