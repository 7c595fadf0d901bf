"""Lists of sessions: the ones that a person may see, filtered, sorted and paged.

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
    queue_parts,
    staff_parts,
    visible_sessions,
    work_condition,
    work_parts,
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
    """The filters and the order of a list; an empty filter filters nothing.

    `state` holds states with commas between them, or one word of `_CONDITION_BY_WORD`.
    """

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


def sessions_page(person: Person, filters: SessionFilter, *, cursor: str = "", limit: int = 50) -> Page[HITLSession]:
    """Return a page of the sessions that this person may see and that the filters match. Raises NotOffered.

    With a filter by flow, assistant or words, a page may have few rows and a next page: see `keyset_page_of_parts`.
    """
    rows = visible_sessions(person).filter(_state_condition(filters.state), _test_condition(person, filters.test))
    for condition in _indexed_conditions(person, filters):
        rows = rows.filter(condition)
    order, sought = named_order(ORDERS, filters.order), reduce(and_, _scanned_conditions(person, filters), Q())
    # Few rows match a tag, a person or a number, so one query without parts finds and sorts them.
    is_selective = bool(filters.tag or number_in(filters.q) or filters.assignee not in ("", UNASSIGNED))
    if is_selective:
        return keyset_page(rows.filter(sought), order, cursor=cursor, limit=limit)
    by_age = order[0].endswith("number")
    parts = (
        _parts_by_age(person, filters)
        if by_age
        else list(split_by_state(_parts_by_urgency(person, filters), filters.state))
    )
    return keyset_page_of_parts(rows, parts, order, scan_filter=sought, cursor=cursor, limit=limit)


def _parts_by_urgency(person: Person, filters: SessionFilter) -> list[Q]:
    if filters.test:
        return [by_number(Q(conversation__test=True))]
    if filters.group:
        return [*_by_kind(queue_parts(person, group_key(filters.group))), by_number(test_sessions(person))]
    return visible_parts(person, filters.audience)


def _parts_by_age(person: Person, filters: SessionFilter) -> list[Q]:
    """As `_parts_by_urgency`; an order by number needs no part of its own for each kind."""
    if filters.test or filters.group or person.sees_every_session:
        return _parts_by_urgency(person, filters)
    staff = [] if filters.audience == HITLSession.Audience.USER else staff_parts(person)
    return [*(part & Q(audience=HITLSession.Audience.STAFF) for part in staff), test_sessions(person)]


def visible_parts(person: Person, audience: str = "") -> list[Q]:
    """`visible_sessions` of one audience or both, in parts, each of which one index has in the order of urgency."""
    if person.sees_every_session:
        return _by_kind([Q()]) if audience == HITLSession.Audience.STAFF else [Q()]
    staff = [] if audience == HITLSession.Audience.USER else _by_kind(staff_parts(person))
    return [*staff, test_sessions(person)]


def split_by_state(parts: list[Q], state: str) -> Iterator[Q]:
    """Split parts by state: undecided and ended sessions have their own indexes, the latter one for each kind."""
    states = set(_STATES_BY_WORD.get(state) or (each.strip() for each in state.split(",")))
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
    """The sessions of test conversations that this person may see."""
    tests = Q(conversation__test=True)
    return tests if person.has(TEST) else tests & Q(conversation__user=person.id)


def next_most_urgent(person: Person, besides: int = 0, kind: str = "") -> HITLSession | None:
    """Return the most urgent session that waits for this person, other than `besides`; None if there is none.

    With a `kind`, only gates or only chats count.
    """
    rows = every_session().filter(_waits_for(person), Q(kind=kind) if kind else Q()).exclude(pk=besides)
    sessions = keyset_page_of_parts(rows, _by_kind(work_parts(person)), ORDERS["urgency"], limit=1).rows
    return sessions[0] if sessions else None


def waiting_for(person: Person) -> Rows:
    """Return the sessions that the badge counts: unassigned or held by this person, in time and not snoozed."""
    return every_session().filter(work_condition(person), _waits_for(person))


def _waits_for(person: Person) -> Q:
    return (_held_by(person) | _unassigned()) & pending_work(person)


def waits_unassigned(person: Person) -> Q:
    """Unassigned work that waits for all people with this person's rights."""
    return _unassigned() & pending_work(person)


