"""Signing in, with limits on trying: how often for one name from one place, for one name, and from one place.

Counters are rows, raised by one update before the password is looked at, so that tries at the same moment, in whichever
process, count each. A wrong password costs a try; a right one gives the name's tries from this place back.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import TryCounter
from dialogue.turns import clock
from dialogue.web.times import span_words

WINDOW = timedelta(minutes=15)
"""Tries are counted from the first one, for so long; then everything is forgiven."""


@dataclass(frozen=True)
class Limit:
    """One thing that is counted: what it is about, and how many tries a window it has."""

    about: str
    most: int

    @property
    def key(self) -> str:
        """Names and addresses are personal: only their hash is kept."""
        return hashlib.sha256(self.about.encode("utf-8", "surrogatepass")).hexdigest()


class TooManyTries(Exception):
    """Nobody may try this now; `again_at` is when they may."""

    def __init__(self, again_at: datetime) -> None:
        super().__init__(again_at)
        self.again_at = again_at


def limits_of(name: str, address: str) -> tuple[Limit, Limit, Limit]:
    """Five wrong passwords of a person who mistypes; more for whoever tries one name from everywhere, or every name."""
    name = name.strip().casefold()
    return Limit(f"both {address} {name}", 5), Limit(f"name {name}", 30), Limit(f"place {address}", 100)


def count_try(name: str, address: str) -> None:
    """Count a try before it is made. Raises TooManyTries."""
    for limit in limits_of(name, address):
        row = _raised(limit)
        if row.tries > limit.most:
            if row.tries == limit.most + 1:
                _record(limit)
            raise TooManyTries(row.since + WINDOW)


def forgive(name: str, address: str) -> None:
    """The password was right: the name has all its tries again from this place, and this one counts nowhere."""
    both, *others = (limit.key for limit in limits_of(name, address))
    TryCounter.objects.filter(key=both).delete()
    TryCounter.objects.filter(key__in=others, tries__gt=0).update(tries=F("tries") - 1)


def _raised(limit: Limit) -> TryCounter:
    now = clock.now()
    old = TryCounter.objects.filter(key=limit.key, since__lte=now - WINDOW)
    if old.update(tries=1, since=now) == 0 and not _one_more(limit):
        TryCounter.objects.filter(since__lte=now - WINDOW).delete()  # those of others that are of no more use
        try:
            with transaction.atomic():
                TryCounter.objects.create(key=limit.key, since=now, tries=1)
        except IntegrityError:
            _one_more(limit)  # somebody else's first try came in between
    return TryCounter.objects.get(key=limit.key)


def _one_more(limit: Limit) -> int:
    return TryCounter.objects.filter(key=limit.key).update(tries=F("tries") + 1)


def _record(limit: Limit) -> None:
    """Once a window, so that nobody fills the record by trying."""
    facts = {"limit": limit.about.split()[0], "of": limit.key[:12], "minutes": int(WINDOW.total_seconds() // 60)}
    with transaction.atomic():
        chain.record(CONSOLE, [Act("sign_in.limited", "sign-in", facts=facts)], clock.now())


class LimitedTries(AuthenticationForm):
    """Name and password, with a limit on trying that says how long to wait."""

    limited = ""
    """The sentence that says how long to wait, when that is what is wrong."""

    def clean(self) -> dict[str, Any]:
        name, address = str(self.cleaned_data.get("username") or ""), _address_of(self.request)
        try:
            count_try(name, address)
        except TooManyTries as refused:
            self.limited = _told(refused)
            raise forms.ValidationError(self.limited, code="too_many_tries") from None
        cleaned: dict[str, Any] = super().clean()
        forgive(name, address)
        return cleaned


class LimitedAdminTries(LimitedTries, AdminAuthenticationForm):
    """The same at the admin's own door."""


def _address_of(request: HttpRequest | None) -> str:
    return str(request.META.get("REMOTE_ADDR", "")) if request else ""


def _told(refused: TooManyTries) -> str:
    wait = span_words(refused.again_at - clock.now() + timedelta(minutes=1))
    return _("Too many tries. Please wait %s, then try again.") % wait


admin.site.login_form = LimitedAdminTries
