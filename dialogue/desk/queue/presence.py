"""Presence: who has which gate open, and which operators are available for chats.

Colleagues are told of an open gate, so that two people do not work on the same one unknowingly. A customer who waits
for a person is told when no operator is available. Both are marks in the database that an open page renews.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from dialogue.desk.access.people import DECIDE, Person, may_see, visible_sessions
from dialogue.models import Attendance, Presence
from dialogue.models.account import display_name
from dialogue.turns import clock

VIEW_LIFETIME = timedelta(seconds=60)
"""How long a view counts without renewal, for pages that went away without closing it."""

VIEW_RENEWAL_AGE = timedelta(seconds=25)
"""The age at which a view is renewed: less than half its lifetime, so that one renewal may be lost."""

AVAILABILITY_RENEWAL_AGE = timedelta(seconds=40)
"""The age at which an availability mark is renewed; `turns.availability` says when a mark is too old to count."""

MAX_VIEWERS = 200
"""Views that one list returns."""


@dataclass(frozen=True)
class Viewer:
    """A person who has the session `number` open."""

    number: int
    name: str

    def plain(self) -> dict[str, object]:
        """Return {number, name}."""
        return {"number": self.number, "name": self.name}


def start_viewing(person: Person, number: int) -> bool:
    """Mark that this person has the session open, or renew the mark. Return whether colleagues did not know it yet."""
    if not visible_sessions(person).filter(pk=number).exists():
        return False
    now = clock.now()
    own_views = Presence.objects.filter(session_id=number, by_id=person.id)
    is_known = own_views.filter(until__gt=now).exists()
    if not own_views.update(until=now + VIEW_LIFETIME):
        # Not create(): the same person may have opened the session in a second window since the update.
        Presence.objects.update_or_create(session_id=number, by_id=person.id, defaults={"until": now + VIEW_LIFETIME})
    return not is_known


def needs_renewal(viewed_at: datetime | None) -> bool:
    """Whether a view that was marked at `viewed_at` has to be renewed."""
    return viewed_at is None or clock.now() - viewed_at >= VIEW_RENEWAL_AGE


def stop_viewing(person: Person, number: int) -> None:
    """Delete this person's view of the session, and all views that have expired."""
    Presence.objects.filter(session_id=number, by_id=person.id).delete()
    Presence.objects.filter(until__lte=clock.now()).delete()


def other_viewers(person: Person) -> list[Viewer]:
    """Return the colleagues who have sessions open that this person may see, by session and person."""
    rows = Presence.objects.filter(until__gt=clock.now()).exclude(by_id=person.id)
    views = rows.select_related("by", "session__conversation").order_by("session_id", "by_id")[:MAX_VIEWERS]
    return [Viewer(view.session_id, display_name(view.by)) for view in views if may_see(person, view.session)]


def mark_available(person: Person, marked_at: datetime | None = None) -> datetime | None:
    """Mark that this operator is available, unless the mark of `marked_at` is recent. Return the time of the last mark.

    Only people who take chats count: a supervisor without the right to decide, or an auditor, helps no customer.
    """
    now = clock.now()
    if not person.has(DECIDE) or person.is_auditor or (marked_at and now - marked_at < AVAILABILITY_RENEWAL_AGE):
        return marked_at
    Attendance.objects.update_or_create(user_id=person.id, defaults={"seen_at": now})
    return now
