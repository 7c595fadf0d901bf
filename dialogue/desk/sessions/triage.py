"""Keeping the queue in order: how urgent people find a session, and the words that they put on it."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from dialogue.desk.access.people import Caller
from dialogue.desk.forms import refusals
from dialogue.desk.sessions import transitions
from dialogue.desk.sessions.operation import Knock, Outcome, Visit, go_through
from dialogue.models import HITLSession, SessionTag

HIGHEST = 100
"""Priorities go from minus this to this; 0 is what a step says nothing about."""

MOST_TAGS = 10
LONGEST_TAG = 40


def prioritise(number: int, caller: Caller, priority: int, *, version: int | None = None) -> Outcome:
    """Let the session stand before those of a lower priority; the deadline stays."""

    def work(visit: Visit) -> Outcome:
        visit.check()
        if abs(priority) > HIGHEST:
            limits = {"low": -HIGHEST, "high": HIGHEST}
            detail = _("A priority is a whole number from %(low)s to %(high)s.") % limits
            raise refusals.InvalidValue(detail, session=visit.session)
        visit.write(priority=priority)
        visit.tell({"priority": priority})
        return Outcome(visit.session)

    return go_through(Knock(number, caller, transitions.PRIORITISE, version), work)


def tag(number: int, caller: Caller, names: Iterable[str]) -> Outcome:
    """Put exactly these words on the session. Its version stays: nobody's form shows them."""
    wanted = tidy(names)

    def work(visit: Visit) -> Outcome:
        visit.check()
        _check_tags(wanted, visit.session)
        tags = SessionTag.objects.filter(session=visit.session)
        tags.exclude(name__in=wanted).delete()
        there = set(tags.values_list("name", flat=True))
        SessionTag.objects.bulk_create(SessionTag(session=visit.session, name=each) for each in wanted - there)
        visit.tell({"tags": sorted(wanted)})
        return Outcome(visit.session)

    return go_through(Knock(number, caller, transitions.TAG), work)


def tidy(names: Iterable[str]) -> frozenset[str]:
    """Tags as they are kept: in small letters, with single blanks, none empty, each once."""
    return frozenset(" ".join(name.replace("\0", "").casefold().split()) for name in names) - {""}


def tags_of(session: HITLSession) -> list[str]:
    """The session's words, by the alphabet."""
    return sorted(tag.name for tag in session.tags.all())


def _check_tags(wanted: frozenset[str], session: HITLSession) -> None:
    if len(wanted) > MOST_TAGS:
        raise refusals.InvalidValue(_("A gate takes at most %s tags.") % MOST_TAGS, session=session)
    if any(len(name) > LONGEST_TAG for name in wanted):
        raise refusals.InvalidValue(_("A tag has at most %s characters.") % LONGEST_TAG, session=session)
