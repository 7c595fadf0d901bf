"""The socket of one conversation: its transcript as it grows, and the end user's messages."""

from collections import deque
from collections.abc import Mapping
from functools import partial
from time import monotonic
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import has_insight, record_reading, redactor_beside
from dialogue.desk.chats.read_receipts import mark_read
from dialogue.models import Conversation, Turn
from dialogue.turns import runner
from dialogue.turns.accept import (
    Accepted,
    ConversationNotFound,
    Incoming,
    MessageRefused,
    accept,
    conversation_by_token,
)
from dialogue.turns.live import notify, recent_turns
from dialogue.turns.live.serializers import message_view, redacted_view, turn_view
from dialogue.turns.load import ServerBusy
from dialogue.turns.worker import reads_of_turn
from dialogue.web.shared.limits import LimitReached, count_message, limit_text
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.sockets.attendance import BOT_ANSWERS, Attendance, attendance_of, frames_of
from dialogue.web.sockets.auth import person_of_session, query_params
from dialogue.web.sockets.close_codes import NOT_SIGNED_IN, RIGHT_LOST, UNKNOWN, SocketClosed
from dialogue.web.sockets.feed import Feed, Outgoing, Reply
from dialogue.web.sockets.frames import Ack, Frame, FrameRefused, Typing, UserChoice, UserMessage
from dialogue.web.sockets.push_buffer import Cursor, PushedLines, take_pushed
from dialogue.web.sockets.stream import LiveConsumer

SECONDS_BETWEEN_TYPING = 1


