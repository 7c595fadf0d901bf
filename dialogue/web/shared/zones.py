"""Time zones of readers: the one that a person chose, else the browser's, which a cookie tells."""

from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import gettext as _

from dialogue.models import Preference
from dialogue.models.account import Account

ZONE_COOKIE = "zone"
"""Written by `zone.js`."""
SESSION_KEY = "zone"
"""The chosen zone is kept in the session too, which a request reads anyway."""


class UnknownZone(ValueError):
    """A name that is not an IANA time zone; its text says what to write."""


@cache
def zone_names() -> tuple[str, ...]:
    """The time zones that a person can choose: places ("Europe/Madrid") and UTC, in the order of the alphabet."""
    places = (name for name in _known_zones() if "/" in name and not name.startswith(("Etc/", "SystemV/", "US/")))
    return (*sorted(places), "UTC")


def zone_of_request(request: HttpRequest) -> ZoneInfo | None:
    """Return the zone of this request's reader; None if neither a choice nor the browser tells a zone that exists."""
    return _zone_named(chosen_zone_of(request)) or _zone_named(request.COOKIES.get(ZONE_COOKIE, ""))


def chosen_zone_of(request: HttpRequest) -> str:
    """Return the zone that this request's person chose; empty without a choice."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES or not hasattr(request, "session"):
        return ""
    return str(request.session.get(SESSION_KEY, ""))


def choose_zone(request: HttpRequest, person: int, name: str) -> None:
    """Store the zone for this person; an empty name goes back to the browser's. Raises UnknownZone."""
    if name and name not in _known_zones():
        text = _("“%s” is not a time zone. Choose one of the list, such as Europe/Madrid, or leave the field empty.")
        raise UnknownZone(text % name[:40])
    Preference.objects.update_or_create(user_id=person, defaults={"zone": name})
    request.session[SESSION_KEY] = name


def keep_chosen_zone(sender: Any, request: HttpRequest, user: Account, **_kwargs: Any) -> None:
    """Copy the chosen zone into the session of a person who signs in."""
    zone = Preference.objects.filter(user=user.pk).values_list("zone", flat=True).first()
    if zone:
        request.session[SESSION_KEY] = zone


@cache
def _known_zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _zone_named(name: str) -> ZoneInfo | None:
    return ZoneInfo(name) if name in _known_zones() else None
