"""A conversation as server-sent events: for programs that follow it without a WebSocket.

Each `message` has its number as id, so that whoever comes back with `Last-Event-ID` gets what was missed, once, in
order. `turn.finished` says where the last turn left the conversation.
"""

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest, StreamingHttpResponse
from django.utils.translation import gettext as _
from ninja import Router

from dialogue.models import Turn
from dialogue.turns.accept import ConversationNotFound
from dialogue.turns.live import notify
from dialogue.turns.live.serializers import message_view, redacted_view, turn_view
from dialogue.turns.process.database import in_reader
from dialogue.web.api.bodies import REFUSED
from dialogue.web.api.chats import Chat, fetch_chat, held_chat
from dialogue.web.api.problems import Problem
from dialogue.web.api.streams import streams

router = Router(tags=["conversations"])

PATIENCE = 20.0
"""Seconds after which a line goes out though there is no news, and the caller's right is read again."""

AT_ONCE = 200
LONGEST_ID = 18
"""Digits of an id; more would not fit the database's integers."""


@dataclass(frozen=True)
class Place:
    """How far a caller was told: the last line, and the last turn."""

    seq: int
    turn: int


class _Stream(StreamingHttpResponse):
    """Frees its place when it is closed, however it came to its end."""

    def __init__(self, events: AsyncIterator[str], end: Callable[[], None]) -> None:
        super().__init__(events, content_type="text/event-stream")
        self._end = end

    def close(self) -> None:
        self._end()
        super().close()


@router.get("/{conversation_id}/events", response={200: Any, REFUSED: None})
def follow(request: HttpRequest, conversation_id: str) -> StreamingHttpResponse:
    """Server-sent events from `Last-Event-ID` on, or from the first line."""
    chat = fetch_chat(request, conversation_id)
    place = Place(_last_heard(request), chat.conversation.last_turn - 1)
    answer = _Stream(_events(request, chat, place), streams.begin(_caller(chat)))
    answer["Cache-Control"] = "private, no-store"
    answer["X-Accel-Buffering"] = "no"  # a proxy that collects lines would keep them from who waits for them
    return answer


def _caller(chat: Chat) -> str:
    return f"person {chat.person.id}" if chat.person is not None else f"chat {chat.conversation.pk}"


def _last_heard(request: HttpRequest) -> int:
    given = request.headers.get("Last-Event-ID", "0")
    if not (given.isascii() and given.isdigit() and len(given) <= LONGEST_ID):
        raise Problem(400, "bad_after", _("Last-Event-ID is the number of the last message that arrived."))
    return int(given)


async def _events(request: HttpRequest, chat: Chat, place: Place) -> AsyncIterator[str]:
    name = str(chat.conversation.pk)
    async with notify.listening(notify.conversation_group(chat.conversation.pk)) as wait:
        while True:
            try:
                place, news = await in_reader(_news)(request, name, place)
            except (Problem, ConversationNotFound):
                return  # the right is gone, and the stream with it
            for each in news:
                yield each
            if not news:
                yield ": nothing new\n\n"
            if len(news) < AT_ONCE:
                await wait(PATIENCE)


def _news(request: HttpRequest, name: str, place: Place) -> tuple[Place, list[str]]:
    """The lines after this place, and the end of the last turn when its lines were told; and the place after them."""
    chat = held_chat(request, name)
    rows = list(chat.conversation.messages.filter(seq__gt=place.seq).order_by("seq")[:AT_ONCE])
    veil = chat.veil()
    told = [_event("message", redacted_view(message_view(row), veil), row.seq) for row in rows]
    seq = rows[-1].seq if rows else place.seq
    last = Turn.objects.filter(conversation=chat.conversation).order_by("-number").first()
    if last is None or last.number <= place.turn or last.messages.filter(seq__gt=seq).exists():
        return Place(seq, place.turn), told
    finished = _event("turn.finished", {"turn": last.number, **turn_view(last, insight=chat.insight)})
    return Place(seq, last.number), [*told, finished]


def _event(kind: str, view: dict[str, Any], number: int | None = None) -> str:
    text = json.dumps(view, ensure_ascii=False, cls=DjangoJSONEncoder)
    identity = f"id: {number}\n" if number is not None else ""
    return f"{identity}event: {kind}\ndata: {text}\n\n"
