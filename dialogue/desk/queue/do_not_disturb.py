"""Do not disturb: toasts and sound are off for a while; the badge stays.

A gate that the person holds and that is about to expire is announced all the same.
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
from dialogue.turns.live.titles import listed_title_for_reader

MAX_MUTE = timedelta(days=1)
"""The longest time for which a person may mute the console."""

ABOUT_TO_EXPIRE = timedelta(minutes=5)
MAX_URGENT_SESSIONS = 50


@dataclass(frozen=True)
class UrgentSession:
    """A gate that this person holds; at `breaks_at` it is announced despite the mute."""

    number: int
    title: str
    expires_at: datetime

    @property
    def breaks_at(self) -> datetime:
        return self.expires_at - ABOUT_TO_EXPIRE


@dataclass(frozen=True)
class MuteState:
    """Until when a person is muted (None: not muted), and the gates that may break it, the first to expire first."""

    until: datetime | None
    urgent: tuple[UrgentSession, ...]

    def plain(self) -> dict[str, Any]:
        """As JSON: {until, urgent: [{number, title, expires_at, breaks_at}]}; times ISO 8601 or null."""
        return {
            "until": self.until.isoformat() if self.until else None,
            "urgent": [_urgent_json(session) for session in self.urgent],
        }


def mute(person: int, duration: timedelta) -> datetime:
    """Mute toasts and sound for `duration` from now; return when that ends. Raises LineRefused."""
    check_mute_duration(duration)
    until = clock.now() + duration
    Preference.objects.update_or_create(user_id=person, defaults={"muted_until": until})
    return until


def check_mute_duration(duration: timedelta) -> None:
    """Raise LineRefused unless the duration is between zero and `MAX_MUTE`."""
    if not timedelta(0) < duration <= MAX_MUTE:
        raise LineRefused(_("Mute for at most a day, as in: mute 1h"))


def unmute(person: int) -> None:
    """End the mute."""
    Preference.objects.filter(user_id=person).update(muted_until=None)


def mute_state_of(person: Person) -> MuteState:
    """Return the current mute state of this person."""
    return mute_states_of([person])[person.id]


def mute_states_of(people: Collection[Person]) -> dict[int, MuteState]:
    """Return the mute state of each person by account, in two queries."""
    now = clock.now()
    accounts = [person.id for person in people]
    until = dict(Preference.objects.filter(user__in=accounts, muted_until__gt=now).values_list("user", "muted_until"))
    claimed_rows = HITLSession.objects.filter(state=HITLSession.State.CLAIMED, assignee__in=accounts)
    claimed = list(
        claimed_rows.filter(expires_at__gt=clock.sql_now())
        .select_related("conversation", "release")
        .order_by("expires_at", "number")
    )
    return {person.id: MuteState(until.get(person.id), _urgent_sessions(person, claimed)) for person in people}


def _urgent_sessions(person: Person, claimed: Iterable[HITLSession]) -> tuple[UrgentSession, ...]:
    own_sessions = (
        UrgentSession(row.number, listed_title_for_reader(row), row.expires_at)
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
