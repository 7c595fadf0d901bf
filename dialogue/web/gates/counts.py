"""The counts of the console's tabs and badges, for many people in a few queries.

Colleagues with the same rights share what is common to them; only what each of them holds, and their own tests, are
counted by person. Nothing is counted beyond `MOST_COUNTED`: what is shown then is "99+".
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.http import HttpRequest

from dialogue.desk.access.people import Person, staff_parts, work_condition, work_parts
from dialogue.desk.queue.bounded import MAX_COUNT, bounded_counts
from dialogue.desk.queue.do_not_disturb import mute_states_of
from dialogue.desk.queue.queue import pending_work, waits_unassigned
from dialogue.models import HITLSession
from dialogue.turns import clock
from dialogue.web.gates.queue import TABS, own_tests
from dialogue.web.shared.people import person_of_request

BADGES = {"gates": HITLSession.Kind.HUMAN, "inbox": HITLSession.Kind.HANDOFF}
"""The pages with a number in the navigation, and the kind of session that it counts."""

Counts = Mapping[str, int]


@dataclass(frozen=True)
class QueueCounts:
    """Counts for one person: sessions by tab (`views`), and waiting work by page (`badges`)."""

    views: Counts
    badges: Counts


def count_text(count: int) -> str:
    """A count as pages show it."""
    return str(count) if count < MAX_COUNT else f"{MAX_COUNT - 1}+"


def counts_of(person: Person) -> QueueCounts:
    """Return the counts of one person."""
    return counts_by_person([person])[person]


def counts_of_request(request: HttpRequest) -> QueueCounts:
    """Return the counts of the person behind the request; counted once a request."""
    counts: QueueCounts | None = getattr(request, "soni_tally", None)
    if counts is None:
        counts = counts_of(person_of_request(request))
        request.soni_tally = counts  # type: ignore[attr-defined]
    return counts


def counts_by_person(people: Iterable[Person]) -> dict[Person, QueueCounts]:
    """Return the counts of each person; people with equal rights share their queries."""
    crowds: dict[Person, list[Person]] = defaultdict(list)
    for person in people:
        crowds[replace(person, id=0, name="")].append(person)
    return {person: tally for crowd, members in crowds.items() for person, tally in _counts_of_crowd(crowd, members)}


def plain_counts_by_person(people: Iterable[Person]) -> dict[Person, dict[str, Any]]:
    """Return the counts for open pages: `{views: {tab: count}, badges: {page: count}, quiet: {until, urgent}}`."""
    counted = counts_by_person(people)
    quiet = mute_states_of(list(counted))
    return {
        person: {"views": tally.views, "badges": tally.badges, "quiet": quiet[person.id].plain()}
        for person, tally in counted.items()
    }


def _counts_of_crowd(crowd: Person, members: Sequence[Person]) -> Iterable[tuple[Person, QueueCounts]]:
    now, accounts = clock.now(), [person.id for person in members]
    own_test_gates = HITLSession.objects.filter(HITLSession.undecided(), own_tests(accounts))
    common = bounded_counts({**_tab_queries(crowd, now), **_badge_queries(crowd), "tests": [own_test_gates]})
    claimed = _claimed_counts(crowd, accounts, now)
    tests = _test_counts(own_test_gates, crowd, now) if common["tests"] else {}
    for person in members:
        of_person = [common, claimed.get(person.id, {}), tests.get(person.id, {})]
        yield person, QueueCounts(_sum_counts(of_person, _COUNTED), _sum_counts(of_person, BADGES))


def _sum_counts(parts: Iterable[Counts], names: Iterable[str]) -> dict[str, int]:
    parts = list(parts)
    return {name: min(MAX_COUNT, sum(part.get(name, 0) for part in parts)) for name in names}


_COUNTED = {name: tab for name, tab in TABS.items() if tab.counted}
_SHARED = {name: tab for name, tab in _COUNTED.items() if not tab.personal}
_WORK = Q(audience=HITLSession.Audience.STAFF, kind=HITLSession.Kind.HUMAN)


def _tab_queries(crowd: Person, now: datetime) -> dict[str, list[Any]]:
    rows = HITLSession.objects.filter(_WORK, conversation__test=False)
    parts = staff_parts(crowd, per_group=False)
    return {name: [rows.filter(tab.holds(crowd, now), part) for part in parts] for name, tab in _SHARED.items()}


def _badge_queries(crowd: Person) -> dict[str, list[Any]]:
    rows = HITLSession.objects.filter(waits_unassigned(crowd))
    parts = work_parts(crowd, per_group=False)
    return {name: [rows.filter(part, kind=kind) for part in parts] for name, kind in BADGES.items()}


def _claimed_counts(crowd: Person, accounts: Sequence[int], now: datetime) -> dict[int, Counts]:
    """Return the counts of what each of these people has claimed, by account id."""
    claimed = HITLSession.objects.filter(state=HITLSession.State.CLAIMED, assignee__in=accounts, claimed_until__gt=now)
    own_work = pending_work(crowd) & work_condition(crowd)
    badges = {name: Count("number", filter=own_work & Q(kind=kind)) for name, kind in BADGES.items()}
    own_gates = {"mine": Count("number", filter=_WORK & _claimed_condition(crowd))}
    rows = claimed.order_by().values("assignee").annotate(**own_gates, **badges)
    return {row["assignee"]: _row_counts(row) for row in rows}


def _claimed_condition(crowd: Person) -> Q:
    own_test = Q(conversation__test=True, conversation__user=F("assignee"))
    parts = (Q(conversation__test=False) & part for part in staff_parts(crowd))
    return reduce(or_, parts, own_test)


def _test_counts(tests: QuerySet[HITLSession], crowd: Person, now: datetime) -> dict[int, Counts]:
    counted = {name: Count("number", filter=tab.holds(crowd, now)) for name, tab in _SHARED.items()}
    rows = tests.order_by().values("conversation__user").annotate(**counted)
    return {row["conversation__user"]: _row_counts(row) for row in rows}


def _row_counts(row: Mapping[str, Any]) -> Counts:
    return dict(row)
