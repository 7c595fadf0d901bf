"""Sign-in with rate limits: per name and network, per name, and per network.

A wrong password costs a try; a right one gives the name's tries from this place back.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any

from django import forms
from django.contrib.auth.forms import AuthenticationForm
from django.db import transaction
from django.db.models import F
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import TryCounter
from dialogue.models.account import username_field
from dialogue.turns import clock
from dialogue.web.shared.limits import Limit, LimitReached, address_of, increment, network_of
from dialogue.web.shared.times import span_text

WINDOW = timedelta(minutes=15)
"""Tries are counted from the first one, for so long; then everything is forgiven."""


def try_limits(name: str, address: str) -> tuple[Limit, Limit, Limit]:
    """Limits for a name from one network (a person who mistypes), for the name, and for the network."""
    name, network = name.strip().casefold(), network_of(address)
    limits = ((f"both {network} {name}", 5), (f"name {name}", 30), (f"place {network}", 100))
    both, one_name, one_network = (Limit(about, max_tries, WINDOW) for about, max_tries in limits)
    return both, one_name, one_network


def count_try(name: str, address: str) -> None:
    """Count a try before it is made. Raises LimitReached."""
    for limit in try_limits(name, address):
        row = increment(limit)
        if row.tries > limit.maximum:
            if row.tries == limit.maximum + 1:
                _record_limit(limit)
            raise LimitReached(row.since + WINDOW - clock.now())


def forgive_tries(name: str, address: str) -> None:
    """The password was right: the name has all its tries again from this place, and this one counts nowhere."""
    both, *others = (limit.key for limit in try_limits(name, address))
    TryCounter.objects.filter(key=both).delete()
    TryCounter.objects.filter(key__in=others, tries__gt=0).update(tries=F("tries") - 1)


def _record_limit(limit: Limit) -> None:
    """Record the limit once a window: tries must not fill the audit chain."""
    facts = {"limit": limit.subject.split()[0], "of": limit.key[:12], "minutes": int(WINDOW.total_seconds() // 60)}
    with transaction.atomic():
        chain.record(CONSOLE, [Act("sign_in.limited", "sign-in", facts=facts)], clock.now())


class LimitedSignInForm(AuthenticationForm):
    """Name and password, with a limit on trying that says how long to wait."""

    limit_message = ""
    """The sentence that says how long to wait, when that is what is wrong."""
    retry_after_seconds = 0

    @property
    def sign_in_label(self) -> str:
        """What people sign in with, such as "User name", or "Email address" in a project of other accounts."""
        return _("User name") if username_field() == "username" else str(self.fields["username"].label)

    def clean(self) -> dict[str, Any]:
        name, address = str(self.cleaned_data.get("username") or ""), address_of(self.request)
        try:
            count_try(name, address)
        except LimitReached as limit:
            minutes = span_text(limit.wait + timedelta(minutes=1))  # rounded up: a minute too few would fail again
            self.limit_message = _("Too many tries. Please wait %s, then try again.") % minutes
            self.retry_after_seconds = limit.seconds
            raise forms.ValidationError(self.limit_message, code="too_many_tries") from None
        cleaned: dict[str, Any] = super().clean()
        forgive_tries(name, address)
        return cleaned


def limited_sign_in(sign_in: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The view, answering 429 with `Retry-After` where a limit refused its form."""

    @wraps(sign_in)
    def limited_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = sign_in(request, *args, **kwargs)
        form = (getattr(response, "context_data", None) or {}).get("form")
        if isinstance(form, LimitedSignInForm) and form.limit_message:
            response.status_code = 429
            response["Retry-After"] = str(form.retry_after_seconds)
        return response

    return limited_view
