"""Being left in peace: toasts and sound are off for a while, the badge never is.

A gate that one holds oneself, and that is about to expire, breaks through.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person, may_see
from dialogue.desk.forms.refusals import LineRefused
from dialogue.models import HITLSession, Preference
from dialogue.turns import clock
from dialogue.turns.live.serializers import listed_title

MAX_MUTE = timedelta(days=1)
"""Who is away for longer has a holiday, not a quiet hour."""

ABOUT_TO_EXPIRE = timedelta(minutes=5)
MAX_URGENT_SESSIONS = 50


@dataclass(frozen=True)
class UrgentSession:
    """A gate that this person holds, and when it breaks through every silence."""

    number: int
    title: str
    expires_at: datetime

    @property
    def breaks_at(self) -> datetime:
        return self.expires_at - ABOUT_TO_EXPIRE


@dataclass(frozen=True)
class MuteState:
    """A person's silence: until when (None: they hear everything), and what may break it, the first to expire first."""

    until: datetime | None
    urgent: tuple[UrgentSession, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON: {until, urgent: [{number, title, expires_at, breaks_at}]}; times ISO 8601 or null."""
        return {
            "until": self.until.isoformat() if self.until else None,
            "urgent": [_urgent_json(session) for session in self.urgent],
        }


def mute(person: int, duration: timedelta) -> datetime:
    """Silence toasts and sound for `duration`, counted from now; the moment at which that ends. Raises LineRefused."""
    check_mute_duration(duration)
    until = clock.now() + duration
    Preference.objects.update_or_create(user_id=person, defaults={"muted_until": until})
    return until


def check_mute_duration(duration: timedelta) -> None:
    """Raise LineRefused for a silence that nobody may ask for."""
    if not timedelta(0) < duration <= MAX_MUTE:
        raise LineRefused(_("Be quiet for at most a day, as in: mute 1h"))


def unmute(person: int) -> None:
    """Hear everything again."""
    Preference.objects.filter(user_id=person).update(muted_until=None)


def mute_state_of(person: Person) -> MuteState:
    """This person's silence as it is now."""
    return mute_states_of([person])[person.id]


def mute_states_of(people: Collection[Person]) -> dict[int, MuteState]:
    """The silence of each of these people, by their accounts, in two queries."""
    now = clock.now()
    accounts = [person.id for person in people]
    until = dict(Preference.objects.filter(user__in=accounts, muted_until__gt=now).values_list("user", "muted_until"))
    own_claimed = HITLSession.objects.filter(state=HITLSession.State.CLAIMED, assignee__in=accounts)
    claimed = list(
        own_claimed.filter(expires_at__gt=clock.sql_now())
        .select_related("conversation")
        .order_by("expires_at", "number")
    )
    return {person.id: MuteState(until.get(person.id), _urgent_sessions(person, claimed)) for person in people}


def _urgent_sessions(person: Person, claimed: Iterable[HITLSession]) -> tuple[UrgentSession, ...]:
    own_sessions = (
        UrgentSession(row.number, listed_title(row), row.expires_at)
        for row in claimed
        if row.expires_at and row.assignee_id == person.id and may_see(person, row)
    )
    return tuple(islice(own_sessions, MAX_URGENT_SESSIONS))


def _urgent_json(urgent: UrgentSession) -> dict[str, Any]:
    return {
        "number": urgent.number,
        "title": urgent.title,
        "expires_at": urgent.expires_at.isoformat(),
        "breaks_at": urgent.breaks_at.isoformat(),
    }
