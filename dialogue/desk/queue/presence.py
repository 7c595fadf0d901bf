"""Who has which gate open just now: told to colleagues, so that two do not read the same one unawares.

A look lasts for a minute and is renewed while the page is open; whoever dies without a word is gone after that.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from dialogue.desk.access.people import Person, may_see, visible_sessions
from dialogue.models import Presence
from dialogue.models.account import display_name
from dialogue.turns import clock

VIEW_LIFETIME = timedelta(seconds=60)
VIEW_RENEWAL_AGE = timedelta(seconds=25)
"""How old a look may grow before it is renewed: one renewal may be lost."""

MAX_VIEWERS = 200
"""Looks that are told of at once."""


@dataclass(frozen=True)
class Viewer:
    """Somebody has this session open."""

    number: int
    name: str

    def plain(self) -> dict[str, object]:
        return {"number": self.number, "name": self.name}


def start_viewing(person: Person, number: int) -> bool:
    """This person has the session open from now on, or still; whether that is news to anybody."""
    if not visible_sessions(person).filter(pk=number).exists():
        return False
    now = clock.now()
    mine = Presence.objects.filter(session_id=number, by_id=person.id)
    known = mine.filter(until__gt=now).exists()
    if not mine.update(until=now + VIEW_LIFETIME):
        Presence.objects.update_or_create(session_id=number, by_id=person.id, defaults={"until": now + VIEW_LIFETIME})
    return not known


def needs_renewal(since: datetime | None) -> bool:
    """Whether a look that was marked then wants to be renewed."""
    return since is None or clock.now() - since >= VIEW_RENEWAL_AGE


def stop_viewing(person: Person, number: int) -> None:
    """This person has closed it; what others left behind without a word goes too."""
    Presence.objects.filter(session_id=number, by_id=person.id).delete()
    Presence.objects.filter(until__lte=clock.now()).delete()


def other_viewers(person: Person) -> list[Viewer]:
    """The colleagues who look at sessions that this person may know of, in a fixed order."""
    rows = Presence.objects.filter(until__gt=clock.now()).exclude(by_id=person.id)
    found = rows.select_related("by", "session__conversation").order_by("session_id", "by_id")[:MAX_VIEWERS]
    return [Viewer(row.session_id, display_name(row.by)) for row in found if may_see(person, row.session)]
