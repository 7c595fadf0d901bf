"""Request bodies and query strings: strict types, and unknown names are refused."""

import re
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal, cast

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Schema
from ninja.parser import Parser
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    field_validator,
    model_validator,
)

from dialogue.desk.queue.keyset import NotOffered
from dialogue.engine.slots.durations import DurationRefused, parse_duration
from dialogue.engine.source.json import JsonRefused, read_json
from dialogue.library.releases.test_conversations import TEST_CHANNEL
from dialogue.turns.accept import AGENT_CHANNEL, storable_value
from dialogue.turns.answer_links import REHEARSED
from dialogue.web.api.problems import Problem


class Body(Schema):
    """A request's body or query: unknown names are refused."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


ClientId = Annotated[StrictStr, Field(min_length=1, max_length=100, pattern=r"^[^\x00]+$")]
Reason = Annotated[StrictStr, Field(max_length=10_000)]
MAX_NUMBER = 2**31 - 1
"""The largest number of the database's columns for versions and releases."""
Version = Annotated[StrictInt, Field(ge=0, le=MAX_NUMBER)]


_DATE = re.compile(r"\d{4}-\d\d-\d\d")


def _written_moment(value: Any) -> Any:
    """Refuse numbers, which Pydantic would read as seconds since 1970."""
    if isinstance(value, int | float) or (isinstance(value, str) and not _DATE.match(value)):
        raise ValueError(_("Write a date and a time, such as 2026-11-27T10:00:00Z."))
    return value


def _storable_moment(moment: datetime) -> datetime:
    """Refuse the years in which a change of the zone may leave the calendar."""
    if not datetime.min.year < moment.year < datetime.max.year:
        raise ValueError(_("This moment is too early or too late."))
    return moment


Moment = Annotated[datetime, BeforeValidator(_written_moment), AfterValidator(_storable_moment)]
OWN_CHANNELS = frozenset({TEST_CHANNEL, REHEARSED, AGENT_CHANNEL})
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


class NewConversation(Body):
    """Opens a conversation with an assistant's active release."""

    assistant: Annotated[StrictStr, Field(min_length=1, max_length=64)]
    user_ref: Annotated[StrictStr, Field(max_length=200)] = ""
    channel: Annotated[StrictStr, Field(min_length=1, max_length=40)] = "web"
    language: Annotated[StrictStr, Field(max_length=35)] = ""
    user_token: Annotated[StrictStr, Field(max_length=8192)] = ""
    slots: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    test: StrictBool = False

    @field_validator("language")
    @classmethod
    def _tag(cls, tag: str) -> str:
        if tag and not _LANGUAGE.fullmatch(tag):
            raise ValueError(_("Write a language tag, such as en or es-MX."))
        return tag

    @field_validator("channel")
    @classmethod
    def _of_a_customer(cls, name: str) -> str:
        """No open inbox is told of the test console's channel, and no mail goes out for that of scenarios."""
        if name in OWN_CHANNELS:
            raise ValueError(_("This channel is our own. Choose another name."))
        return name

    @field_validator("user_ref", "channel", "assistant")
    @classmethod
    def _storable(cls, text: str) -> str:
        if "\0" in text or not text.isprintable():
            raise ValueError(_("This text holds characters that cannot be stored."))
        return text


def _check_zone(moment: datetime | None) -> datetime | None:
    if moment is not None and moment.tzinfo is None:
        raise ValueError(_("`at` needs a time zone."))
    return moment


class NewMessage(Body):
    """A line that the end user typed, the value of a button, or what the business writes first, now or later."""

    id: ClientId
    text: StrictStr | None = None
    choice: StrictStr | None = None
    say: Annotated[StrictStr, Field(min_length=1, max_length=10_000)] | None = None
    at: Moment | None = None

    @model_validator(mode="after")
    def _one_of_three(self) -> "NewMessage":
        if [self.text, self.choice, self.say].count(None) != 2:
            raise ValueError(_("Send either `text` or `choice`."))
        if self.at is not None and self.say is None:
            raise ValueError(_("`at` is for a message of the business, with `say`."))
        return self

    @field_validator("at")
    @classmethod
    def _with_zone(cls, moment: datetime | None) -> datetime | None:
        return _check_zone(moment)


