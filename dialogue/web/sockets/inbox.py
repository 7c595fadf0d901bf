"""The socket of the console: every change of a session that this person may know of."""

import asyncio
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any, ClassVar

from django.db import DatabaseError, InterfaceError
from django.db.models import Q
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.chats.availability import attend
from dialogue.desk.queue import presence
from dialogue.models import InboxEvent
from dialogue.models.sessions.inbox_event import ESCALATED
from dialogue.turns import clock
from dialogue.turns.live import notify
from dialogue.web.gates.chat_rows import reads_redacted_lists
from dialogue.web.gates.queue import last_event_number
from dialogue.web.gates.rows import render_row
from dialogue.web.shared.permissions import may_see_gates
from dialogue.web.sockets.auth import person_of_session
from dialogue.web.sockets.close_codes import NOT_SIGNED_IN, RIGHT_LOST, SocketClosed
from dialogue.web.sockets.event_reader import event_reader, events_after, overtaken_text
from dialogue.web.sockets.frames import Frame, FrameRefused, Looking
from dialogue.web.sockets.single_flight import count_batcher
from dialogue.web.sockets.stream import LiveConsumer, Outgoing


class InboxConsumer(LiveConsumer):
    """`/ws/inbox/?after=<event>`; without `after` it begins with what happens next.

    What is new is read once for all sockets; only one that is far behind reads for itself.
    """

    settling: ClassVar[float] = 0.15
    """Seconds between news and its counts: everybody has the news first, and what comes meanwhile is counted along."""

    person: Person
    attended_at: datetime | None = None
    looking_at = 0
    """The session that this socket's page shows; 0 for none."""
    looked_since: datetime | None = None
    seen: list[dict[str, object]]
    """Who this socket was told to be looking at what."""
    looked_at = 0
    """Up to which event this socket has looked, whether it was told of or not."""

    def group(self) -> str:
        return notify.INBOX

    def enter(self) -> None:
        person = person_of_session(self.scope.get("session"))
        if person is None:
            raise SocketClosed(NOT_SIGNED_IN, "not_signed_in", _("Please sign in."))
        if not may_see_gates(person):
            raise SocketClosed(RIGHT_LOST, "right_lost", _("You may not see what waits for staff."))
        self.person = person
        self.attended_at = attend(person, self.attended_at)
        if self.looking_at and presence.is_old(self.looked_since):
            self._look()

    def first_cursor(self) -> int:
        return self.last_number()

    def begin_after(self, cursor: int) -> None:
        super().begin_after(cursor)
        self.looked_at = cursor

    def last_number(self) -> int:
        return last_event_number()

    def take(self, frame: Frame) -> dict[str, Any] | None:
        if not isinstance(frame, Looking):
            raise FrameRefused("not_allowed", _("Nothing can be written to this socket; it only tells."))
        self._look_away()
        self.looking_at = frame.number
        self._look()
        return None

    def _look(self) -> None:
        self.looked_since = clock.now()
        if self.looking_at and presence.look_at(self.person, self.looking_at):
            notify.ring_presence()

    def _look_away(self) -> None:
        if self.looking_at:
            presence.leave(self.person, self.looking_at)
            notify.ring_presence()

    async def disconnect(self, code: int) -> None:
        await super().disconnect(code)
        if self.looking_at:
            with suppress(DatabaseError, InterfaceError):  # whoever could not be told sees it when the look is old
                await self._in_thread(self._look_away)

    # ---- what goes out --------------------------------------------------------------------------------------------

    def parts(self) -> list[Any]:
        self.told, self.opened = asyncio.Event(), asyncio.Event()
        self.seen = []
        self.opened.set()
        return [*super().parts(), self._count_after_news(), self._tell_who_looks()]

    async def fetch(self, room: int) -> list[Outgoing]:
        edition = await event_reader(self.language).after(self.looked_at, self.person, room)
        if edition is None:
            return await super().fetch(room)
        self.looked_at = edition.reached
        return [
            _news(each.event, self.person, each.html_for(self.person), each.overtaken_text) for each in edition.events
        ]

    def outgoing(self, room: int) -> list[Outgoing]:
        newest = last_event_number()
        work = Q(session__conversation__test=False) | Q(session__conversation__user=self.person.id)
        rows = list(events_after(self.looked_at).filter(work, session__in=visible_sessions(self.person))[:room])
        self.looked_at = rows[-1].pk if len(rows) == room else max([newest, *(row.pk for row in rows)])
        return [_news(row, self.person, self._html(row), overtaken_text(row)) for row in rows]

    def _html(self, row: InboxEvent) -> str:
        return render_row(row.session, self.person.id, redacted=reads_redacted_lists(self.person))

    async def _count_after_news(self) -> None:
        while True:
            await self.told.wait()
            await asyncio.sleep(self.settling)
            self.told.clear()
            await self._guarded(self._send_counts)

    async def _tell_who_looks(self) -> None:
        while True:
            await self.opened.wait()
            await asyncio.sleep(self.settling)
            self.opened.clear()
            await self._guarded(self._send_presence)

    async def _send_presence(self) -> None:
        looking = await self._in_thread(partial(presence.others_looking, self.person))
        people = [each.plain() for each in looking]
        if people != self.seen:
            self.seen = people
            await self._send({"type": "presence", "people": people})

    async def _look_after(self) -> None:
        await super()._look_after()
        self.opened.set()

    async def presence_ring(self, message: dict[str, Any]) -> None:
        self.opened.set()

    async def _send_counts(self) -> None:
        await self._send({"type": "counts", **await count_batcher().counts_for(self.person)})

    async def _send_numbered(self, ready: Outgoing) -> None:
        await super()._send_numbered(ready)
        self.told.set()

    async def inbox_ring(self, message: dict[str, Any]) -> None:
        await self.ring(message)


def _news(row: InboxEvent, person: Person, html: str, overtaken: str) -> Outgoing:
    """An escalation is a change to everybody; those who may act too from now on are told so.

    The person whose decision was overtaken is told that in words.
    """
    kind = "changed" if row.kind == ESCALATED else row.kind
    frame = {"type": f"session.{kind}", "event": row.pk, "number": row.session_id, "version": row.version}
    if row.kind == ESCALATED and row.session.escalates_to_id in person.groups:
        frame["escalated"] = True
    if overtaken and row.session.decided_by_id == person.id:
        frame["text"] = overtaken
    return Outgoing({**frame, "html": html}, row.pk)
