"""The socket of the console: every change of a session that this person may know of."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django.db import DatabaseError, InterfaceError
from django.db.models import Q
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.queue import presence
from dialogue.desk.queue.presence import mark_available
from dialogue.models import InboxEvent
from dialogue.models.sessions.inbox_event import ESCALATED
from dialogue.turns import clock
from dialogue.turns.live import notify
from dialogue.web.gates.chat_rows import reads_redacted_lists
from dialogue.web.gates.queue import last_event_number
from dialogue.web.gates.rows import render_row
from dialogue.web.shared.permissions import may_see_gates
from dialogue.web.sockets.auth import bearer_token, person_of_session, person_of_token
from dialogue.web.sockets.close_codes import NOT_SIGNED_IN, RIGHT_LOST, SocketClosed
from dialogue.web.sockets.event_reader import event_reader, events_after, overtaken_text
from dialogue.web.sockets.feed import Feed, Outgoing, Reply
from dialogue.web.sockets.frames import Ack, Frame, FrameRefused, Looking
from dialogue.web.sockets.single_flight import count_batcher
from dialogue.web.sockets.stream import LiveConsumer


class InboxFeed(Feed):
    """The events of the inbox that one person may know of. They are read once for all sockets of the process; only a
    socket that is far behind reads for itself."""

    person: Person
    is_program = False
    """Whether an API token opened the socket. A program gets no markup, and is not shown as present."""
    attended_at: datetime | None = None
    looking_at = 0
    """The session that this socket's page shows; 0 for none."""
    looked_since: datetime | None = None
    reached = 0
    """Up to which event this socket has looked, whether it was sent or does not concern the person."""

    @property
    def group(self) -> str:
        return notify.INBOX

    def authorize(self) -> None:
        token = bearer_token(self.scope)
        self.is_program = bool(token)
        person = person_of_token(token) if token else person_of_session(self.scope.get("session"))
        if person is None:
            raise SocketClosed(NOT_SIGNED_IN, "not_signed_in", _("Please sign in."))
        if not may_see_gates(person):
            raise SocketClosed(RIGHT_LOST, "right_lost", _("You may not see what waits for staff."))
        self.person = person
        if self.is_program:
            return  # a program that listens is no person at the desk, to whom chats may be handed
        self.attended_at = mark_available(person, self.attended_at)
        if self.looking_at and presence.needs_renewal(self.looked_since):
            self._show_presence()

    def last_number(self) -> int:
        return last_event_number()

    def seek(self, after: int | None) -> None:
        """Begin behind event `after`; None begins with what happens next."""
        self.cursor = self.reached = self.last_number() if after is None else after

    async def receive(self, frame: Frame) -> Reply:
        if not isinstance(frame, Ack):
            await self.in_thread(partial(self._look_at, frame))
        return Reply()

    def _look_at(self, frame: Frame) -> None:
        self.authorize()
        if self.is_program or not isinstance(frame, Looking):
            raise FrameRefused("not_allowed", _("Nothing can be written to this socket; it only tells."))
        self.remove_presence()
        self.looking_at = frame.number
        self._show_presence()

    def _show_presence(self) -> None:
        self.looked_since = clock.now()
        if self.looking_at and presence.start_viewing(self.person, self.looking_at):
            notify.ring_presence()

    def remove_presence(self) -> None:
        """Tell the others that this person does not look at the session any more."""
        if self.looking_at:
            presence.stop_viewing(self.person, self.looking_at)
            notify.ring_presence()

    async def fetch(self, limit: int) -> list[Outgoing]:
        page = await event_reader(self.language).after(self.reached, self.person, limit)
        if page is None:
            return await self.in_reader(partial(self.read_rows, limit))
        self.reached = page.reached
        frames = [
            _event_frame(event.event, self.person, event.html_for(self.person), event.overtaken_text)
            for event in page.events
        ]
        return list(map(self._for_reader, frames))

    def read_rows(self, limit: int) -> list[Outgoing]:
        """Read the events behind `reached` that concern this person."""
        newest = last_event_number()
        work = Q(session__conversation__test=False) | Q(session__conversation__user=self.person.id)
        events = list(events_after(self.reached).filter(work, session__in=visible_sessions(self.person))[:limit])
        self.reached = events[-1].pk if len(events) == limit else max([newest, *(event.pk for event in events)])
        redacted = reads_redacted_lists(self.person)
        frames = [
            _event_frame(
                event,
                self.person,
                render_row(event.session, self.person.id, redacted=redacted),
                overtaken_text(event),
            )
            for event in events
        ]
        return list(map(self._for_reader, frames))

    def _for_reader(self, outgoing: Outgoing) -> Outgoing:
        if not self.is_program:
            return outgoing
        frame = {name: value for name, value in outgoing.frame.items() if name != "html"}
        return Outgoing(frame, outgoing.number)


