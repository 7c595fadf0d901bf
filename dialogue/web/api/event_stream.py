"""Server-sent events of a conversation, for programs that follow it without a WebSocket.

Each `message` has its number as id: a client that reconnects with `Last-Event-ID` gets the lines that it missed, once
and in order. `turn.finished` holds the conversation's state after the last turn.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext as _
from ninja import Router

from dialogue.desk.access.token_scopes import CHAT, CONVERSATIONS_READ
from dialogue.models import Turn
from dialogue.turns.accept import ConversationNotFound
from dialogue.turns.live import notify
from dialogue.turns.live.serializers import message_view, redacted_view, turn_view
from dialogue.turns.process.database import in_reader
from dialogue.web.api.access import ConversationAccess, conversation_access, read_access
from dialogue.web.api.auth import scoped
from dialogue.web.api.problems import Problem
from dialogue.web.api.schemas import REFUSED

router = Router(tags=["conversations"])

KEEP_ALIVE_SECONDS = 20.0
"""A comment line is sent after so long without news, and the caller's right is read again."""
MAX_LINES_PER_BATCH = 200
MAX_ID_DIGITS = 18
"""A longer id would not fit the database's integers."""
MAX_STREAMS, MAX_STREAMS_PER_CALLER = 200, 10
"""Streams that a process keeps open: each of them queries the database for as long as it lasts."""


@dataclass(frozen=True)
class Cursor:
    """The last line and the last turn that a caller was sent."""

    seq: int
    turn: int


class StreamLimiter:
    """Counts a process's open streams, in all and for each caller."""

    def __init__(self, max_streams: int = MAX_STREAMS, max_streams_per_caller: int = MAX_STREAMS_PER_CALLER) -> None:
        self._max_streams = max_streams
        self._max_streams_per_caller = max_streams_per_caller
        self._open: Counter[str] = Counter()
        self._lock = Lock()

    def begin(self, caller: str, max_of_caller: int = 0) -> Callable[[], None]:
        """Count one more stream of this caller, who may have `max_of_caller`; return the function that ends it.

        Raises the 429 of a caller with too many streams, and the 503 of a server with too many.
        """
        with self._lock:
            most = max_of_caller or self._max_streams_per_caller
            if self._open[caller] >= most:
                detail = _("At most %(most)s streams at a time.") % {"most": most}
                raise Problem(429, "too_many_streams", detail)
            if self._open.total() >= self._max_streams:
                raise Problem(503, "busy", _("This server has as many streams as it can keep. Please try again."))
            self._open[caller] += 1
        callers = [caller]

        def end() -> None:
            with self._lock:
                if callers:  # a response may be closed twice, and counts once
                    self._open -= Counter([callers.pop()])

        return end


stream_limiter = StreamLimiter()


class _EventStreamResponse(StreamingHttpResponse):
    """Ends the stream's count when the response is closed, however it came to its end."""

    def __init__(self, events: AsyncIterator[str], end: Callable[[], None]) -> None:
        super().__init__(events, content_type="text/event-stream")
        self._end = end

    def close(self) -> None:
        self._end()
        super().close()


# Clients are generated from the operation's id, which was made from an earlier name of this module.
@router.get(
    "/{conversation_id}/events", response={200: Any, REFUSED: None}, operation_id="dialogue_web_api_following_follow"
)
@scoped(CHAT, CONVERSATIONS_READ)
def follow(request: HttpRequest, conversation_id: str) -> StreamingHttpResponse:
    """Server-sent events from `Last-Event-ID` on, or from the first line."""
    access = read_access(request, conversation_id)
    cursor = Cursor(_last_event_id(request), access.conversation.last_turn - 1)
    caller = f"person {access.person.id}" if access.person is not None else f"chat {access.conversation.pk}"
    return stream_response(_event_stream(request, access, cursor), stream_limiter.begin(caller))


def stream_response(events: AsyncIterator[str], end: Callable[[], None]) -> StreamingHttpResponse:
    """Return the response of a stream of events; `end` is called when it is closed."""
    response = _EventStreamResponse(events, end)
    response["Cache-Control"] = "private, no-store"
    response["X-Accel-Buffering"] = "no"  # a proxy that collects lines would keep them from the waiting client
    return response


def _last_event_id(request: HttpRequest) -> int:
    header = request.headers.get("Last-Event-ID", "0")
    if not (header.isascii() and header.isdigit() and len(header) <= MAX_ID_DIGITS):
        raise Problem(400, "bad_after", _("Last-Event-ID is the number of the last message that arrived."))
    return int(header)


async def _event_stream(request: HttpRequest, access: ConversationAccess, cursor: Cursor) -> AsyncIterator[str]:
    conversation_id = str(access.conversation.pk)
    async with notify.listening(notify.conversation_group(access.conversation.pk)) as wait:
        while True:
            try:
                cursor, events = await in_reader(_new_events)(request, conversation_id, cursor)
            except (Problem, ConversationNotFound):
                return  # the right is gone, and the stream with it
            for event in events:
                yield event
            if not events:
                yield ": nothing new\n\n"
            if len(events) < MAX_LINES_PER_BATCH:
                await wait(KEEP_ALIVE_SECONDS)


def _new_events(request: HttpRequest, conversation_id: str, cursor: Cursor) -> tuple[Cursor, list[str]]:
    """The lines after the cursor, the end of the last turn once its lines are sent, and the cursor behind them."""
    access = conversation_access(request, conversation_id)
    rows = list(access.conversation.messages.filter(seq__gt=cursor.seq).order_by("seq")[:MAX_LINES_PER_BATCH])
    redact = access.redactor()
    events = [event_text("message", redacted_view(message_view(row), redact), row.seq) for row in rows]
    seq = rows[-1].seq if rows else cursor.seq
    last_turn = Turn.objects.filter(conversation=access.conversation).order_by("-number").first()
    # The end of a turn comes after its last line, which may be in the next batch.
    if last_turn is None or last_turn.number <= cursor.turn or last_turn.messages.filter(seq__gt=seq).exists():
        return Cursor(seq, cursor.turn), events
    finished = {"turn": last_turn.number, **turn_view(last_turn, insight=access.has_insight)}
    return Cursor(seq, last_turn.number), [*events, event_text("turn.finished", finished)]


def event_text(kind: str, view: dict[str, Any], number: int | None = None) -> str:
    """Return an event as lines of a stream; a client continues behind its `number`."""
    text = json.dumps(view, ensure_ascii=False, cls=DjangoJSONEncoder)
    identity = f"id: {number}\n" if number is not None else ""
    return f"{identity}event: {kind}\ndata: {text}\n\n"
