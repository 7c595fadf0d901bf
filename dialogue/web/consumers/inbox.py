"""The socket of the console: every change of a session that this person may know of."""

from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.people import Person, visible_sessions
from dialogue.desk.quiet import quiet_of
from dialogue.models import InboxEvent
from dialogue.turns import bell
from dialogue.web.consumers.callers import NOT_SIGNED_IN, RIGHT_LOST, SocketClosed, person_of
from dialogue.web.consumers.frames import Frame, FrameRefused
from dialogue.web.consumers.stream import LiveConsumer, Outgoing
from dialogue.web.queues import badge_counts, last_event, may_see_gates, tab_counts
from dialogue.web.rows import render_row


class InboxConsumer(LiveConsumer):
    """`/ws/inbox/?after=<event>`; without `after` it begins with what happens next."""

    person: Person | None = None
    uncounted = False
    """Whether news went out that the counts have not followed yet: they come after, when everybody has the news."""

    def group(self) -> str:
        return bell.INBOX

    def enter(self) -> None:
        person = person_of(self.scope.get("session"))
        if person is None:
            raise SocketClosed(NOT_SIGNED_IN, "not_signed_in", _("Please sign in."))
        if not may_see_gates(person):
            raise SocketClosed(RIGHT_LOST, "right_lost", _("You may not see what waits for staff."))
        self.person = person

    def first_cursor(self) -> int:
        return self.last_number()

    def last_number(self) -> int:
        return last_event()

    def take(self, frame: Frame) -> dict[str, Any] | None:
        raise FrameRefused("not_allowed", _("Nothing can be written to this socket; it only tells."))

    def outgoing(self, room: int) -> list[Outgoing]:
        assert self.person is not None
        events = InboxEvent.objects.filter(pk__gt=self.cursor, session__in=visible_sessions(self.person))
        rows = list(events.select_related("session").order_by("pk")[:room])
        if not rows:
            return self._counts_after_news()
        sessions = visible_sessions(self.person).in_bulk([row.session_id for row in rows])
        self.uncounted = True
        # A right can be lost between the two queries; what is out of sight by now is not told.
        seen = [(row, session) for row in rows if (session := sessions.get(row.session_id))]
        return [self._news(row, render_row(session, self.person)) for row, session in seen]

    def _counts_after_news(self) -> list[Outgoing]:
        if not self.uncounted:
            return []
        self.uncounted = False
        return [Outgoing({"type": "counts", **self._counts()})]

    def _news(self, row: InboxEvent, html: str) -> Outgoing:
        frame = {"type": f"session.{row.kind}", "event": row.pk, "number": row.session_id, "version": row.version}
        return Outgoing({**frame, "html": html}, row.pk)

    def _counts(self) -> dict[str, Any]:
        assert self.person is not None
        quiet = quiet_of(self.person).plain()
        return {"views": tab_counts(self.person), "badges": badge_counts(self.person), "quiet": quiet}

    async def inbox_ring(self, message: dict[str, Any]) -> None:
        await self.ring(message)
