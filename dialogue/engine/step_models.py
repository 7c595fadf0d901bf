"""The steps of a flow, one model a type."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator

from dialogue.engine.conditions import Condition
from dialogue.engine.fields import (
    ActionName,
    ChildSlot,
    Demand,
    Duration,
    Expression,
    Flag,
    FlowName,
    Identifier,
    Message,
    Part,
    SlotName,
    StepName,
    Test,
    Whole,
    Words,
    compiled,
    refused,
)
from dialogue.engine.slots import Options, ShortFields

END = "end"
APPROVALS = frozenset({"approve", "accept", "allow", "agree", "authorise", "authorize", "confirm", "release", "grant"})
Priority = Literal["low", "normal", "high", "urgent"]


class Step(Part):
    """What every step has. `step` is its identifier; `next` a step or "end", None for the following one."""

    step: Identifier
    next: StepName | None = None
    note: str | None = None


class Say(Step):
    """Sends a message; waits only with `ack`, whose answers `options` labels."""

    type: Literal["say"]
    message: Message
    buttons: Options = ()
    ack: Flag = False
    options: tuple[Words, ...] = ()


class Collect(Step):
    """Asks until the slot holds a valid value; passes when it already does, unless `force`."""

    type: Literal["collect"]
    slot: SlotName
    message: Message | None = None
    force: Flag = False
    max_attempts: Whole | None = Field(default=None, ge=1, le=100)
    on_failure: StepName | None = None


class Confirm(Step):
    """Asks yes or no about the exact values shown. `options` are the two labels, yes first."""

    type: Literal["confirm"]
    message: Message
    options: tuple[Words, Words] | None = None
    on_confirm: StepName | None = None
    on_deny: StepName | None = None
    max_attempts: Whole | None = Field(default=None, ge=1, le=100)


class Retry(Part):
    """How often an action is tried, and how long to wait between: `delay`, times `backoff` after each try."""

    attempts: Whole = Field(default=3, ge=1, le=20)
    delay: Duration = Field(default="1s", validate_default=True)
    backoff: Annotated[float, Field(ge=1, le=10)] = 2.0


class Action(Step):
    """Runs a registered action. `inputs` None: the slots of the same names; `outputs` result key → slot."""

    type: Literal["action"]
    call: ActionName
    inputs: dict[Identifier, Expression] | None = None
    outputs: dict[str, SlotName] = Field(default_factory=dict)
    on_error: StepName | None = None
    retry: Retry | None = None
    timeout: Duration | None = None


def _assigned(value: object) -> object:
    if isinstance(value, str) and value.startswith("="):
        return compiled(value[1:])
    return value


Assigned = Annotated[
    Any,
    PlainValidator(_assigned, json_schema_input_type=Any),
    PlainSerializer(lambda each: f"={each.text}" if isinstance(each, Condition) else each),
]


class Assign(Step):
    """Sets slots: a Condition is an expression to evaluate, None empties the slot, anything else is the value."""

    type: Literal["set"]
    slots: dict[SlotName, Assigned] = Field(min_length=1)


class Case(Part):
    """One arm of a branch."""

    when: Test
    next: StepName


class Branch(Step):
    """The first case that holds; else `otherwise` (YAML `else`), else the following step."""

    type: Literal["branch"]
    cases: tuple[Case, ...] = Field(min_length=1)
    otherwise: StepName | None = Field(default=None, alias="else")


class While(Step):
    """Runs `do` while the condition holds; more than `max_iterations` ends the flow with `loop_limit`."""

    type: Literal["while"]
    condition: Test
    do: "tuple[AnyStep, ...]" = Field(min_length=1)
    max_iterations: Whole = Field(default=50, ge=1, le=10_000)


class Call(Step):
    """Runs another flow and returns. `inputs` child slot → expression; `outputs` own slot → child slot."""

    type: Literal["call"]
    flow: FlowName
    inputs: dict[ChildSlot, Expression] = Field(default_factory=dict)
    outputs: dict[SlotName, ChildSlot] = Field(default_factory=dict)


class Link(Step):
    """Ends this flow and goes to the other."""

    type: Literal["link"]
    flow: FlowName


class HumanAction(Part):
    """One of the things that staff may decide; `reason` asks for a reason in words."""

    id: Identifier
    label: Words
    style: Literal["primary", "danger", "default"] = "default"
    reason: Demand = False

    @model_validator(mode="before")
    @classmethod
    def _label_from_id(cls, given: object) -> object:
        if isinstance(given, Mapping) and isinstance(given.get("id"), str):
            return {"label": str(given["id"]).replace("_", " ").capitalize(), **given}
        return given

    @property
    def approves(self) -> bool:
        """Whether it lets the flow do what was asked for."""
        return self.style == "primary" or self.id in APPROVALS


class Escalation(Part):
    """After this time the role may act too, and is told."""

    after: Duration
    role: str = Field(min_length=1, max_length=150)


class Channel(Part):
    """An outside way to the decision: one e-mail address, or everybody in a role."""

    email: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=254)
    role: str | None = Field(default=None, min_length=1, max_length=150)

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: object) -> object:
        if isinstance(given, str):
            return {"email": given} if "@" in given else {"role": given}
        return given


def _targets(given: object) -> object:
    if isinstance(given, str):
        raise refused("human_next", "a human step goes on by action", f"Write next: {{<action id>: {given}}}")
    return given


class Human(Step):
    """Pauses the flow until staff decide, or the time is over.

    `next` leads each action on; empty: every action leads to the following step. `on_timeout` is one of the actions, or
    else a step. `show` are the slots that staff see, `bind` those whose change voids the request.
    """

    type: Literal["human"]
    title: Words
    actions: tuple[HumanAction, ...] = Field(min_length=1)
    timeout: Duration
    on_timeout: Annotated[str, Field(min_length=1)]
    next: Annotated[dict[str, StepName], BeforeValidator(_targets)] = Field(default_factory=dict)  # type: ignore[assignment]
    form: ShortFields = Field(default_factory=dict)
    message: Message | None = None
    show: tuple[SlotName, ...] = ()
    bind: tuple[SlotName, ...] = ()
    group: str | None = Field(default=None, min_length=1, max_length=150)
    queue: str | None = Field(default=None, min_length=1, max_length=150)
    priority: Priority = "normal"
    due: Duration | None = None
    escalate: Escalation | None = None
    claim: Demand = False
    required_people: Whole = Field(default=1, ge=1, le=10, alias="required")
    four_eyes: Flag = False
    channels: tuple[Channel, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _defaults(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        if "role" in given and "group" in given:
            raise refused("role_and_group", "`role` and `group` mean the same", "Keep one of them")
        read = {("group" if key == "role" else key): value for key, value in given.items()}
        return {"bind": read.get("show", ()), **read}

    def action(self, action_id: str) -> HumanAction | None:
        """The action with this id."""
        return next((each for each in self.actions if each.id == action_id), None)

    @property
    def expiry_action(self) -> str | None:
        """The action that expiry takes, when `on_timeout` names one."""
        return self.on_timeout if self.action(self.on_timeout) else None

    @property
    def expiry_step(self) -> str | None:
        """Where expiry leads; None: to the following step."""
        return self.next.get(self.on_timeout) if self.expiry_action else self.on_timeout


class Handoff(Step):
    """A person takes the chat over."""

    type: Literal["handoff"]
    queue: str | None = Field(default=None, min_length=1, max_length=150)
    message: Message | None = None
    timeout: Duration | None = None
    on_timeout: StepName | None = None


STEP_TYPES: Mapping[str, type[Step]] = {
    "say": Say,
    "collect": Collect,
    "confirm": Confirm,
    "action": Action,
    "set": Assign,
    "branch": Branch,
    "while": While,
    "call": Call,
    "link": Link,
    "human": Human,
    "handoff": Handoff,
}

AnyStep = Annotated[
    Union[Say, Collect, Confirm, Action, Assign, Branch, While, Call, Link, Human, Handoff],  # noqa: UP007
    Field(discriminator="type"),
]
While.model_rebuild()
