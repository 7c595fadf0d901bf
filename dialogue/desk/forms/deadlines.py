"""Deadlines and moments: whether a session's deadline has passed, and how times are written for people."""

from datetime import datetime
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_datetime, get_timezone_location
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.models import HITLSession
from dialogue.turns import clock


def deadline_passed(session: HITLSession, at: datetime) -> bool:
    """Whether the session's deadline is at `at` or before; the sweep may not have expired the session yet."""
    return session.expires_at is not None and session.expires_at <= at


def clock_time(at: datetime | None) -> str:
    """Return "14:17", with the day before it unless it is today; "" for None."""
    if at is None:
        return ""
    local, today = localtime(at), localtime(clock.now()).date()
    return date_format(local, "H:i" if local.date() == today else "j M Y, H:i")


def absolute_words(at: datetime, session: HITLSession) -> str:
    """Return "23 November 2026, 12:30, Lisbon time": the assistant's time zone in the reader's language.

    Mails and answer pages need it: their readers are elsewhere, and nothing updates a relative time for them.
    """
    from dialogue.turns.compiled_releases import assistant_of  # the engine is loaded when a gate is shown, not at start

    zone = assistant_of(session.release).timezone
    locale = Locale.parse(get_language() or "en", sep="-")
    moment = format_datetime(at, "d MMMM y, HH:mm", tzinfo=ZoneInfo(zone), locale=locale)
    zone_words = _("%s time") % get_timezone_location(zone, locale=locale, return_city=True) if "/" in zone else zone
    return f"{moment}, {zone_words}"
