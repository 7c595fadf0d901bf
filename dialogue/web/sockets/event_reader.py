"""One reader of the inbox's events for all sockets of a process: each event is read once, each row is rendered once.

What came in the last seconds is kept at hand; a socket that is further behind reads the database for itself.
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
"""Events that are kept at hand, and that one look fetches."""
KEEP_SECONDS = 10.0
"""Seconds that an event stays at hand: a row is never told much later than it was read."""


@dataclass(frozen=True)
class RenderedEvent:
    """A change of a session, with the session as it was read, and its row for its holder and for everybody else."""

    event: InboxEvent
    session: HITLSession
    html: str
    holder_html: str
    redacted_html: str
    overtaken_text: str
    """What overtook the decision, in a sentence; empty for every other news."""
    read_at: float

    def html_for(self, person: Person) -> str:
        """The session's row as this person sees it."""
        if reads_redacted_lists(person):
            return self.redacted_html
        return self.holder_html if self.session.assignee_id == person.id else self.html


@dataclass(frozen=True)
class EventPage:
    """What one reader is told, and the event up to which there is nothing more for them."""

    events: list[RenderedEvent]
    reached: int


class EventReader:
    """The news of one language. `after` may be asked by any number of sockets of one loop."""

    def __init__(self, language: str, seconds: Callable[[], float] = monotonic) -> None:
        self._language = language
        self._seconds = seconds
        self._events: deque[RenderedEvent] = deque()
        self._since: int | None = None
        self._last = 0
        self._look = SingleFlight(self._read_new)

    async def after(self, cursor: int, person: Person, room: int) -> EventPage | None:
        """The next news after `cursor` that this person may know of, at most `room`; None when it is not at hand."""
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
        self._forget_old()

    def _begin_at(self, number: int) -> None:
        """More has come than is kept, or nobody has looked yet: whoever is behind `number` reads for themselves."""
        self._events.clear()
        self._since = self._last = number

    def _forget_old(self) -> None:
        stale = self._seconds() - KEEP_SECONDS
        while self._events and (len(self._events) > MAX_EVENTS or self._events[0].read_at < stale):
            self._since = self._events.popleft().event.pk

    def _fetch(self, after: int) -> list[RenderedEvent]:
        with translation.override(self._language), clock.cached_now():
            return [self._render(row) for row in events_after(after)[: MAX_EVENTS + 1]]

    def _render(self, row: InboxEvent) -> RenderedEvent:
        session = row.session
        others = render_row(session, 0)
        holders = render_row(session, session.assignee_id) if session.assignee_id else others
        chat = session.kind == HITLSession.Kind.HANDOFF
        veiled = render_row(session, 0, redacted=True) if chat else others
        return RenderedEvent(row, session, others, holders, veiled, overtaken_text(row), self._seconds())


def overtaken_text(row: InboxEvent) -> str:
    """Why the decision was not carried out, where that is the news."""
    overtaking = overtaking_of(row.session) if row.kind == OVERTAKEN else None
    return overtaking.text if overtaking else ""


def _concerns(person: Person, session: HITLSession) -> bool:
    """Whether an open inbox tells this person of it: somebody else's test is no work, whoever may look at it."""
    return person.works_on(session.conversation) and may_see(person, session)


def events_after(number: int) -> QuerySet[InboxEvent]:
    """The events with a higher number, in order, each with its session and what a row shows of it."""
    related = ("conversation__user", "assignee", "decided_by", "group", "release")
    # What happens in the test console is nobody's work.
    rows = InboxEvent.objects.filter(pk__gt=number).exclude(session__conversation__channel=TEST_CHANNEL).order_by("pk")
    return rows.select_related(*(f"session__{name}" for name in related)).prefetch_related("session__tags")


_readers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, EventReader]] = WeakKeyDictionary()


def event_reader(language: str) -> EventReader:
    """The newsroom of this language on the running loop."""
    rooms = _readers.setdefault(asyncio.get_running_loop(), {})
    if language not in rooms:
        rooms[language] = EventReader(language)
    return rooms[language]
