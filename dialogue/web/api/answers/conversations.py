"""Answer bodies of the calls on conversations."""

from typing import Annotated, Any

from pydantic import Field

from dialogue.web.api.answers.parts import AnswerBody, JsonObject, Line, Moment, PendingSession, StackFrame


class OpenedConversation(AnswerBody):
    """The token opens this conversation only, and is shown once."""

    id: Annotated[str, Field(examples=["1b4e28ba-2fa1-4d3b-a5b7-5d0c3f1e9a11"])]
    token: str
    state: Annotated[str, Field(examples=["idle"])]


class ConversationState(AnswerBody):
    """State and what is pending; for staff also the explicit state, the stack and the release."""

    id: str
    state: str
    pending: list[PendingSession]
    explicit: str | None = None
    stack: list[StackFrame] | None = None
    release: int | None = None


class LeftConversation(ConversationState):
    """`left` is false where no person had the chat."""

    left: bool


class ForkedConversation(ConversationState):
    """A test conversation with its token."""

    token: str


class ConversationSummary(AnswerBody):
    """A row of the list."""

    id: str
    assistant: str
    customer: str
    user_ref: str
    vouched: bool
    channel: str
    language: str
    state: str
    explicit: str
    test: bool
    release: int
    created_at: Moment
    active_at: Moment


class ConversationPage(AnswerBody):
    """A page; `next` is the cursor of the next one."""

    conversations: list[ConversationSummary]
    next: str | None


class TurnReply(AnswerBody):
    """What the turn said, and what the conversation waits for. `stack` is for staff, `event` for programs.

    `awaited` and `starts` belong to an event from outside, `started` and `reason` to a flow that the business begins.
    """

    turn: int | None
    messages: list[Line]
    state: str
    pending: list[PendingSession]
    stack: list[StackFrame] | None = None
    event: int | None = None
    awaited: bool | None = None
    starts: str | None = None
    started: bool | None = None
    reason: str | None = None


class AcceptedEvent(AnswerBody):
    """It is stored, and its turn follows; `line` is that of files in the transcript."""

    event: int
    line: Line | None = None


class Planned(AnswerBody):
    """A flow or a message that begins later."""

    planned: int
    kind: str
    state: str
    reason: str
    at: Moment
    flow: str | None = None


class PlannedList(AnswerBody):
    """What is planned, and what became of it."""

    planned: list[Planned]


class CancelledPlan(Planned):
    """`cancelled` is false when it has begun or was cancelled already."""

    cancelled: bool


class ContactAnswer(AnswerBody):
    """Whether the assistant may write first."""

    allowed: bool


class Unmasked(AnswerBody):
    """Until when this caller sees masked values; null when they are masked."""

    unmasked_until: Moment | None


class Transcript(AnswerBody):
    """Lines in their order; `next` is the number to go on from, null at the end."""

    messages: list[Line]
    next: int | None


class TurnEvent(AnswerBody):
    """What the turn answered."""

    number: int
    kind: str


class TurnRecord(AnswerBody):
    """A turn: its event, the state after it, and the record of how it was understood."""

    number: int
    event: TurnEvent
    release: int
    state: str
    stack: list[StackFrame]
    record: JsonObject
    milliseconds: Any
    llm_calls: int
    tokens: int
    at: Moment
    messages: list[Line] | None = None


class TurnPage(AnswerBody):
    """A page of turns."""

    turns: list[TurnRecord]
    next: str | None