class InboxConsumer(LiveConsumer):
    """`/ws/inbox/?after=<event>`; without `after` it begins with what happens next.

    A browser opens it with its session, a program with an API token in the header `Authorization`.

    Beside the events it sends the counts of the tabs, and who looks at what.
    """

    feed_class = InboxFeed
    feed: InboxFeed
    settling: ClassVar[float] = 0.15
    """Seconds between an event and its counts: everybody gets the event first, and later events are counted along."""

    async def disconnect(self, code: int) -> None:
        await super().disconnect(code)
        if self.feed.looking_at:
            # A failure here leaves the person shown as looking, until that look is old.
            with suppress(DatabaseError, InterfaceError):
                await self.feed.in_thread(self.feed.remove_presence)

    def background_loops(self) -> list[Coroutine[Any, Any, None]]:
        self.counts_due, self.presence_due = asyncio.Event(), asyncio.Event()
        self.sent_presence: list[dict[str, object]] = []
        self.presence_due.set()
        return [*super().background_loops(), self._counts_loop(), self._presence_loop()]

    async def send_row(self, outgoing: Outgoing) -> None:
        await super().send_row(outgoing)
        self.counts_due.set()

    async def check(self) -> None:
        await super().check()
        self.presence_due.set()

    async def _counts_loop(self) -> None:
        while True:
            await self.counts_due.wait()
            await asyncio.sleep(self.settling)
            self.counts_due.clear()
            await self.guard(self._send_counts)

    async def _send_counts(self) -> None:
        await self.send_frame({"type": "counts", **await count_batcher().counts_for(self.feed.person)})

    async def _presence_loop(self) -> None:
        while True:
            await self.presence_due.wait()
            await asyncio.sleep(self.settling)
            self.presence_due.clear()
            await self.guard(self._send_presence)

    async def _send_presence(self) -> None:
        others = await self.feed.in_thread(partial(presence.other_viewers, self.feed.person))
        people = [other.plain() for other in others]
        if people != self.sent_presence:
            self.sent_presence = people
            await self.send_frame({"type": "presence", "people": people})

    async def inbox_ring(self, message: dict[str, Any]) -> None:
        self.feed.look()

    async def presence_ring(self, message: dict[str, Any]) -> None:
        self.presence_due.set()


def _event_frame(event: InboxEvent, person: Person, html: str, overtaken: str) -> Outgoing:
    """Return the frame `{type, event, number, version, html}` for one reader.

    An escalation is a change to everybody; `escalated` is set for those who may act too from now on. `text` says to the
    person whose decision was overtaken what overtook it.
    """
    kind = "changed" if event.kind == ESCALATED else event.kind
    frame = {"type": f"session.{kind}", "event": event.pk, "number": event.session_id, "version": event.version}
    if event.kind == ESCALATED and event.session.escalates_to_id in person.groups:
        frame["escalated"] = True
    if overtaken and event.session.decided_by_id == person.id:
        frame["text"] = overtaken
    return Outgoing({**frame, "html": html}, event.pk)
