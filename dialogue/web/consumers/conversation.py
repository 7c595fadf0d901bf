"""The socket of one conversation: its transcript as it grows, and the end user's messages."""

from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from dialogue.models import Conversation, Turn
from dialogue.turns import bell, runner
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
from dialogue.turns.answers import conversation_view, message_view, pending_view, stack_view
from dialogue.web.consumers.callers import NOT_SIGNED_IN, RIGHT_LOST, UNKNOWN, SocketClosed, person_of, query_of
from dialogue.web.consumers.frames import Frame, FrameRefused, Typing, UserChoice, UserMessage
from dialogue.web.consumers.stream import LiveConsumer, Outgoing
from dialogue.web.scope import visible_conversations


class ConversationConsumer(LiveConsumer):
    """`/ws/conversations/<id>/?after=<seq>[&token=]`."""

    conversation: Conversation
    writes = False
    turn = 0
    accepted: Accepted | None = None

    def group(self) -> str:
        return bell.conversation_group(self.conversation.pk)

    # ---- who may be here ------------------------------------------------------------------------------------------

    def enter(self) -> None:
        known = hasattr(self, "conversation")
        found = self._by_token() if "token" in query_of(self.scope) else self._by_session()
        if found is None and known:
            raise SocketClosed(RIGHT_LOST, "right_lost", _("You may not follow this conversation any more."))
        if found is None:
            raise SocketClosed(UNKNOWN, "unknown", _("There is no such conversation."))
        self.conversation = found

    def _by_token(self) -> Conversation | None:
        try:
            found = conversation_by_token(self._wanted(), query_of(self.scope)["token"])
        except ConversationNotFound:
            return None
        self.writes = True
        return found

    def _by_session(self) -> Conversation | None:
        person = person_of(self.scope.get("session"))
        if person is None:
            raise SocketClosed(NOT_SIGNED_IN, "not_signed_in", _("Please sign in."))
        found = visible_conversations(person).filter(pk=self._wanted()).first()
        self.writes = found is not None and found.user_id == person.id
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
            case Typing() if self.writes:
                return None
            case _:
                raise FrameRefused("not_allowed", _("Only who chats here may write here."))

    async def took(self, frame: Frame) -> None:
        """The turn belongs to the process's runner, never to this socket: the browser may close in the middle of it."""
        accepted, self.accepted = self.accepted, None
        if accepted is not None:
            self.bell.set()
            runner.wake(self.conversation.pk, accepted.lease)

    def _accept(self, client_id: str, kind: str, payload: dict[str, Any], text: str) -> dict[str, Any]:
        if not self.writes:
            raise FrameRefused("not_allowed", _("Only who chats here may write here."), client_id)
        incoming = Incoming(kind, client_id, payload, text)
        try:
            self.accepted = accept(self.conversation.pk, incoming, claim_for=runner.owner())
        except ConversationOver:
            raise FrameRefused("conversation_over", _("This conversation has ended."), client_id) from None
        except SameIdOtherBody:
            same = _("This id was used before, with another text.")
            raise FrameRefused("same_id_other_body", same, client_id) from None
        except TooManyWaiting:
            many = _("20 messages wait already. Please send this one again in a moment.")
            raise FrameRefused("rate_limited", many, client_id) from None
        return {"type": "accepted", "id": client_id, "seq": self.accepted.seq}

    def _label(self, value: str) -> str:
        """What stood on the button that was pressed; the newest message that has such a button says it."""
        recent = self.conversation.messages.exclude(buttons=[]).order_by("-seq")[:5]
        labels = (each["label"] for row in recent for each in row.buttons if each["value"] == value)
        return next(labels, value)

    # ---- what goes out --------------------------------------------------------------------------------------------

    def last_number(self) -> int:
        return self.conversation.last_message

    def begin_after(self, cursor: int) -> None:
        """Whoever missed a line is told the last turn's end once more; older ones no longer matter."""
        super().begin_after(cursor)
        missed = cursor < self.conversation.last_message
        self.turn = self.conversation.last_turn - 1 if missed else self.conversation.last_turn

    def outgoing(self, room: int) -> list[Outgoing]:
        lines = list(self.conversation.messages.filter(seq__gt=self.cursor).order_by("seq")[:room])
        reached = lines[-1].seq if lines else self.cursor
        turns = [row for row in self._new_turns() if (row.last_seq or 0) <= reached]
        said = [(line.seq, 0, Outgoing({"type": "message", **message_view(line)}, line.seq)) for line in lines]
        done = [(row.last_seq or reached, row.number, Outgoing(self._finished(row))) for row in turns]
        self.turn = max([self.turn, *(row.number for row in turns)])
        return [each for _seq, _turn, each in sorted([*said, *done], key=lambda entry: entry[:2])]

    def _new_turns(self) -> "QuerySet[Turn, Any]":
        rows = Turn.objects.filter(conversation=self.conversation, number__gt=self.turn)
        return rows.annotate(last_seq=Max("messages__seq")).order_by("number")

    def _finished(self, turn: Turn) -> dict[str, Any]:
        frame: dict[str, Any] = {"type": "turn.finished", "turn": turn.number}
        view = self._view_after(turn)
        return {**frame, "state": view["state"], "stack": view["stack"], "pending": view["pending"]}

    def _view_after(self, turn: Turn) -> dict[str, Any]:
        row = Conversation.objects.select_related("release").get(pk=self.conversation.pk)
        if row.last_turn == turn.number:
            return conversation_view(row)
        return {"state": turn.state, "stack": stack_view(turn.stack), "pending": pending_view(row)}

    async def conversation_ring(self, message: dict[str, Any]) -> None:
        await self.ring(message)

    async def turn_started(self, message: dict[str, Any]) -> None:
        await self._send({"type": "turn.started"})
