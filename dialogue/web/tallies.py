"""The counts of the console's tabs and badges, for many people in a few queries: colleagues with the same rights share
what is common to them, and only what each holds is counted by person."""

from collections.abc import Iterable
from typing import Any

from dialogue.desk.people import Person
from dialogue.desk.quiet import quiet_of
from dialogue.web.queues import badge_counts, tab_counts

Tally = dict[str, Any]


def tallies(people: Iterable[Person]) -> dict[Person, Tally]:
    """For each `{views: {tab: count}, badges: {page: count}, quiet: {until, urgent}}`."""
    return {person: _tally(person) for person in people}


def _tally(person: Person) -> Tally:
    return {"views": tab_counts(person), "badges": badge_counts(person), "quiet": quiet_of(person).plain()}