class ConversationFeed(Feed):
    """One conversation: its lines (`cursor` is the last line sent), the ends of its turns, and who attends to it."""

    conversation: Conversation
    may_write = False
    turn = 0
    """The last turn whose end was sent."""
    person: Person | None = None
    """Who reads from the console; None for a customer with a token."""
    attendance: Attendance | None = None
    """Who had the chat at the last look; None while the bot has it."""
    sent_attendance: tuple[dict[str, Any], ...] = (BOT_ANSWERS,)
    """The last frames about that which were sent."""
    typing_passed_on_at = float("-inf")

    def __init__(self, scope: Mapping[str, Any], channel_name: str) -> None:
        super().__init__(scope, channel_name)
        self.pushed: deque[PushedLines] = deque()

    @property
    def group(self) -> str:
        return notify.conversation_group(self.conversation.pk)

    # ---- rights ---------------------------------------------------------------------------------------------------

    def authorize(self) -> None:
        conversation = self._by_token() if "token" in query_params(self.scope) else self._by_session()
        if conversation is None and hasattr(self, "conversation"):
            raise SocketClosed(RIGHT_LOST, "right_lost", _("You may not follow this conversation any more."))
        if conversation is None:
            raise SocketClosed(UNKNOWN, "unknown", _("There is no such conversation."))
        self.conversation = conversation

    def _by_token(self) -> Conversation | None:
        try:
            conversation = conversation_by_token(self._id_in_url(), query_params(self.scope)["token"])
        except ConversationNotFound:
            return None
        self.may_write = True
        return conversation

    def _by_session(self) -> Conversation | None:
        self.person = person = person_of_session(self.scope.get("session"))
        if person is None:
            raise SocketClosed(NOT_SIGNED_IN, "not_signed_in", _("Please sign in."))
        conversation = visible_conversations(person).filter(pk=self._id_in_url()).first()
        self.may_write = conversation is not None and conversation.user_id == person.id
        if conversation is not None and not hasattr(self, "conversation"):
            record_reading(conversation, person, "socket")  # one entry in the audit for each socket
        return conversation

    def _id_in_url(self) -> UUID:
        conversation: UUID = self.scope["url_route"]["kwargs"]["conversation"]
        return conversation

    # ---- what comes in --------------------------------------------------------------------------------------------

    async def receive(self, frame: Frame) -> Reply:
        match frame:
            case Ack(seq=seq):
                # Pages acknowledge lines on a visible screen: while a person has the chat, that means they were read.
                if self.attendance is not None:
                    await self.in_thread(partial(self._mark_read, seq))
                return Reply()
            case UserMessage() | UserChoice():
                accepted = await self.in_shared_commit(partial(self._accept, frame))
                answer = {"type": "accepted", "id": frame.id, "seq": accepted.seq}
                return Reply(answer, partial(self._start_turn, accepted))
            case Typing():
                role = await self.in_thread(self._typing_role)
                return Reply(afterwards=partial(self._pass_typing_on, role))
            case _:
                await self.in_thread(self.authorize)
                raise _writing_refused()

    def _accept(self, frame: UserMessage | UserChoice) -> Accepted:
        """Store what the end user wrote or pressed. Raises FrameRefused, SocketClosed."""
        self.authorize()
        if not self.may_write:
            raise _writing_refused(frame.id)
        if isinstance(frame, UserMessage):
            incoming = Incoming("message", frame.id, {"text": frame.text}, frame.text)
        else:
            incoming = Incoming("choice", frame.id, {"value": frame.value}, self._button_label(frame.value))
        address = str((self.scope.get("client") or ("",))[0])
        try:
            count_message(self.conversation, address)
            reads = reads_of_turn(self.conversation.pk)
            return accept(self.conversation.pk, incoming, runner.lease_owner(), reads)
        except MessageRefused as error:
            raise FrameRefused(error.code, error.detail, frame.id) from None
        except LimitReached as error:
            raise FrameRefused("rate_limited", limit_text(error), frame.id) from None
        except ServerBusy as error:
            raise FrameRefused("busy", limit_text(error), frame.id, retry_after=error.seconds) from None

    async def _start_turn(self, accepted: Accepted) -> None:
        """Show the customer's own line, and start the turn.

        The turn belongs to the process's runner, not to this socket: the browser may close in the middle of it.
        """
        if accepted.line is None:
            self.look()
        else:
            self.push(PushedLines(accepted.line.seq - 1, (message_view(accepted.line),)))
        runner.wake_conversation(self.conversation.pk, accepted.lease, accepted.rows)

    def _button_label(self, value: str) -> str:
        """Return the label of the pressed button, from the newest message that has such a button."""
        recent = self.conversation.messages.exclude(buttons=[]).order_by("-seq")[:5]
        labels = (button["label"] for message in recent for button in message.buttons if button["value"] == value)
        return next(labels, value)

    def _mark_read(self, seq: int) -> None:
        is_holder = self.person is not None and self.attendance is not None and self.attendance.holder == self.person.id
        if self.may_write:
            mark_read(self.conversation, None, seq)
        elif is_holder and self.person is not None:
            mark_read(self.conversation, self.person.id, seq)

    def _typing_role(self) -> str:
        """Return user or operator: only the customer and the person who has the chat are shown as typing."""
        self.authorize()
        if self.may_write:
            return "user"
        attendance = attendance_of(self.conversation)
        if self.person is None or attendance is None or attendance.holder != self.person.id:
            raise _writing_refused()
        return "operator"

    async def _pass_typing_on(self, role: str) -> None:
        """Tell the other side, at most once a second, and only while there is another side."""
        if self.attendance is None or monotonic() - self.typing_passed_on_at < SECONDS_BETWEEN_TYPING:
            return
        self.typing_passed_on_at = monotonic()
        by = self.attendance.by if role == "operator" else ""
        await notify.pass_on(self.group, {"type": "chat.typing", "role": role, "by": by, "socket": self.channel_name})

    # ---- what goes out --------------------------------------------------------------------------------------------

    def last_number(self) -> int:
        return self.conversation.last_message

    def seek(self, after: int | None) -> None:
        """Begin behind line `after` (None: with the first). A reader who missed a line gets the last turn's end again;
        the ends of older turns no longer matter."""
        self.cursor = after or 0
        missed_lines = self.cursor < self.conversation.last_message
        self.turn = self.conversation.last_turn - 1 if missed_lines else self.conversation.last_turn

    def push(self, lines: PushedLines) -> None:
        """Send lines as they were committed. A reader from the console, or one in a chat with a person, reads the rows:
        their lines are redacted for the reader, or have the frames of the other person beside them."""
        if self.person is not None or self.attendance is not None:
            self.look()
            return
        self.pushed.append(lines)
        self.news.set()

    async def fetch(self, limit: int) -> list[Outgoing]:
        """Return the pushed lines where they continue what was sent; else read the rows."""
        pushed = None if self.unread else take_pushed(self.pushed, Cursor(self.cursor, self.turn))
        if pushed is None or len(pushed[0]) >= limit:
            self.unread = False
            self.pushed.clear()
            return await self.in_reader(partial(self.read_rows, limit))
        batch, cursor = pushed
        self.turn = cursor.turn
        return batch

    def may_be_behind(self) -> bool:
        """Compare with the conversation that `authorize` has just read.

        Who attends changes with a turn; but once a person has the chat, their marks and leases change without one.
        """
        has_all = self.conversation.last_message <= self.cursor and self.conversation.last_turn <= self.turn
        return not has_all or self.attendance is not None

    def read_rows(self, limit: int) -> list[Outgoing]:
        """Read the lines behind the cursor and the turns that ended with them; after the last line, who attends."""
        lines = list(self.conversation.messages.filter(seq__gt=self.cursor).order_by("seq")[:limit])
        reached = lines[-1].seq if lines else self.cursor
        turns = [turn for turn in self._new_turns() if (turn.last_seq or 0) <= reached]
        gate = query_params(self.scope).get("gate", "")  # the page of a gate masks as its card does
        redact = redactor_beside(self.conversation, self.person, gate) if lines else str
        views = [{"type": "message", **redacted_view(message_view(line), redact)} for line in lines]
        line_frames = [(view["seq"], 0, Outgoing(view, view["seq"])) for view in views]
        turn_frames = [(turn.last_seq or reached, turn.number, Outgoing(self._turn_finished(turn))) for turn in turns]
        self.turn = max([self.turn, *(turn.number for turn in turns)])
        in_order = sorted([*line_frames, *turn_frames], key=lambda entry: entry[:2])
        batch = [outgoing for _seq, _turn, outgoing in in_order]
        return batch if len(batch) >= limit else [*batch, *self._attendance_changes()]

    def _new_turns(self) -> "QuerySet[Turn, Any]":
        turns = Turn.objects.filter(conversation=self.conversation, number__gt=self.turn)
        return turns.annotate(last_seq=Max("messages__seq")).order_by("number")

    def _turn_finished(self, turn: Turn) -> dict[str, Any]:
        view = turn_view(turn, insight=has_insight(self.person, self.conversation))
        return {"type": "turn.finished", "turn": turn.number, **view}

    def _attendance_changes(self) -> list[Outgoing]:
        """Return who has the chat and who has read, where it differs from what was sent."""
        self.attendance = attendance_of(self.conversation)
        before, self.sent_attendance = self.sent_attendance, tuple(frames_of(self.attendance))
        return [Outgoing(frame) for frame in self.sent_attendance if frame not in before]


class ConversationConsumer(LiveConsumer):
    """`/ws/conversations/<id>/?after=<seq>[&token=][&gate=<number>]`."""

    feed_class = ConversationFeed
    feed: ConversationFeed

    async def conversation_ring(self, message: dict[str, Any]) -> None:
        turn = recent_turns.find_turn(self.feed.conversation.pk, message.get("turn", 0))
        if turn is None:
            self.feed.look()
        else:
            self.feed.push(PushedLines(turn.after, turn.lines, turn.turn, turn.state_view))

    async def chat_typing(self, message: dict[str, Any]) -> None:
        is_own = message["socket"] == self.channel_name or (message["role"] == "user" and self.feed.may_write)
        if not is_own:
            await self.send_frame({"type": "typing", "role": message["role"], "by": message["by"] or None})

    async def turn_started(self, message: dict[str, Any]) -> None:
        await self.send_frame({"type": "turn.started"})


def _writing_refused(client_id: str = "") -> FrameRefused:
    return FrameRefused("not_allowed", _("Only who chats here may write here."), client_id)
