"""What takes a move back, while nothing has left the system: a line of the command bar."""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from dialogue.desk.forms.deadlines import clock_time
from dialogue.engine.slots.durations import format_duration
from dialogue.models import HITLSession
from dialogue.turns import clock

MINUTE = timedelta(minutes=1)


def undo_line(name: str, before: HITLSession, person: int) -> str:
    """The line that takes back this move of this person; empty for a move that changed nothing or cannot be undone.

    `before` is the session as it was. Taken back too late, the line is refused as any other.
    """
    match name:
        case "claim":
            return "" if before.claim_holder_at(clock.now()) == person else f"release {before.name}"
        case "release":
            return f"claim {before.name}"
        case "snooze":
            return repeat_line(f"snooze {before.name}", before.follow_up_at) or f"unsnooze {before.name}"
        case "unsnooze":
            return repeat_line(f"snooze {before.name}", before.follow_up_at)
        case _:
            return ""


def repeat_line(words: str, until: datetime | None) -> str:
    """The line that says these words with what is left until then, in whole minutes; empty when that has passed."""
    remaining = until - clock.now() if until else timedelta(0)
    minutes = -(-remaining // MINUTE)
    return f"{words} {format_duration(minutes * MINUTE)}" if minutes > 0 else ""


def confirmation_of(name: str, session: HITLSession) -> str:
    """What a move that can be undone came to."""
    match name:
        case "claim":
            return _("You have %s.") % session.name
        case "release" | "unsnooze":
            return _("%s is back in the queue.") % session.name
        case "snooze":
            facts = {"gate": session.name, "when": clock_time(session.follow_up_at)}
            return _("%(gate)s is snoozed until %(when)s.") % facts
        case _:
            return ""
