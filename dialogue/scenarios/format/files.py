"""What a scenario file may say: its models, one for each part of the file."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from dialogue.engine.ports.commands import Command, from_plain
from dialogue.engine.slots.durations import DurationRefused, parse_duration

Texts = tuple[str, ...]


class Part(BaseModel):
    """A part of a scenario file: frozen, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


def plain_json(value: Any) -> Any:
    """Plain JSON of what a YAML file holds: decimals and dates as text, tuples as lists."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case Mapping():
            return {str(key): plain_json(item) for key, item in value.items()}
        case list() | tuple():
            return [plain_json(item) for item in value]
        case _:
            return str(value)


def scenario_error(rule: str, text: str) -> PydanticCustomError:
    return PydanticCustomError("scenario_" + rule, "{text}", {"text": text})


def _parse_duration(value: object) -> timedelta:
    if not isinstance(value, str):
        raise scenario_error("duration", "write a duration such as 30m or 25h")
    try:
        return parse_duration(value.removeprefix("+"))
    except DurationRefused as error:
        raise scenario_error("duration", str(error)) from error


def _parse_instant(value: object) -> datetime:
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    try:
        at = datetime.fromisoformat(str(value))
    except ValueError as error:
        raise scenario_error("clock", "write a date and a time, such as 2026-11-23T09:00:00Z") from error
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _number_as_text(value: object) -> object:
    """A whole number or a decimal may stand for its text; anything else must be one."""
    number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    return str(value) if number else value


def _one_or_more(value: object) -> object:
    return tuple(map(_number_as_text, value if isinstance(value, list | tuple) else (value,)))


def _message_mapping(value: object) -> object:
    """`ask:title` or `{ask:title: {contains: […]}}` as one shape."""
    if isinstance(value, str):
        return {"key": value}
    if isinstance(value, Mapping) and len(value) == 1:
        key, demands = next(iter(value.items()))
        return {**(demands or {}), "key": key}
    raise scenario_error("message", "write a message's key, or {key: {contains: […]}}")


def _none_for_any(value: object) -> object:
    return None if value == {"any": True} else value


Duration = Annotated[timedelta, BeforeValidator(_parse_duration)]
Instant = Annotated[datetime, BeforeValidator(_parse_instant)]
OneOrMore = Annotated[Texts, BeforeValidator(_one_or_more)]
TextOrNumber = Annotated[str, BeforeValidator(_number_as_text)]


class Stub(Part):
    """What an action gives in place of its Python: `when` lists the inputs for which it does."""

    when: dict[str, Any] = Field(default_factory=dict)
    returns: dict[str, Any] | None = None
    raises: str | None = None
    delay: Duration = timedelta(0)


class MessageDemand(Part):
    """One expected message: its key, texts it must or must not hold, how many buttons or which, and what it shows.

    `shows` has the number of entries of each part besides text: `{table: 2, links: 1}`.
    """

    key: str
    contains: OneOrMore = ()
    excludes: OneOrMore = ()
    buttons: int | Texts | None = None
    shows: dict[Literal["list", "table", "links", "image"], int] | None = None

    @property
    def keys(self) -> Texts:
        """The keys that this one may stand for: `done` also means `say:done`."""
        return (self.key, f"say:{self.key}")


Demand = Annotated[MessageDemand, BeforeValidator(_message_mapping)]
Messages = Annotated[tuple[Demand, ...] | None, BeforeValidator(_none_for_any)]
Stack = Annotated[Texts | None, BeforeValidator(_none_for_any)]


class Expect(Part):
    """What a turn must show; None: nothing is asked about it."""

    messages: Messages = None
    slots: dict[str, Any] = Field(default_factory=dict)
    stack: Stack = None
    llm_calls: int | None = None


class Expected(Part):
    """One place in the list of commands: what must be produced there, or one of several, or may be."""

    alternatives: tuple[tuple[Annotated[Command, WithJsonSchema({})], ...], ...]
    optional: bool = False

    @property
    def first_alternative(self) -> tuple[Command, ...]:
        return self.alternatives[0]


def _parse_expected(value: object) -> object:
    if isinstance(value, Expected):
        return value
    if isinstance(value, str):
        return {"alternatives": (_parse_commands(value),)}
    if not isinstance(value, Mapping):
        raise scenario_error("command", "write a command's name, or {name: its field}")
    plain = {key: item for key, item in value.items() if key != "optional"}
    optional = value.get("optional", False)
    if set(plain) == {"one_of"}:
        alternatives = plain["one_of"]
        if not isinstance(alternatives, list | tuple) or not alternatives:
            raise scenario_error("command", "write one_of: [command, command]")
        return {"alternatives": tuple(map(_parse_commands, alternatives)), "optional": optional}
    return {"alternatives": (_parse_commands(plain),), "optional": optional}


def _parse_commands(value: object) -> tuple[Command, ...]:
    if isinstance(value, list | tuple):
        return tuple(command for item in value for command in _parse_commands(item))
    try:
        return from_plain(plain_json(value))
    except (ValueError, TypeError, KeyError) as error:
        raise scenario_error("command", f"{value!r} is no command: {error}") from error


class Submit(Part):
    step: str | None = None
    action: str
    values: dict[str, Any] = Field(default_factory=dict)
    reason: TextOrNumber = ""


class Named(Part):
    """An operation on the newest staff session, or on the newest one of a step."""

    step: str | None = None


class Reasoned(Named):
    reason: TextOrNumber = ""


Bare = Annotated[Named, BeforeValidator(lambda value: value or {})]


class OperatorTurn(Part):
    """Something that a person of the staff does; `expect_status` None: any status from 200 to 299."""

    submit: Submit | None = None
    claim: Bare | None = None
    release: Bare | None = None
    hand_back: Bare | None = None
    expire: Reasoned | None = None
    cancel: Reasoned | None = None
    say: TextOrNumber | None = None
    set_slot: dict[str, Any] | None = None
    input: TextOrNumber | None = None
    name: str = Field(default="Operator", alias="as", min_length=1, max_length=100)
    expect_status: int | None = None

    @model_validator(mode="after")
    def _does_one_thing(self) -> Self:
        done = self.model_fields_set - {"name", "expect_status"}
        if len(done) != 1:
            names = ", ".join(sorted(set(type(self).model_fields) - {"name", "expect_status"}))
            raise scenario_error("operator", f"an operator does one thing in a turn: one of {names}")
        return self

    @property
    def operation(self) -> str:
        return next(iter(self.model_fields_set - {"name", "expect_status"}))

    @property
    def title(self) -> str:
        """What the person does, with the action that they choose or the words that they type."""
        words = self.submit.action if self.submit else self.say or self.input or ""
        return f"{self.operation} {words}".rstrip()


def _event_mapping(value: object) -> object:
    """`parcel_received` or `{name: parcel_received, payload: {…}}` as one shape."""
    return {"name": value} if isinstance(value, str) else value


def _flow_mapping(value: object) -> object:
    """`feedback` or `{flow: feedback, slots: {…}}` as one shape."""
    return {"flow": value} if isinstance(value, str) else value


class ReportedEvent(Part):
    """An event that another program reports to the conversation."""

    name: str
    payload: dict[str, Any] = Field(default_factory=dict)


class BegunFlow(Part):
    """A flow that the business begins."""

    flow: str
    slots: dict[str, Any] = Field(default_factory=dict)


class SentFile(Part):
    """A file that the user sends; a scenario has only its facts, and an action that opens it finds no content."""

    name: str = Field(min_length=1, max_length=120)
    kind: str
    size: int = Field(default=1024, ge=0)


SentFiles = Annotated[
    tuple[SentFile, ...],
    BeforeValidator(lambda value: value if isinstance(value, list | tuple) else (value,)),
    Field(min_length=1, max_length=10),
]
Kind = Literal[
    "user", "choose", "file", "operator", "clock", "event", "start", "notify", "restart", "publish", "repeat_last"
]  # fmt: skip
KINDS: tuple[Kind, ...] = (
    "user", "choose", "file", "operator", "clock", "event", "start", "notify", "restart", "publish", "repeat_last",
)  # fmt: skip


class Turn(Part):
    """One turn: exactly one of `KINDS`, and what is expected of it."""

    user: TextOrNumber | None = None
    choose: TextOrNumber | None = None
    file: SentFiles | None = None
    operator: OperatorTurn | None = None
    clock: Duration | None = None
    event: Annotated[ReportedEvent, BeforeValidator(_event_mapping)] | None = None
    start: Annotated[BegunFlow, BeforeValidator(_flow_mapping)] | None = None
    notify: TextOrNumber | None = None
    restart: Literal[True] | None = None
    publish: dict[str, Any] | None = None
    repeat_last: Literal[True] | None = None
    commands: tuple[Annotated[Expected, BeforeValidator(_parse_expected)], ...] = ()
    expect: Expect = Expect()

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if sum(getattr(self, kind) is not None for kind in KINDS) != 1:
            raise scenario_error("turn", f"a turn has exactly one of {', '.join(KINDS)}")
        return self

    @property
    def kind(self) -> Kind:
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def given_commands(self) -> tuple[Command, ...]:
        """The commands that the engine is fed with `--nlu given`."""
        return tuple(command for expected in self.commands for command in expected.first_alternative)

    @property
    def title(self) -> str:
        """The turn in one line, as reports show it."""
        content = getattr(self, self.kind)
        if content is True:
            return self.kind
        if isinstance(content, ReportedEvent):
            return f"{self.kind}: {content.name}"
        if isinstance(content, BegunFlow):
            return f"{self.kind}: {content.flow}"
        if self.file is not None:
            return f"file: {', '.join(file.name for file in self.file)}"
        return f"{self.kind}: {content.title if isinstance(content, OperatorTurn) else content}"


class Finally(Part):
    """What must be so when the conversation is over: the calls of the listed actions, in order."""

    actions: dict[str, tuple[dict[str, Any], ...]] = Field(default_factory=dict)


class Opening(Part):
    """What the conversation is opened with: values for slots, the customer and the claims of the token."""

    slots: dict[str, Any] = Field(default_factory=dict)
    claims: dict[str, Any] = Field(default_factory=dict)
    user_ref: TextOrNumber = ""
    language: str = ""


class Scenario(Part):
    name: str = Field(min_length=1)
    opening: Opening = Opening()
    tags: Texts = ()
    settings: dict[str, Any] = Field(default_factory=dict)
    turns: tuple[Turn, ...] = Field(min_length=1)
    afterwards: Finally = Field(default=Finally(), alias="finally")


class ScenarioFile(Part):
    """A whole file. `assistant` is a folder of flow documents, relative to the file."""

    assistant: str
    clock: Instant = datetime(2026, 1, 1, 9, tzinfo=UTC)
    stubs: dict[str, tuple[Stub, ...]] = Field(default_factory=dict)
    scenarios: tuple[Scenario, ...] = Field(min_length=1)
