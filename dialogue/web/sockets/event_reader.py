"""Read and render each inbox event once for all sockets of a process.

Events of the last seconds are kept in memory; a socket that is further behind reads the database for itself.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from weakref import WeakKeyDictionary

from django.db.models import QuerySet
from django.utils import translation

from dialogue.desk.access.people import Person, may_see
from dialogue.desk.forms.overtaking import overtaking_of
from dialogue.library.releases.test_conversations import TEST_CHANNEL
from dialogue.models import HITLSession, InboxEvent
from dialogue.models.sessions.inbox_event import OVERTAKEN
from dialogue.turns import clock
from dialogue.turns.process.database import in_reader
from dialogue.web.gates.chat_rows import reads_redacted_lists
from dialogue.web.gates.queue import last_event_number
from dialogue.web.gates.rows import render_row
from dialogue.web.sockets.single_flight import SingleFlight

MAX_EVENTS = 400
"""How many events are kept, and how many one query fetches."""
KEEP_SECONDS = 10.0
"""A rendered row is not sent much later than it was read."""


@dataclass(frozen=True)
class RenderedEvent:
    """An event with its session, and the session's row for its holder, for auditors and for everybody else."""

    event: InboxEvent
    session: HITLSession
    html: str
    holder_html: str
    redacted_html: str
    overtaken_text: str
    """What overtook the decision, in a sentence; empty for other events."""
    read_at: float

    def html_for(self, person: Person) -> str:
        """The session's row as this person sees it."""
        if reads_redacted_lists(person):
            return self.redacted_html
        return self.holder_html if self.session.assignee_id == person.id else self.html


@dataclass(frozen=True)
class EventPage:
    """Events for one reader; up to event `reached` there are no more."""

    events: list[RenderedEvent]
    reached: int


class EventReader:
    """The recent events in one language, for any number of sockets of one loop."""

    def __init__(self, language: str, seconds: Callable[[], float] = monotonic) -> None:
        self._language = language
        self._seconds = seconds
        self._events: deque[RenderedEvent] = deque()
        self._since: int | None = None
        self._last = 0
        self._look = SingleFlight(self._read_new)

    async def after(self, cursor: int, person: Person, room: int) -> EventPage | None:
        """Return at most `room` events after `cursor` that concern this person; None when they are not kept."""
        await self._look()
        if self._since is None or cursor < self._since:
            return None
        events = [event for event in self._events if event.event.pk > cursor and _concerns(person, event.session)]
        is_complete = len(events) <= room
        return EventPage(events[:room], max(cursor, self._last) if is_complete else events[room - 1].event.pk)

    async def _read_new(self) -> None:
        if self._since is None:
            self._begin_at(await in_reader(last_event_number)())
            return
        rows = await in_reader(self._fetch)(self._last)
        if len(rows) > MAX_EVENTS:
            self._begin_at(await in_reader(last_event_number)())
            return
        self._events.extend(rows)
        self._last = rows[-1].event.pk if rows else self._last
        stale = self._seconds() - KEEP_SECONDS
        while self._events and (len(self._events) > MAX_EVENTS or self._events[0].read_at < stale):
            self._since = self._events.popleft().event.pk

    def _begin_at(self, number: int) -> None:
        """Start behind `number`: at first, and after a flood. Sockets further behind read for themselves."""
        self._events.clear()
        self._since = self._last = number

    def _fetch(self, after: int) -> list[RenderedEvent]:
        with translation.override(self._language), clock.cached_now():
            return [self._render(row) for row in events_after(after)[: MAX_EVENTS + 1]]

    def _render(self, row: InboxEvent) -> RenderedEvent:
        session = row.session
        others = render_row(session, 0)
        holders = render_row(session, session.assignee_id) if session.assignee_id else others
        chat = session.kind == HITLSession.Kind.HANDOFF
        redacted = render_row(session, 0, redacted=True) if chat else others
        return RenderedEvent(row, session, others, holders, redacted, overtaken_text(row), self._seconds())


def overtaken_text(row: InboxEvent) -> str:
    """Return what overtook the decision, when the event says that; else ""."""
    overtaking = overtaking_of(row.session) if row.kind == OVERTAKEN else None
    return overtaking.text if overtaking else ""


def _concerns(person: Person, session: HITLSession) -> bool:
    """Return whether an open inbox tells this person of the session. Other people's tests are not work."""
    return person.works_on(session.conversation) and may_see(person, session)


def events_after(number: int) -> QuerySet[InboxEvent]:
    """The events with a higher number, in order, each with its session and what a row shows of it."""
    related = ("conversation__user", "assignee", "decided_by", "group", "release")
    # Sessions of the test console are not work.
    rows = InboxEvent.objects.filter(pk__gt=number).exclude(session__conversation__channel=TEST_CHANNEL).order_by("pk")
    return rows.select_related(*(f"session__{name}" for name in related)).prefetch_related("session__tags")


_readers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, EventReader]] = WeakKeyDictionary()


def event_reader(language: str) -> EventReader:
    """Return the reader of this language on the running loop."""
    rooms = _readers.setdefault(asyncio.get_running_loop(), {})
    if language not in rooms:
        rooms[language] = EventReader(language)
    return rooms[language]
