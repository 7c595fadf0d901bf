"""Deadlines for people who are elsewhere: an absolute time with its zone, which no page has to keep up to date."""

from datetime import datetime
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_datetime, get_timezone_location
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.models import HITLSession


def absolute_words(at: datetime, session: HITLSession) -> str:
    """ "23 November 2026, 12:30, Lisbon time": in the assistant's time zone and the reader's language."""
    from dialogue.turns.compiled_releases import assistant_of  # the engine is loaded when a gate is shown, not at start

    zone = assistant_of(session.release).timezone
    locale = Locale.parse(get_language() or "en", sep="-")
    moment = format_datetime(at, "d MMMM y, HH:mm", tzinfo=ZoneInfo(zone), locale=locale)
    return f"{moment}, {_zone_words(zone, locale)}"


def _zone_words(zone: str, locale: Locale) -> str:
    if "/" not in zone:
        return zone
    return _("%s time") % get_timezone_location(zone, locale=locale, return_city=True)
