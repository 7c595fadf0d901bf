"""Triage: the priority of a session, and its tags."""

from collections.abc import Iterable

from dialogue.desk.access.people import Caller
from dialogue.desk.forms import refusals
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.sessions import transitions
from dialogue.desk.sessions.operation import Operation, Outcome, Request, run_operation
from dialogue.models import HITLSession, SessionTag

MAX_PRIORITY = 100
"""Priorities go from -100 to 100; 0 is the default of a step."""

MAX_TAGS = 10
MAX_TAG_CHARACTERS = 40


def prioritise(number: int, caller: Caller, priority: int, *, version: int | None = None) -> Outcome:
    """Set the session's priority; the deadline stays. Raises InvalidValue, and what `claims.claim` raises."""

    def set_priority(operation: Operation) -> Outcome:
        operation.check_all()
        if abs(priority) > MAX_PRIORITY:
            limits = {"low": -MAX_PRIORITY, "high": MAX_PRIORITY}
            detail = _("A priority is a whole number from %(low)s to %(high)s.") % limits
            raise refusals.InvalidValue(detail, session=operation.session)
        operation.update(priority=priority)
        operation.publish({"priority": priority})
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.PRIORITISE, version), set_priority)


def set_tags(number: int, caller: Caller, names: Iterable[str]) -> Outcome:
    """Replace the session's tags. The version stays, because no form shows them.

    Raises InvalidValue, and what `claims.claim` raises.
    """
    tags_wanted = normalise_tags(names)

    def replace_tags(operation: Operation) -> Outcome:
        operation.check_all()
        session = operation.session
        if len(tags_wanted) > MAX_TAGS:
            raise refusals.InvalidValue(_("A gate takes at most %s tags.") % MAX_TAGS, session=session)
        if any(len(name) > MAX_TAG_CHARACTERS for name in tags_wanted):
            raise refusals.InvalidValue(_("A tag has at most %s characters.") % MAX_TAG_CHARACTERS, session=session)
        tags = SessionTag.objects.filter(session=operation.session)
        tags.exclude(name__in=tags_wanted).delete()
        current_tags = set(tags.values_list("name", flat=True))
        SessionTag.objects.bulk_create(
            SessionTag(session=operation.session, name=name) for name in tags_wanted - current_tags
        )
        operation.publish({"tags": sorted(tags_wanted)})
        return Outcome(operation.session)

    return run_operation(Request(number, caller, transitions.TAG), replace_tags)


def normalise_tags(names: Iterable[str]) -> frozenset[str]:
    """Return tags as stored: lowercase, with single spaces, without empty and repeated ones."""
    return frozenset(" ".join(name.replace("\0", "").casefold().split()) for name in names) - {""}


def tags_of(session: HITLSession) -> list[str]:
    """Return the session's tags in alphabetical order."""
    return sorted(tag.name for tag in session.tags.all())
