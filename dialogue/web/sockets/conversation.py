"""The socket of one conversation: its transcript as it grows, and the end user's messages."""

from collections import deque
from functools import partial
from time import monotonic
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from dialogue.desk.access.looks import has_insight, read_conversation, veil_for
from dialogue.desk.access.people import Person
from dialogue.desk.chats.read_receipts import mark_read
from dialogue.models import Conversation, Turn
from dialogue.turns import runner
from dialogue.turns.accept import (
    Accepted,
    ConversationNotFound,
    ConversationOver,
    Incoming,
    SameIdOtherBody,
    TooManyWaiting,
    accept,
    conversation_by_token,
)
from dialogue.turns.live import notify, recent_turns
from dialogue.turns.live.serializers import message_view, redacted_view, turn_view
from dialogue.web.shared.limits import LimitReached, count_message, limit_text
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.sockets.attendance import BOT_ANSWERS, Attendance, attendance_of, frames_of
from dialogue.web.sockets.auth import person_of_session, query_params
from dialogue.web.sockets.close_codes import NOT_SIGNED_IN, RIGHT_LOST, UNKNOWN, SocketClosed
from dialogue.web.sockets.frames import Frame, FrameRefused, Typing, UserChoice, UserMessage
from dialogue.web.sockets.push_buffer import Cursor, PushedLines, take_pushed
from dialogue.web.sockets.stream import LiveConsumer, Outgoing


