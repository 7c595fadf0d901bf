"""Who is at the desk: an operator whose console listens, or did a moment ago.

A customer who waits for a person is told when nobody is there.
"""

from datetime import datetime, timedelta

from dialogue.desk.access.people import DECIDE, Person
from dialogue.models import Attendance
from dialogue.turns import clock

AVAILABILITY_RENEWAL_AGE = timedelta(seconds=40)
"""How old a mark may grow before the next look of a console renews it; `turns.staffed` says when one is too old."""


def mark_available(person: Person, marked_at: datetime | None = None) -> datetime | None:
    """Mark that this person is there, unless they were `marked_at` a moment ago; when they were marked last.

    Only who takes chats counts: a supervisor without the right to decide, or an auditor, helps no customer.
    """
    now = clock.now()
    if not person.has(DECIDE) or person.is_auditor or (marked_at and now - marked_at < AVAILABILITY_RENEWAL_AGE):
        return marked_at
    Attendance.objects.update_or_create(user_id=person.id, defaults={"seen_at": now})
    return now
