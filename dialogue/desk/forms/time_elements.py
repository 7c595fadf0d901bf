"""Moments as `<time>`: in short for the eye, with the full date, time and zone on hover and for screen readers.

`clocks.js` writes the same elements in the browser, in the reader's zone.
"""

from datetime import datetime

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import get_current_timezone_name

from dialogue.desk.forms.deadlines import full_moment_text, moment_text
from dialogue.turns import clock


def time_element(at: datetime, *, is_dated: bool = False, has_seconds: bool = False) -> SafeString:
    """Return the moment as `<time>`: "14:17" to see, "Monday, 23 November 2026, 14:17:05 (UTC)" to hear.

    With `is_dated` the day is seen today too, with `has_seconds` the seconds.
    """
    mark = '<time {}{}{}><span aria-hidden="true">{}</span><span class="full-moment">{}</span></time>'
    text = moment_text(at, clock.now(), is_dated=is_dated, has_seconds=has_seconds)
    dated, seconds = " data-dated" if is_dated else "", " data-seconds" if has_seconds else ""
    return format_html(mark, moment_attributes(at), dated, seconds, text, full_moment_text(at))


def span_element(at: datetime, words: str, counting: SafeString) -> SafeString:
    """Return a span since or until the moment as `<time>`: "3 hr", to which screen readers add the full moment.

    `counting` is the attribute by which the page keeps the words up to date.
    """
    mark = '<time {} {}><span>{}</span><span class="full-moment">, {}</span></time>'
    return format_html(mark, moment_attributes(at), counting, words, full_moment_text(at))


def moment_attributes(at: datetime) -> SafeString:
    """`data-zone` is the zone of text and title, by which `clocks.js` knows what it has to write in the reader's."""
    mark = 'datetime="{}" title="{}" data-zone="{}"'
    return format_html(mark, at.isoformat(), full_moment_text(at), get_current_timezone_name())
