"""The queue of gates: its tabs, and one page of rows after a cursor, most urgent first."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import reduce
from operator import and_

from django.db.models import Max, Q, QuerySet, prefetch_related_objects
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dialogue.desk.access.people import (
    Person,
    every_session,
    queue_parts,
    staff_parts,
    visible_sessions,
)
from dialogue.desk.queue.keyset import Page, keyset_page_of_parts
from dialogue.desk.queue.queue import by_number, group_key, value_condition
from dialogue.models import HITLSession, InboxEvent
from dialogue.models.account import name_matches
from dialogue.turns import clock
from dialogue.web.gates.filters import NO_FILTER, QueueQuery

PAGE_ROWS = 50
"""Rows of one page."""
MAX_VALUE_HITS = 500
"""Gates that are looked at because their values have the words of a search."""
SOON = timedelta(minutes=30)
RECENT = timedelta(days=7)
"""How far back the tab "Done" reaches."""

Kind, State = HITLSession.Kind, HITLSession.State
Rows = QuerySet[HITLSession]


@dataclass(frozen=True)
class Tab:
    """One view of the queue; `holds(person, now)` is the condition of its sessions."""

    name: str
    title: str | Promise
    holds: Callable[[Person, datetime], Q]
    order: tuple[str, ...] = ("urgent_at", "-priority", "number")
    warm: bool = False
    counted: bool = True
    personal: bool = False


def _is_undecided(_person: Person, _now: datetime) -> Q:
    return HITLSession.undecided()


def _is_awake(person: Person, now: datetime) -> Q:
    return _is_undecided(person, now) & (Q(follow_up_at__isnull=True) | Q(follow_up_at__lte=now))


def _is_mine(person: Person, now: datetime) -> Q:
    return Q(state=State.CLAIMED, assignee=person.id, claimed_until__gt=now)


def _is_free(person: Person, now: datetime) -> Q:
    return _is_awake(person, now) & (Q(state=State.OPEN) | Q(claimed_until__lte=now))


def _is_due_soon(person: Person, now: datetime) -> Q:
    return _is_undecided(person, now) & Q(urgent_at__lte=now + SOON)


def _is_snoozed(person: Person, now: datetime) -> Q:
    return _is_undecided(person, now) & Q(follow_up_at__gt=now)


def _is_done(_person: Person, now: datetime) -> Q:
    return Q(decided_at__gt=now - RECENT)


TABS = {
    tab.name: tab
    for tab in (
        Tab("mine", _("Mine"), _is_mine, personal=True),
        Tab("groups", _("My groups"), _is_awake),
        Tab("unassigned", _("Unassigned"), _is_free),
        Tab("soon", _("Due soon"), _is_due_soon, warm=True),
        Tab("snoozed", _("Snoozed"), _is_snoozed, order=("follow_up_at", "number")),
        Tab("done", _("Done"), _is_done, order=("-decided_at", "-number"), counted=False),
    )
}
DEFAULT_TAB = "groups"


def find_tab(name: str) -> Tab:
    """Return the tab of this name, or the default tab."""
    return TABS.get(name, TABS[DEFAULT_TAB])


def visible_gates(person: Person) -> Rows:
    """Return the gates that this person may see, without the tests of others, which are not work."""
    return visible_sessions(person).filter(_is_gate(), Q(conversation__test=False) | _is_own_test(person))


def queue_page(person: Person, tab: Tab, query: QueueQuery = NO_FILTER, after: str = "") -> Page[HITLSession]:
    """Return one page of a tab, filtered, with the gates' tags. Raises NotOffered for an unknown cursor."""
    is_selective = tab.personal or query.is_selective
    rows = visible_gates(person) if is_selective else every_session()
    rows = rows.filter(tab.holds(person, clock.now()), query.indexed_conditions())
    word_conditions = (_word_condition(word, titles=person.searches_titles) for word in query.search_words())
    scanned = reduce(and_, word_conditions, query.scanned_conditions())
    parts = [Q()] if is_selective else indexed_parts(person, tab, query.group)
    if is_selective:
        rows, scanned = rows.filter(scanned), Q()
    order = query.order_columns(tab.order)
    value_hits = _value_hits(person, tab, query, order)
    if value_hits:
        scanned &= ~Q(pk__in=[session.pk for session in value_hits])
    page = keyset_page_of_parts(rows, parts, order, scan_filter=scanned, cursor=after, limit=PAGE_ROWS)
    if value_hits and not after:
        page = replace(page, rows=[*value_hits, *page.rows])
    prefetch_related_objects(page.rows, "tags")
    return page


def _value_hits(person: Person, tab: Tab, query: QueueQuery, order: Sequence[str]) -> list[HITLSession]:
    """Return the gates of a tab whose values have all words of the search, wherever they stand in the queue.

    The texts of the open gates are in an index, so that these are found among many; other words are looked for in the
    next rows only. They come first on the first page.
    """
    words = query.search_words()
    if not words or not tab.counted:
        return []
    texts = HITLSession.objects.filter(HITLSession.undecided(), *map(value_condition, words))
    # In this order the index of the texts alone answers, without the rows, which are large.
    keys = list(texts.order_by("search_text").values_list("pk", flat=True)[:MAX_VALUE_HITS])
    if not keys:
        return []
    rows = visible_gates(person).filter(tab.holds(person, clock.now()), query.indexed_conditions(), pk__in=keys)
    return list(rows.filter(query.scanned_conditions()).order_by(*order)[:PAGE_ROWS])


def indexed_parts(person: Person, tab: Tab, group: str = "") -> list[Q]:
    """Return conditions, each of which one index answers in the queue's order; their union is the tab.

    A personal tab has few rows, which are found by the person.
    """
    if tab.personal:
        return [Q()]
    work = _is_gate() & Q(conversation__test=False)
    if group:
        queue = queue_parts(person, group_key(group))
        return [*(part & work for part in queue), by_number(own_tests([person.id]))]
    if person.sees_every_session:
        return [_is_gate() & (work | _is_own_test(person))]
    return [*(part & work for part in staff_parts(person)), own_tests([person.id])]


def _is_gate() -> Q:
    return Q(audience=HITLSession.Audience.STAFF, kind=Kind.HUMAN)


def own_tests(accounts: Sequence[int]) -> Q:
    """Return the condition for gates of these people's own test chats: few, and found by the chats, not the queue."""
    chats = Q(conversation__test=True, conversation__user__in=accounts)
    return chats & Q(audience=HITLSession.Audience.STAFF) & ~Q(kind=Kind.HANDOFF)


def _is_own_test(person: Person) -> Q:
    return Q(conversation__test=True, conversation__user=person.id)


def last_event_number() -> int:
    """Return the number of the newest event. Read it before the rows, and no event is missed in between."""
    newest: int | None = InboxEvent.objects.aggregate(last=Max("pk"))["last"]
    return newest or 0


def _word_condition(word: str, *, titles: bool) -> Q:
    word = word.replace("\0", "")
    condition = Q(flow__icontains=word) | Q(step__icontains=word) | value_condition(word)
    if titles:
        condition |= Q(title__icontains=word)
    condition |= Q(conversation__user_ref__icontains=word) | name_matches(word, "conversation__user")
    digits = word.lower().removeprefix("@").removeprefix("g").partition(".")[0]
    if digits.isascii() and digits.isdigit() and len(digits) < 18:
        condition |= Q(number=int(digits))
    return condition
