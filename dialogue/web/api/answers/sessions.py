"""Answer bodies of the calls on sessions and on requests of agents."""

from typing import Annotated, Any, Literal

from pydantic import Field

from dialogue.web.api.answers.parts import AnswerBody, JsonObject, Moment, Receipt


class SessionSummary(AnswerBody):
    """A row of the list."""

    number: int
    name: Annotated[str, Field(examples=["g12"])]
    state: Annotated[str, Field(examples=["open"])]
    delivery: str
    version: int
    kind: str
    audience: str
    title: str
    conversation: str
    customer: str
    test: bool
    flow: str
    step: str
    group: str | None
    queue: str | None
    priority: int
    tags: list[str]
    assignee: str | None
    claimed_until: Moment | None
    opened_at: Moment | None
    due_at: Moment | None
    expires_at: Moment | None
    follow_up_at: Moment | None
    decided_by: str | None
    decided_at: Moment | None


class SessionPage(AnswerBody):
    """A page; `next` is the cursor of the next one."""

    sessions: list[SessionSummary]
    next: str | None


class SessionField(AnswerBody):
    """A field of the form."""

    gate: str
    name: str
    type: str
    description: str
    required: bool
    answered: bool
    value: Any


class SessionAction(AnswerBody):
    """An answer that a person may choose, and what follows from it."""

    id: str
    label: str
    style: str | None
    reason: bool
    next: Any
    consequence: str
    inputs: Any


class Expiry(AnswerBody):
    """What happens at the deadline."""

    id: str
    label: str
    consequence: str


class Escalation(AnswerBody):
    """The role that may act too, and from when on."""

    role: str
    at: Moment | None
    happened_at: Moment | None


class SessionDecision(AnswerBody):
    """Who decided what."""

    action: str | None
    values: JsonObject
    reason: str
    by: str | None
    at: Moment | None
    through: str
    text: str


class Overtaken(AnswerBody):
    """What changed after the decision, and the session that asks again."""

    changed: list[Any]
    next: str | None
    text: str


class SessionDraft(AnswerBody):
    """What this person typed and did not send; `of` is the person who passed it on."""

    values: JsonObject
    action: str
    of: str | None = None


class HistoryLine(AnswerBody):
    """What was done to the session, or refused."""

    at: Moment
    by: str
    act: str
    refused: bool
    text: str
    action: str | None


class SessionDetails(SessionSummary):
    """A session with form, values, actions, decision and history, as the caller may see them."""

    message: str
    error: str
    release: int
    form: JsonObject
    fields: list[SessionField]
    values: list[JsonObject]
    actions: list[SessionAction]
    on_timeout: Expiry | None
    allowed: list[str]
    four_eyes: bool
    claim_required: bool
    people_required: int
    escalation: Escalation | None
    links: list[JsonObject]
    decision: SessionDecision | None
    overtaken: Overtaken | None
    draft: SessionDraft
    history: list[HistoryLine]


class BulkResult(AnswerBody):
    """What became of one gate; `code` is null for an answer that counts."""

    session: str
    status: int
    code: str | None
    detail: str


class BulkResults(AnswerBody):
    """A row for each gate."""

    results: list[BulkResult]


class StoredFiles(AnswerBody):
    """Files of a form; the `id`s are the field's value."""

    files: list[JsonObject]


class QuestionState(AnswerBody):
    """A question of a request: its session, who decided it, and the receipt once everything is decided."""

    session: Annotated[str, Field(examples=["g12"])]
    state: Annotated[str, Field(examples=["submitted"])]
    action: str | None
    decided_by: str | None
    decided_at: Moment | None
    expires_at: Moment | None
    receipt: Receipt | None


class AgentRequestState(AnswerBody):
    """A request of an agent; `answer` is in the dialect's own shape, null until all questions are decided."""

    id: Annotated[str, Field(examples=["refund-4711"])]
    dialect: Annotated[str, Field(examples=["langchain"])]
    state: Literal["waiting", "answered", "expired", "cancelled", "withdrawn"]
    answer: Annotated[Any, Field(examples=[{"decisions": [{"type": "approve"}]}])]
    sessions: list[QuestionState]


class OpenedAgentRequest(AgentRequestState):
    """With `callback`, the secret with which the answer will be signed."""

    callback_secret: str | None = None


class ReplacedCallbackSecret(AnswerBody):
    """The secret with which callbacks of the account are signed from now on."""

    callback_secret: Annotated[str, Field(examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])]
