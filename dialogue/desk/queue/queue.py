"""Lists of sessions: what a person may see of them, filtered, sorted and cut into pages.

The default order is by urgency, along one index: what is due or expires first, then priority, then age.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import and_, or_

from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from dialogue.desk.access.people import (
    DECIDE,
    TEST,
    Person,
    every_session,
    own_queue_parts,
    own_queues,
    queue_parts,
    staff_parts,
    visible_sessions,
)
from dialogue.desk.queue.keyset import NotOffered, Page, keyset_page, keyset_page_of_parts, named_order
from dialogue.models import HITLSession, SessionTag
from dialogue.models.account import name_matches, username_field
from dialogue.turns import clock

Rows = QuerySet[HITLSession]
UNASSIGNED = "none"

ORDERS: dict[str, tuple[str, ...]] = {
    "urgency": ("urgent_at", "-priority", "number"),
    "newest": ("-number",),
    "oldest": ("number",),
    "priority": ("-priority", "urgent_at", "number"),
}
"""The orders that lists offer, each ending with a key that no two rows share."""


@dataclass(frozen=True)
class SessionFilter:
    """What a list is asked for; an empty filter filters nothing. `state`: with commas, or a word of `_STATES`."""

    state: str = "pending"
    audience: str = ""
    assignee: str = ""
    flow: str = ""
    assistant: str = ""
    group: str = ""
    tag: str = ""
    due_before: datetime | None = None
    q: str = ""
    test: bool | None = None
    order: str = "urgency"


def sessions_page(person: Person, wanted: SessionFilter, *, cursor: str = "", limit: int = 50) -> Page[HITLSession]:
    """The sessions that this person may see and asked for. Raises NotOffered.

    Of a flow, an assistant and words, a page may have few rows and yet a next one: see `page_of_parts`.
    """
    rows = visible_sessions(person).filter(_states(wanted.state), _tests(person, wanted.test))
    for condition in _indexed(person, wanted):
        rows = rows.filter(condition)
    order, sought = named_order(ORDERS, wanted.order), reduce(and_, _sought(person, wanted), Q())
    if _is_little(wanted):
        return keyset_page(rows.filter(sought), order, cursor=cursor, limit=limit)
    by_age = order[0].endswith("number")
    parts = _parts_by_age(person, wanted) if by_age else list(split_by_state(_parts(person, wanted), wanted.state))
    return keyset_page_of_parts(rows, parts, order, scan_filter=sought, cursor=cursor, limit=limit)


def _is_little(wanted: SessionFilter) -> bool:
    """Whether what is asked for is found by itself, wherever it lies: a tag's, a person's, or one session."""
    return bool(wanted.tag or number_in(wanted.q) or wanted.assignee not in ("", UNASSIGNED))


def _parts(person: Person, wanted: SessionFilter) -> list[Q]:
    if wanted.test:
        return [by_number(Q(conversation__test=True))]
    if wanted.group:
        return [*_by_kind(queue_parts(person, group_key(wanted.group))), by_number(test_sessions(person))]
    return visible_parts(person, wanted.audience)


def _parts_by_age(person: Person, wanted: SessionFilter) -> list[Q]:
    """By number all kinds lie together."""
    if wanted.test or wanted.group or person.sees_every_session:
        return _parts(person, wanted)
    own = [] if wanted.audience == HITLSession.Audience.USER else staff_parts(person)
    return [*(part & Q(audience=HITLSession.Audience.STAFF) for part in own), test_sessions(person)]


def visible_parts(person: Person, audience: str = "") -> list[Q]:
    """`visible_sessions` of one audience or of both, in parts, each of which one index has in the order of urgency."""
    if person.sees_every_session:
        return _by_kind([Q()]) if audience == HITLSession.Audience.STAFF else [Q()]
    own = [] if audience == HITLSession.Audience.USER else _by_kind(staff_parts(person))
    return [*own, test_sessions(person)]


def split_by_state(parts: list[Q], state: str) -> Iterator[Q]:
    """What waits and what is over lie in indexes of their own, and what is over by its kind."""
    states = set(_FATES.get(state) or (each.strip() for each in state.split(",")))
    if not states.isdisjoint(HITLSession.UNDECIDED):
        yield from (part & HITLSession.undecided() for part in parts)
    if not states.isdisjoint(HITLSession.FINAL):
        kinds = [Q(kind=kind) for kind in HITLSession.Kind.values]
        ended = Q(decided_at__isnull=False)
        yield from (part & ended for each in parts for part in ([each] if each else kinds))


def _by_kind(parts: list[Q]) -> list[Q]:
    staff = Q(audience=HITLSession.Audience.STAFF)
    return [staff & part & Q(kind=kind) for part in parts for kind in HITLSession.STAFF_KINDS]


def test_sessions(person: Person) -> Q:
    """The sessions of test conversations that this person may know of."""
    tests = Q(conversation__test=True)
    return tests if person.has(TEST) else tests & Q(conversation__user=person.id)


def next_most_urgent(person: Person, besides: int = 0) -> HITLSession | None:
    """The session that this person should look at next; `besides` is the one in hand."""
    rows = every_session().filter(_waits_for(person)).exclude(pk=besides)
    found = keyset_page_of_parts(rows, _by_kind(own_queue_parts(person)), ORDERS["urgency"], limit=1).rows
    return found[0] if found else None


def waiting_for(person: Person) -> Rows:
    """The sessions that wait for this person: theirs or nobody's, in time, and not put off. The badge counts these."""
    return every_session().filter(own_queues(person), _waits_for(person))


