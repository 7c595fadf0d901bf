"""Undo for operations without effects outside: the line of the command bar that takes an operation back."""

from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from dialogue.desk.forms.sentences import clock_time
from dialogue.engine.slots.durations import format_duration
from dialogue.models import HITLSession
from dialogue.turns import clock

MINUTE = timedelta(minutes=1)


def undo_line(name: str, before: HITLSession, person: int) -> str:
    """Return the line that undoes this operation; empty if it changed nothing or cannot be undone.

    `before` is the session before the operation. A line that comes too late is refused like any other.
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
    """Return the line `<words> <duration>` that lasts until `until`, in whole minutes; empty if that has passed."""
    remaining = until - clock.now() if until else timedelta(0)
    minutes = -(-remaining // MINUTE)
    return f"{words} {format_duration(minutes * MINUTE)}" if minutes > 0 else ""


def confirmation_of(name: str, session: HITLSession) -> str:
    """Return the sentence that confirms an operation that can be undone."""
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