class ConversationConsumer(LiveConsumer):
    """`/ws/conversations/<id>/?after=<seq>[&token=]`."""

    conversation: Conversation
    writes = False
    turn = 0
    accepted: Accepted | None = None
    person: Person | None = None
    """Who looks on from the console; None for the customer who came with a token."""
    attending: Attendance | None = None
    """Who had the chat when this socket last looked."""
    told: tuple[dict[str, Any], ...] = (BOT_ANSWERS,)
    """What this socket was told of that."""
    typing: str | None = None
    """The role of who types here, between the frame's being taken and its being passed on."""
    typed_at = float("-inf")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.given: deque[PushedLines] = deque()

    def group(self) -> str:
        return notify.conversation_group(self.conversation.pk)

    # ---- who may be here ------------------------------------------------------------------------------------------

    def enter(self) -> None:
        known = hasattr(self, "conversation")
        found = self._by_token() if "token" in query_params(self.scope) else self._by_session()
        if found is None and known:
            raise SocketClosed(RIGHT_LOST, "right_lost", _("You may not follow this conversation any more."))
        if found is None:
            raise SocketClosed(UNKNOWN, "unknown", _("There is no such conversation."))
        self.conversation = found

    def _by_token(self) -> Conversation | None:
        try:
            found = conversation_by_token(self._wanted(), query_params(self.scope)["token"])
        except ConversationNotFound:
            return None
        self.writes = True
        return found

    def _by_session(self) -> Conversation | None:
        self.person = person = person_of_session(self.scope.get("session"))
        if person is None:
            raise SocketClosed(NOT_SIGNED_IN, "not_signed_in", _("Please sign in."))
        found = visible_conversations(person).filter(pk=self._wanted()).first()
        self.writes = found is not None and found.user_id == person.id
        if found is not None and not hasattr(self, "conversation"):
            read_conversation(found, person, "socket")
        return found

    def _wanted(self) -> UUID:
        wanted: UUID = self.scope["url_route"]["kwargs"]["conversation"]
        return wanted

    # ---- what comes in --------------------------------------------------------------------------------------------

    def take(self, frame: Frame) -> dict[str, Any] | None:
        match frame:
            case UserMessage():
                return self._accept(frame.id, "message", {"text": frame.text}, frame.text)
            case UserChoice():
                return self._accept(frame.id, "choice", {"value": frame.value}, self._label(frame.value))
            case Typing():
                self.typing = self._typing_role()
                return None
            case _:
                raise FrameRefused("not_allowed", _("Only who chats here may write here."))

    async def took(self, frame: Frame) -> None:
        """The turn belongs to the process's runner, never to this socket: the browser may close in the middle of it."""
        accepted, self.accepted = self.accepted, None
        if accepted is not None:
            self._show(accepted)
            runner.wake_conversation(self.conversation.pk, accepted.lease)
        role, self.typing = self.typing, None
        if role is not None:
            await self._pass_typing_on(role)

    async def acknowledged(self, seq: int) -> None:
        """Pages acknowledge what stands on a screen that is looked at: while a person has the chat, that is reading."""
        if self.attending is not None:
            await self._in_thread(partial(self._mark_read, seq))

    def _mark_read(self, seq: int) -> None:
        holds = self.person is not None and self.attending is not None and self.attending.holder == self.person.id
        if self.writes:
            mark_read(self.conversation, None, seq)
        elif holds and self.person is not None:
            mark_read(self.conversation, self.person.id, seq)

    def _typing_role(self) -> str:
        """Whose typing the others are told of: the customer's, and that of the person who has the chat."""
        if self.writes:
            return "user"
        now = attendance_of(self.conversation)
        if self.person is None or now is None or now.holder != self.person.id:
            raise FrameRefused("not_allowed", _("Only who chats here may write here."))
        return "operator"

    async def _pass_typing_on(self, role: str) -> None:
        """At most once a second, and only while there is somebody on the other side."""
        if self.attending is None or monotonic() - self.typed_at < 1:
            return
        self.typed_at = monotonic()
        by = self.attending.by if role == "operator" else ""
        await notify.pass_on(self.group(), {"type": "chat.typing", "role": role, "by": by, "socket": self.channel_name})

    def _accept(self, client_id: str, kind: str, payload: dict[str, Any], text: str) -> dict[str, Any]:
        if not self.writes:
            raise FrameRefused("not_allowed", _("Only who chats here may write here."), client_id)
        incoming = Incoming(kind, client_id, payload, text)
        address = str((self.scope.get("client") or ("",))[0])
        try:
            count_message(self.conversation, address)
            self.accepted = accept(self.conversation.pk, incoming, claim_for=runner.lease_owner())
        except ConversationOver:
            raise FrameRefused("conversation_over", _("This conversation has ended."), client_id) from None
        except SameIdOtherBody:
            same = _("This id was used before, with another text.")
            raise FrameRefused("same_id_other_body", same, client_id) from None
        except TooManyWaiting:
            many = _("20 messages wait already. Please send this one again in a moment.")
            raise FrameRefused("rate_limited", many, client_id) from None
        except LimitReached as limit:
            raise FrameRefused("rate_limited", limit_text(limit), client_id) from None
        return {"type": "accepted", "id": client_id, "seq": self.accepted.seq}

    def _label(self, value: str) -> str:
        """What stood on the button that was pressed; the newest message that has such a button says it."""
        recent = self.conversation.messages.exclude(buttons=[]).order_by("-seq")[:5]
        labels = (each["label"] for row in recent for each in row.buttons if each["value"] == value)
        return next(labels, value)

    # ---- what goes out --------------------------------------------------------------------------------------------

    def _show(self, accepted: Accepted) -> None:
        """The customer's own line."""
        if accepted.line is None:
            self.look()
        else:
            self._give(PushedLines(accepted.line.seq - 1, (message_view(accepted.line),)))

    def _give(self, given: PushedLines) -> None:
        """Tell it as it was committed; who looks on, or chats with a person, is told by the rows."""
        if self.person is not None or self.attending is not None:
            self.look()
            return
        self.given.append(given)
        self.bell.set()

    async def fetch(self, room: int) -> list[Outgoing]:
        found = None if self.unread else take_pushed(self.given, Cursor(self.cursor, self.turn))
        if found is None or len(found[0]) >= room:
            self.unread = False
            self.given.clear()
            return await super().fetch(room)
        ready, place = found
        self.turn = place.turn
        return ready

    def last_number(self) -> int:
        return self.conversation.last_message

    def begin_after(self, cursor: int) -> None:
        """Whoever missed a line is told the last turn's end once more; older ones no longer matter."""
        super().begin_after(cursor)
        missed = cursor < self.conversation.last_message
        self.turn = self.conversation.last_turn - 1 if missed else self.conversation.last_turn

    def is_behind(self) -> bool:
        """By the row that was just read. People come with a turn; once one has the chat, only a look tells of them."""
        told = self.conversation.last_message <= self.cursor and self.conversation.last_turn <= self.turn
        return not told or self.attending is not None

    def outgoing(self, room: int) -> list[Outgoing]:
        lines = list(self.conversation.messages.filter(seq__gt=self.cursor).order_by("seq")[:room])
        reached = lines[-1].seq if lines else self.cursor
        turns = [row for row in self._new_turns() if (row.last_seq or 0) <= reached]
        veil = veil_for(self.person, self.conversation) if lines else str
        views = [{"type": "message", **redacted_view(message_view(line), veil)} for line in lines]
        said = [(view["seq"], 0, Outgoing(view, view["seq"])) for view in views]
        done = [(row.last_seq or reached, row.number, Outgoing(self._finished(row))) for row in turns]
        self.turn = max([self.turn, *(row.number for row in turns)])
        told = [each for _seq, _turn, each in sorted([*said, *done], key=lambda entry: entry[:2])]
        return told if len(told) >= room else [*told, *self._news_of_people()]

    def _new_turns(self) -> "QuerySet[Turn, Any]":
        rows = Turn.objects.filter(conversation=self.conversation, number__gt=self.turn)
        return rows.annotate(last_seq=Max("messages__seq")).order_by("number")

    def _finished(self, turn: Turn) -> dict[str, Any]:
        return {
            "type": "turn.finished",
            "turn": turn.number,
            **turn_view(turn, insight=has_insight(self.person, self.conversation)),
        }

    def _news_of_people(self) -> list[Outgoing]:
        """Who has the chat and who has read, where this socket was told otherwise; it comes after the lines."""
        self.attending = attendance_of(self.conversation)
        known, self.told = self.told, tuple(frames_of(self.attending))
        return [Outgoing(frame) for frame in self.told if frame not in known]

    async def chat_typing(self, message: dict[str, Any]) -> None:
        own = message["socket"] == self.channel_name or (message["role"] == "user" and self.writes)
        if not own:
            await self._send({"type": "typing", "role": message["role"], "by": message["by"] or None})

    async def conversation_ring(self, message: dict[str, Any]) -> None:
        found = recent_turns.find_turn(self.conversation.pk, message.get("turn", 0))
        if found is None:
            self.look()
        else:
            self._give(PushedLines(found.after, found.lines, found.turn, found.state_view))

    async def turn_started(self, message: dict[str, Any]) -> None:
        await self._send({"type": "turn.started"})
