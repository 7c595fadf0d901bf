"""Deadlines and moments: whether a session's deadline has passed, and how times are written for people."""

from datetime import date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_datetime, get_timezone_location
from django.utils.timezone import get_current_timezone_name, localtime
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from dialogue.models import HITLSession, Preference
from dialogue.models.account import email_field, open_accounts

_DATES = {"es": "d 'de' MMMM 'de' y, HH:mm"}
"""How a language writes a date in words with its time, where it is not "23 November 2026, 14:17"."""
_FULL_DATES = {"es": "EEEE, d 'de' MMMM 'de' y"}
"""How a language writes a whole date, where it is not "Monday, 23 November 2026"; the time follows."""


def deadline_passed(session: HITLSession, at: datetime) -> bool:
    """Whether the session's deadline is at `at` or before; the sweep may not have expired the session yet."""
    return session.expires_at is not None and session.expires_at <= at


def moment_text(at: datetime, now: datetime, *, is_dated: bool = False, has_seconds: bool = False) -> str:
    """Return "14:17", "23 Nov, 14:17" on another day or "23 Nov 2025, 14:17" in another year, in the current zone.

    With `is_dated` the day is there today too, with `has_seconds` it is "14:17:05". `moments.js` writes the same texts
    in the browser.
    """
    local, today = localtime(at), localtime(now)
    clock_text = f"{local:%H:%M:%S}" if has_seconds else f"{local:%H:%M}"
    if local.date() == today.date() and not is_dated:
        return clock_text
    pattern = "d MMM" if local.year == today.year else "d MMM y"
    return f"{_date_words(local.date(), pattern, get_language() or 'en')}, {clock_text}"


def full_moment_text(at: datetime) -> str:
    """Return "Monday, 23 November 2026, 14:17:05 (UTC+01:00, Europe/Madrid)": date, time and zone, for hovering."""
    local, zone, language = localtime(at), get_current_timezone_name(), get_language() or "en"
    pattern = _FULL_DATES.get(language.split("-", maxsplit=1)[0], "EEEE, d MMMM y")
    moment = f"{_date_words(local.date(), pattern, language)}, {local:%H:%M:%S}"
    return f"{moment} (UTC)" if zone == "UTC" else f"{moment} (UTC{local.isoformat()[-6:]}, {zone})"


def absolute_words(at: datetime | None, session: HITLSession, zone: str = "") -> str:
    """Return "23 November 2026, 12:30, Lisbon time" in the reader's language; "" for None.

    `zone` is the reader's, if it is known; else it is the assistant's. Mails and answer pages need this form: their
    readers are elsewhere, and nothing updates a relative time for them.
    """
    if at is None:
        return ""
    zone, locale = zone or _assistants_zone(session), _reader_locale()
    moment = format_datetime(at, _DATES.get(locale.language, "d MMMM y, HH:mm"), tzinfo=ZoneInfo(zone), locale=locale)
    zone_words = _("%s time") % get_timezone_location(zone, locale=locale, return_city=True) if "/" in zone else zone
    return f"{moment}, {zone_words}"


def words_beside(at: datetime, stated: datetime | None, session: HITLSession) -> str:
    """Return "12:30" for a moment on the day of `stated`, which the page says in full; else as `absolute_words`."""
    zone = ZoneInfo(_assistants_zone(session))
    if stated is None or at.astimezone(zone).date() != stated.astimezone(zone).date():
        return absolute_words(at, session)
    return f"{at.astimezone(zone):%H:%M}"


def _assistants_zone(session: HITLSession) -> str:
    from dialogue.turns.compiled_releases import assistant_of  # the engine is loaded when a gate is shown, not at start

    return assistant_of(session.release).timezone


def zone_of_mailbox(address: str) -> str:
    """Return the time zone that the owner of this mailbox chose in the console; "" without one."""
    return _choice_of_mailbox(address, "zone")


def language_of_mailbox(address: str) -> str:
    """Return the language that the owner of this mailbox chose in the console; "" without one."""
    return _choice_of_mailbox(address, "language")


def _choice_of_mailbox(address: str, choice: str) -> str:
    field = email_field()
    if not field or not address:
        return ""
    owners = open_accounts().filter(**{f"{field}__iexact": address}).values("pk")
    choices = Preference.objects.filter(user__in=owners).exclude(**{choice: ""})
    return choices.values_list(choice, flat=True).first() or ""


@lru_cache(maxsize=512)
def _date_words(day: date, pattern: str, language: str) -> str:
    """Return the words of a day. A list has a hundred moments of few days, and Babel's formatting is slow."""
    return format_date(day, pattern, locale=Locale.parse(language, sep="-"))


def _reader_locale() -> Locale:
    return Locale.parse(get_language() or "en", sep="-")