class StartedFlow(Body):
    """A flow that the business begins, now or later, with values for its slots."""

    id: ClientId
    flow: Annotated[StrictStr, Field(min_length=1, max_length=64)]
    slots: dict[str, Any] = {}
    at: Moment | None = None

    @field_validator("at")
    @classmethod
    def _with_zone(cls, moment: datetime | None) -> datetime | None:
        return _check_zone(moment)


class Contact(Body):
    """Whether the assistant may write first to the customer."""

    allowed: StrictBool


class ReportedEvent(Body):
    """An event that flows may wait for, with the sender's own id of it."""

    id: ClientId
    event: Annotated[StrictStr, Field(min_length=1, max_length=64, pattern=r"^[a-z][a-z0-9_]*$")]
    payload: dict[str, Any] = {}


class WithReason(Body):
    reason: Reason = ""


class Forked(Body):
    """From which turn a test goes on; 0 is the beginning."""

    turn: StrictInt = Field(ge=0, le=1_000_000)


class OnSession(Body):
    """What most operations on a session take: the version that the caller saw."""

    version: Version | None = None


class Reasoned(OnSession):
    reason: Reason = ""


class Submitted(Reasoned):
    """An answer: the action, the values by field, and a key against doing it twice."""

    action: StrictStr = ""
    values: dict[str, Any] = {}
    idempotency_key: Annotated[StrictStr, Field(max_length=200)] = ""


class Until(OnSession):
    """A duration such as "30m", or a moment with its zone."""

    duration: StrictStr | None = None
    until: Moment | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "Until":
        if (self.duration is None) == (self.until is None):
            raise ValueError(_("Send either `duration`, such as 30m, or `until`."))
        if self.until is not None and self.until.tzinfo is None:
            raise ValueError(_("`until` needs a time zone."))
        return self

    @field_validator("duration")
    @classmethod
    def _readable(cls, text: str | None) -> str | None:
        try:
            if text is not None:
                parse_duration(text)
        except DurationRefused as refused:
            raise ValueError(str(refused)) from None
        return text

    @property
    def by(self) -> timedelta | None:
        return parse_duration(self.duration) if self.duration else None


class Drafted(OnSession):
    """What was typed and not sent; kept as it is."""

    values: dict[str, Any] = {}
    action: Annotated[StrictStr, Field(max_length=64)] = ""


class Noted(OnSession):
    text: Annotated[StrictStr, Field(min_length=1, max_length=10_000)]


class Prioritised(OnSession):
    priority: Annotated[StrictInt, Field(ge=-100, le=100)]


class Tagged(Body):
    """The words that a session is to have, in place of those that it has."""

    tags: Annotated[list[StrictStr], Field(max_length=50)]


class Said(Body):
    """A line to the customer, and a key against writing it twice."""

    text: Annotated[StrictStr, Field(min_length=1, max_length=10_000)]
    idempotency_key: Annotated[StrictStr, Field(max_length=200)] = ""


class HandedBack(Body):
    """Nothing but a key against doing it twice."""

    idempotency_key: Annotated[StrictStr, Field(max_length=200)] = ""


class Chosen(Body):
    """One of several gates that are answered together, and the version that the caller saw."""

    session: Annotated[StrictStr, Field(pattern=r"^g[0-9]{1,18}$")]
    version: Version | None = None


class Together(Body):
    """One answer for gates with the same form; the version stands at each gate."""

    sessions: Annotated[list[Chosen], Field(min_length=1, max_length=50)]
    action: StrictStr = ""
    values: dict[str, Any] = {}
    reason: Reason = ""
    idempotency_key: Annotated[StrictStr, Field(max_length=200)] = ""


class Empty(Body):
    """Nothing."""


class GateValue(Body):
    value: Any


class Paging(Body):
    cursor: str = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class SessionFilters(Paging):
    """The filters of a list of sessions. `state` is states with commas, or pending, final, any."""

    state: str = "pending"
    audience: str = ""
    assignee: str = ""
    flow: str = ""
    assistant: str = ""
    group: str = ""
    tag: str = ""
    due_before: Moment | None = None
    q: str = ""
    test: bool | None = None
    order: str = "urgency"


