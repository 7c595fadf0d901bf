"""Being left in peace: toasts and sound are off for a while, the badge never is.

A gate that one holds oneself, and that is about to expire, breaks through.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.lines import LineRefused
from dialogue.desk.people import Person, visible_sessions
from dialogue.models import HITLSession, Preference
from dialogue.turns import clock

LONGEST = timedelta(days=1)
"""Who is away for longer has a holiday, not a quiet hour."""

ABOUT_TO_EXPIRE = timedelta(minutes=5)
MOST_LISTED = 50


@dataclass(frozen=True)
class Urgent:
    """A gate that this person holds, and when it breaks through every silence."""

    number: int
    title: str
    expires_at: datetime

    @property
    def breaks_at(self) -> datetime:
        return self.expires_at - ABOUT_TO_EXPIRE


@dataclass(frozen=True)
class Quiet:
    """A person's silence: until when (None: they hear everything), and what may break it, the first to expire first."""

    until: datetime | None
    urgent: tuple[Urgent, ...]

    def breaking(self, now: datetime) -> tuple[Urgent, ...]:
        """The gates that are about to expire now."""
        return tuple(each for each in self.urgent if each.breaks_at <= now)

    def plain(self) -> dict[str, Any]:
        """As JSON: {until, urgent: [{number, title, expires_at, breaks_at}]}; times ISO 8601 or null."""
        return {
            "until": self.until.isoformat() if self.until else None,
            "urgent": [_plain(each) for each in self.urgent],
        }


def mute(person: int, duration: timedelta) -> datetime:
    """Silence toasts and sound for `duration`, counted from now; the moment at which that ends. Raises LineRefused."""
    if not timedelta(0) < duration <= LONGEST:
        raise LineRefused(_("Be quiet for at most a day, as in: mute 1h"))
    until = clock.now() + duration
    Preference.objects.update_or_create(user_id=person, defaults={"muted_until": until})
    return until


def unmute(person: int) -> None:
    """Hear everything again."""
    Preference.objects.filter(user_id=person).update(muted_until=None)


def quiet_of(person: Person) -> Quiet:
    """This person's silence as it is now."""
    until = Preference.objects.filter(user_id=person.id).values_list("muted_until", flat=True).first()
    return Quiet(until if until and until > clock.now() else None, tuple(_urgent(person)))


def _urgent(person: Person) -> list[Urgent]:
    held = visible_sessions(person).filter(
        state=HITLSession.State.CLAIMED, assignee=person.id, expires_at__gt=clock.sql_now()
    )
    rows = held.order_by("expires_at", "number").values_list("number", "title", "expires_at")[:MOST_LISTED]
    return [Urgent(number, title, expires_at) for number, title, expires_at in rows if expires_at is not None]


def _plain(urgent: Urgent) -> dict[str, Any]:
    return {
        "number": urgent.number,
        "title": urgent.title,
        "expires_at": urgent.expires_at.isoformat(),
        "breaks_at": urgent.breaks_at.isoformat(),
    }