def _waits_for(person: Person) -> Q:
    return (_mine(person) | _nobodys()) & pending_work(person)


def waits_unassigned(person: Person) -> Q:
    """What waits for everybody with this person's rights: nobody has it."""
    return _nobodys() & pending_work(person)


def pending_work(person: Person) -> Q:
    """Undecided work, in time and not put off, of whichever queue; tests are none. Nothing for who decides nothing."""
    if not person.has(DECIDE) or person.is_auditor:
        return Q(pk__in=())
    work = Q(audience=HITLSession.Audience.STAFF, conversation__test=False) & HITLSession.undecided()
    return work & ~_overdue() & ~_snoozed()


def _mine(person: Person) -> Q:
    return Q(state=HITLSession.State.CLAIMED, assignee=person.id)


def _nobodys() -> Q:
    """Open, or claimed by somebody whose lease ran out."""
    return Q(state=HITLSession.State.OPEN) | Q(claimed_until__lte=clock.sql_now())


def _overdue() -> Q:
    return Q(expires_at__isnull=False, expires_at__lte=clock.sql_now())


def _snoozed() -> Q:
    return Q(follow_up_at__isnull=False, follow_up_at__gt=clock.sql_now())


_FATES = {
    "": HITLSession.UNDECIDED,
    "pending": HITLSession.UNDECIDED,
    "final": HITLSession.FINAL,
    "any": (*HITLSession.UNDECIDED, *HITLSession.FINAL),
}

_STATES = {
    "": HITLSession.undecided(),
    "pending": HITLSession.undecided(),
    "final": Q(decided_at__isnull=False),
    "any": Q(),
}


def _states(wanted: str) -> Q:
    if wanted in _STATES:
        return _STATES[wanted]
    states = tuple(state.strip() for state in wanted.split(","))
    unknown = set(states) - set(HITLSession.State.values)
    if unknown:
        raise NotOffered(_("There is no state “%s”.") % ", ".join(sorted(unknown)))
    return Q(state__in=states)


def _indexed(person: Person, wanted: SessionFilter) -> Iterator[Q]:
    """What an index finds."""
    if wanted.group:
        yield Q(group__name=wanted.group)
    if wanted.tag:
        yield with_tag(wanted.tag)
    if wanted.audience:
        yield Q(audience=_offered(wanted.audience, HITLSession.Audience.values))
    if wanted.assignee:
        yield _assignee(person, wanted.assignee)
    if wanted.due_before:
        yield Q(urgent_at__lt=wanted.due_before)
    if number := number_in(wanted.q):
        yield Q(number=number)


def _sought(person: Person, wanted: SessionFilter) -> Iterator[Q]:
    """What no index finds."""
    if wanted.flow:
        yield Q(flow=wanted.flow)
    if wanted.assistant:
        yield Q(conversation__assistant__name=wanted.assistant)
    if wanted.q.strip() and not number_in(wanted.q):
        yield _search(wanted.q.strip(), titles=person.searches_titles)


def group_key(name: str) -> int:
    """The key of the group of this name; 0: there is none."""
    return Group.objects.filter(name=name).values_list("pk", flat=True).first() or 0


def by_number(few: Q) -> Q:
    """The sessions of this condition, which are few: found first, and then looked at for the others."""
    return Q(pk__in=HITLSession.objects.filter(few).values("pk"))


def with_tag(name: str) -> Q:
    """The sessions with this word, found from the words."""
    return Q(pk__in=SessionTag.objects.filter(name=name).values("session"))


def number_in(words: str) -> int:
    """The number of the session that somebody means by `g12`, `@g12.0` or 12; 0 when they mean something else."""
    digits = words.strip().removeprefix("@").removeprefix("g").partition(".")[0]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0


def _tests(person: Person, wanted: bool | None) -> Q:
    """Test conversations stay out of the lists of people who do real work, unless they ask for them."""
    if wanted is None and not (person.sees_every_session or person.has(DECIDE)):
        return Q()
    return Q(conversation__test=bool(wanted))


def _offered(word: str, words: list[str]) -> str:
    if word not in words:
        raise NotOffered(_("“%(word)s” is none of: %(words)s.") % {"word": word, "words": ", ".join(words)})
    return word


def _assignee(person: Person, wanted: str) -> Q:
    match wanted:
        case "me":
            return _mine(person)
        case _ if wanted == UNASSIGNED:
            return _nobodys()
        case _:
            return Q(state=HITLSession.State.CLAIMED, **{f"assignee__{username_field()}": wanted})


def _search(words: str, *, titles: bool) -> Q:
    """In flows, steps, customers and titles."""
    words = words.replace("\0", "")
    fields = ("flow", "step", "conversation__user_ref", *(("title",) if titles else ()))
    return reduce(
        or_, (Q(**{f"{name}__icontains": words}) for name in fields), name_matches(words, "conversation__user")
    )