class ConversationFilters(Paging):
    """The filters of a list of conversations."""

    state: str = ""
    assistant: str = ""
    user_ref: str = ""
    test: bool | None = None
    order: str = "active"


class After(Body):
    """The transcript's lines with a greater number than `after`."""

    after: Annotated[int, Field(ge=0, lt=2**31)] = 0
    limit: Annotated[int, Field(ge=1, le=500)] = 200


class WrongField(Schema):
    """One value that was not taken."""

    name: str
    rule: str
    message: str
    value: str = ""
    gate: str = ""


REFUSED = frozenset({400, 401, 403, 404, 409, 410, 422, 429, 503})
"""The statuses that a call may be refused with, each answered by a problem."""


class ProblemAnswer(Schema):
    """`application/problem+json`; `current` holds a session's {state, version, decided_by, decided_at}."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    fields: list[WrongField] = []
    current: dict[str, Any] | None = None
    draft: dict[str, Any] | None = None
    ref: str | None = None


Document = Annotated[StrictStr, Field(max_length=300_000)]
"""A document's text; what the language takes is less, and its refusal has words."""


class DocumentText(Body):
    """A text of one flow."""

    text: Document
    flow: Annotated[StrictStr, Field(max_length=64, pattern=r"^[a-z][a-z0-9_]*$")]


class TypedText(Body):
    """A text and the version that it was made from, 0 for a new flow."""

    text: Document
    base_version: Version = 0

    @field_validator("text")
    @classmethod
    def _storable(cls, text: str) -> str:
        if storable_value(text) != text:
            raise ValueError(_("This text holds characters that cannot be stored."))
        return text


class SavedText(TypedText):
    note: Annotated[StrictStr, Field(max_length=500)] = ""


class GraphEdit(Body):
    """What was done on the graph, with the words that it takes."""

    text: Document
    act: Literal["rename", "connect", "disconnect", "add", "delete", "move", "before", "up", "down"]
    words: Annotated[list[Annotated[StrictStr, Field(max_length=200)]], Field(max_length=4)]


class ValueToSet(Body):
    """A value of a document: its path below a step, or below the document without one. Without `value` it is deleted.

    `order` are the keys around it in their usual order, for one that is not there yet.
    """

    path: Annotated[list[StrictStr | StrictInt], Field(min_length=1, max_length=30)]
    step: Annotated[StrictStr, Field(max_length=200)] = ""
    value: Any = None
    order: Annotated[list[StrictStr], Field(max_length=100)] = []


class ValuesEdit(Body):
    """Values that a text of a flow shall have."""

    text: Document
    edits: Annotated[list[ValueToSet], Field(min_length=1, max_length=50)]


TOKEN_PARAMETER = "token"
"""A conversation's token may stand in the query string of every call."""


def refuse_unknown_parameters(request: HttpRequest, query: type[BaseModel]) -> None:
    """Check the names in a query string: a filter that is silently ignored shows too much.

    Raises NotOffered for a parameter that `query` does not have, and for one that occurs twice.
    """
    for name, values in request.GET.lists():
        if name not in query.model_fields and name != TOKEN_PARAMETER:
            raise NotOffered(_("There is no filter “%s” here.") % name[:40])
        if len(values) > 1:
            raise NotOffered(_("The filter “%s” is there twice.") % name[:40])


class StrictJson(Parser):
    """Request bodies are JSON. Raises the 415 of another content type, and the 400 of text that is not JSON.

    Duplicate keys, NaN and endless nesting are 422.
    """

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        if request.content_type != "application/json":
            detail = _("Send JSON, with the content type application/json.")
            raise Problem(415, "unsupported_media_type", detail)
        try:
            return cast(dict[str, Any], read_json(request.body))
        except JsonRefused as error:
            # Text that is no JSON at all carries the parser's error as its cause; what is JSON but too loose does not.
            status = 400 if error.__cause__ else 422
            raise Problem(status, "invalid_json", _("The body was not taken: %s.") % error) from None
