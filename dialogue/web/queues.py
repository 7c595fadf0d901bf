"""The queue of gates: its tabs, their counts, and one page of rows after a cursor, most urgent first."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from dialogue.desk.cursors import Page, page
from dialogue.desk.people import DECIDE, SEE_EVERY, TEST, Person, visible_sessions
from dialogue.desk.queue import waiting_for
from dialogue.models import HITLSession, InboxEvent
from dialogue.turns import clock

ROWS = 50
"""Rows of one page."""
SOON = timedelta(minutes=30)
RECENT = timedelta(days=7)
"""How far back the tab of what is done reaches."""

Kind, State = HITLSession.Kind, HITLSession.State
Rows = QuerySet[HITLSession]


@dataclass(frozen=True)
class Tab:
    """One view of the queue; `holds` says which sessions are in it, for whom and when."""

    name: str
    title: str | Promise
    holds: Callable[[Person, datetime], Q]
    order: tuple[str, ...] = ("urgent_at", "-priority", "number")
    warm: bool = False
    counted: bool = True


def may_see_gates(person: Person) -> bool:
    """Whether there is a queue for this person at all."""
    return person.superuser or person.has(DECIDE) or person.has(SEE_EVERY)


def may_command(person: Person) -> bool:
    """Whether the command bar would do anything for this person."""
    return may_see_gates(person) or person.has(TEST)


def _undecided(_person: Person, _now: datetime) -> Q:
    return Q(state__in=HITLSession.UNDECIDED)


def _awake(person: Person, now: datetime) -> Q:
    return _undecided(person, now) & (Q(follow_up_at__isnull=True) | Q(follow_up_at__lte=now))


def _mine(person: Person, now: datetime) -> Q:
    return Q(state=State.CLAIMED, assignee=person.id, claimed_until__gt=now)


def _free(person: Person, now: datetime) -> Q:
    return _awake(person, now) & (Q(state=State.OPEN) | Q(claimed_until__lte=now))


def _soon(person: Person, now: datetime) -> Q:
    return _undecided(person, now) & Q(urgent_at__lte=now + SOON)


def _snoozed(person: Person, now: datetime) -> Q:
    return _undecided(person, now) & Q(follow_up_at__gt=now)


def _done(_person: Person, now: datetime) -> Q:
    return Q(state__in=HITLSession.FINAL, decided_at__gt=now - RECENT)


TABS = {
    tab.name: tab
    for tab in (
        Tab("mine", _("Mine"), _mine),
        Tab("groups", _("My groups"), _awake),
        Tab("unassigned", _("Unassigned"), _free),
        Tab("soon", _("Due soon"), _soon, warm=True),
        Tab("snoozed", _("Snoozed"), _snoozed),
        Tab("done", _("Done"), _done, order=("-decided_at", "-number"), counted=False),
    )
}
USUAL = "groups"


def tab_named(name: str) -> Tab:
    """The tab of this name, or the one that the queue opens with."""
    return TABS.get(name, TABS[USUAL])


def gates_of(person: Person) -> Rows:
    """The gates that this person may know of. Tests of others are no work: they stay out of the queue."""
    rows = visible_sessions(person).filter(audience=HITLSession.Audience.STAFF, kind=Kind.HUMAN)
    return rows.filter(Q(conversation__test=False) | Q(conversation__user=person.id))


def page_of(person: Person, tab: Tab, search: str = "", after: str = "") -> Page[HITLSession]:
    """One page of a tab. Raises NotOffered for a cursor that no page gave out."""
    rows = gates_of(person).filter(tab.holds(person, clock.now()))
    for word in search.split()[:8]:
        rows = rows.filter(_has(word))
    return page(rows, tab.order, cursor=after, limit=ROWS)


def tab_counts(person: Person) -> dict[str, int]:
    """How many rows each tab has, in one query."""
    now = clock.now()
    counts = {tab.name: Count("number", filter=tab.holds(person, now)) for tab in TABS.values() if tab.counted}
    return gates_of(person).order_by().aggregate(**counts)


def badge_counts(person: Person) -> dict[str, int]:
    """What waits for this person: gates to decide, and chats that want somebody."""
    kinds = {"gates": Kind.HUMAN, "inbox": Kind.HANDOFF}
    counted = {name: Count("number", filter=Q(kind=kind)) for name, kind in kinds.items()}
    return waiting_for(person).order_by().aggregate(**counted)


def last_event() -> int:
    """The number of the newest event of any session; read it before the rows, and nothing is missed between them."""
    newest: int | None = InboxEvent.objects.aggregate(last=Max("pk"))["last"]
    return newest or 0


def _has(word: str) -> Q:
    word = word.replace("\0", "")
    found = Q(title__icontains=word) | Q(flow__icontains=word) | Q(step__icontains=word)
    found |= Q(conversation__user_ref__icontains=word) | Q(conversation__user__username__icontains=word)
    found |= Q(conversation__user__first_name__icontains=word) | Q(conversation__user__last_name__icontains=word)
    digits = word.lower().removeprefix("@").removeprefix("g").partition(".")[0]
    if digits.isascii() and digits.isdigit() and len(digits) < 18:
        found |= Q(number=int(digits))
    return found