def pending_work(person: Person) -> Q:
    """Undecided work of all queues, in time and not snoozed, without tests; none for a person who may not decide."""
    if not person.has(DECIDE) or person.is_auditor:
        return Q(pk__in=())
    work = Q(audience=HITLSession.Audience.STAFF, conversation__test=False) & HITLSession.undecided()
    is_overdue = Q(expires_at__isnull=False, expires_at__lte=clock.sql_now())
    is_snoozed = Q(follow_up_at__isnull=False, follow_up_at__gt=clock.sql_now())
    return work & ~is_overdue & ~is_snoozed


def _held_by(person: Person) -> Q:
    return Q(state=HITLSession.State.CLAIMED, assignee=person.id)


def _unassigned() -> Q:
    """Open, or with a claim that has run out."""
    return Q(state=HITLSession.State.OPEN) | Q(claimed_until__lte=clock.sql_now())


_STATES_BY_WORD = {
    "": HITLSession.UNDECIDED,
    "pending": HITLSession.UNDECIDED,
    "final": HITLSession.FINAL,
    "any": (*HITLSession.UNDECIDED, *HITLSession.FINAL),
}

_CONDITION_BY_WORD = {
    "": HITLSession.undecided(),
    "pending": HITLSession.undecided(),
    "final": Q(decided_at__isnull=False),
    "any": Q(),
}


def _state_condition(states_or_word: str) -> Q:
    if states_or_word in _CONDITION_BY_WORD:
        return _CONDITION_BY_WORD[states_or_word]
    states = tuple(state.strip() for state in states_or_word.split(","))
    unknown = set(states) - set(HITLSession.State.values)
    if unknown:
        raise NotOffered(_("“%s” is not a state.") % ", ".join(sorted(unknown)))
    return Q(state__in=states)


def _indexed_conditions(person: Person, filters: SessionFilter) -> Iterator[Q]:
    """The conditions that an index supports. Raises NotOffered."""
    if filters.group:
        yield Q(group__name=filters.group)
    if filters.tag:
        yield with_tag(filters.tag)
    if filters.audience:
        audiences = HITLSession.Audience.values
        if filters.audience not in audiences:
            facts = {"word": filters.audience, "words": ", ".join(audiences)}
            raise NotOffered(_("“%(word)s” is not available. Choose: %(words)s.") % facts)
        yield Q(audience=filters.audience)
    if filters.assignee:
        yield _assignee_condition(person, filters.assignee)
    if filters.due_before:
        yield Q(urgent_at__lt=filters.due_before)
    if number := number_in(filters.q):
        yield Q(number=number)


def _scanned_conditions(person: Person, filters: SessionFilter) -> Iterator[Q]:
    """The conditions without an index, which a page scans for."""
    if filters.flow:
        yield Q(flow=filters.flow)
    if filters.assistant:
        yield Q(conversation__assistant__name=filters.assistant)
    if filters.q.strip() and not number_in(filters.q):
        words = filters.q.strip().replace("\0", "")
        fields = ("flow", "step", "conversation__user_ref", *(("title",) if person.searches_titles else ()))
        yield reduce(
            or_,
            (Q(**{f"{name}__icontains": words}) for name in fields),
            name_matches(words, "conversation__user") | value_condition(words),
        )


def group_key(name: str) -> int:
    """Return the key of the group of this name; 0 if there is none."""
    return Group.objects.filter(name=name).values_list("pk", flat=True).first() or 0


def by_number(few: Q) -> Q:
    """The few sessions that meet this condition, found in a subquery before the other conditions."""
    return Q(pk__in=HITLSession.objects.filter(few).values("pk"))


def value_condition(word: str) -> Q:
    """The sessions with this word among the values that staff see and that are not sensitive."""
    return Q(search_text__contains=word.replace("\0", "").casefold())


def with_tag(name: str) -> Q:
    """The sessions with this tag."""
    return Q(pk__in=SessionTag.objects.filter(name=name).values("session"))


def number_in(words: str) -> int:
    """Return the session number in `g12`, `@g12.0` or 12; 0 for anything else."""
    digits = words.strip().removeprefix("@").removeprefix("g").partition(".")[0]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else 0


def _test_condition(person: Person, tests_only: bool | None) -> Q:
    """Leave out test conversations unless `tests_only` asks for them, or the person sees nothing but tests."""
    if tests_only is None and not (person.sees_every_session or person.has(DECIDE)):
        return Q()
    return Q(conversation__test=bool(tests_only))


def _assignee_condition(person: Person, assignee: str) -> Q:
    match assignee:
        case "me":
            return _held_by(person)
        case _ if assignee == UNASSIGNED:
            return _unassigned()
        case _:
            return Q(state=HITLSession.State.CLAIMED, **{f"assignee__{username_field()}": assignee})
