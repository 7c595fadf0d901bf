"""Shapes of what the API takes and answers."""

from dataclasses import dataclass
from typing import Any, Literal, NotRequired, Required, TypedDict

JsonObject = dict[str, Any]
RequestState = Literal["waiting", "answered", "expired", "cancelled", "withdrawn"]


class Source(TypedDict):
    """Which agent asks, in which thread of its own, and where people can look at that."""

    name: str
    thread: str
    run: NotRequired[str]
    link: NotRequired[str]


class RequestOptions(TypedDict, total=False):
    """The keys of a request beside the question itself, as docs/integrate.md describes them."""

    id: Required[str]
    source: Required[Source]
    timeout: Required[str]
    on_timeout: Required[str]
    dialect: str
    due: str
    group: str
    queue: str
    people: int
    four_eyes: bool
    channels: list[JsonObject]
    context: list[str]
    callback: str


class AskOptions(RequestOptions, total=False):
    """The same, and how many seconds the caller waits; without `patience` as long as the request is open."""

    patience: float


class QuestionState(TypedDict):
    """One question of a request: its session, and who decided it."""

    session: str
    state: str
    action: str | None
    decided_by: str | None
    decided_at: str | None
    expires_at: str | None
    receipt: JsonObject | None


class AgentRequest(TypedDict):
    """A request as the API answers it; `answer` is in the dialect's own shape, None until all questions are decided."""

    id: str
    dialect: str
    state: RequestState
    answer: Any
    sessions: list[QuestionState]
    callback_secret: NotRequired[str]


@dataclass(frozen=True)
class AgentAnswer:
    """What people decided. `answer` has the shape that the framework expects, and is None after `no_answer`."""

    id: str
    dialect: str
    state: RequestState
    answer: Any
    sessions: tuple[QuestionState, ...]

    @classmethod
    def of(cls, request: AgentRequest) -> "AgentAnswer":
        """Return the answer in a request that is not waiting."""
        return cls(request["id"], request["dialect"], request["state"], request["answer"], tuple(request["sessions"]))

    @property
    def is_answered(self) -> bool:
        """Whether people decided; False if the request expired, was cancelled or withdrawn."""
        return self.state == "answered"

    @property
    def decided_by(self) -> tuple[str, ...]:
        """The names of the people who decided, in the order of the questions."""
        return tuple(question["decided_by"] for question in self.sessions if question["decided_by"])


class OpenedConversation(TypedDict):
    """A conversation that was opened; the token is shown once."""

    id: str
    token: str
    state: str


class ConversationOptions(TypedDict, total=False):
    """What a program may say when it opens a conversation."""

    user_ref: str
    channel: str
    language: str
    user_token: str
    slots: JsonObject
    metadata: JsonObject
    test: bool


class Message(TypedDict):
    """A line of a conversation."""

    seq: int
    role: str
    key: str
    text: str
    buttons: list[JsonObject]
    at: str
    parts: NotRequired[list[JsonObject]]
    author: NotRequired[str]


class TurnReply(TypedDict):
    """The answer to a message: what the assistant said, and what the conversation waits for."""

    turn: int | None
    messages: list[Message]
    state: str
    pending: list[JsonObject]
    stack: NotRequired[list[JsonObject]]


class SessionFilters(TypedDict, total=False):
    """Filters of a list of sessions; `state` is states with commas, or pending, final, any."""

    state: str
    audience: str
    assignee: str
    flow: str
    assistant: str
    group: str
    tag: str
    due_before: str
    q: str
    test: bool
    order: str
    limit: int
