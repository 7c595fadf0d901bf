"""The steps that wait for staff: requests for a decision, and chats that a person takes over."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from dialogue.engine.language.step_parts import Step
from dialogue.engine.slots.fields import (
    Duration,
    Flag,
    Identifier,
    LanguagePart,
    Message,
    RequiredWord,
    SlotName,
    StepName,
    TranslatedText,
    WholeNumber,
    field_error,
)
from dialogue.engine.slots.models import ShortFields
from dialogue.engine.slots.templates import Translated

APPROVALS = frozenset({"approve", "accept", "allow", "agree", "authorise", "authorize", "confirm", "release", "grant"})
Priority = Literal["low", "normal", "high", "urgent"]


class HumanAction(LanguagePart):
    """One of the things that staff may decide; `reason` asks for a reason in words."""

    id: Identifier
    """Identifier, the key of `next`."""
    label: TranslatedText = Translated("")
    """What the button says."""
    style: Literal["primary", "danger", "default"] = "default"
    """How the button looks; the primary one approves."""
    reason: RequiredWord = False
    """`required`: whoever takes it says why."""

    @model_validator(mode="before")
    @classmethod
    def _label_from_id(cls, value: object) -> object:
        if isinstance(value, Mapping) and isinstance(value.get("id"), str):
            return {"label": str(value["id"]).replace("_", " ").capitalize(), **value}
        return value

    @property
    def approves(self) -> bool:
        """Whether it lets the flow do what was asked for."""
        return self.style == "primary" or self.id in APPROVALS


class Escalation(LanguagePart):
    """After this time the role may act too, and is told."""

    after: Duration
    """Time from the opening of the request."""
    role: str = Field(min_length=1, max_length=150)
    """Who may act too, and is told."""


class Channel(LanguagePart):
    """An outside way to the decision: one e-mail address, or everybody in a role."""

    email: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=254)
    """One address."""
    role: str | None = Field(default=None, min_length=1, max_length=150)
    """Everybody in a role."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        if isinstance(value, str):
            return {"email": value} if "@" in value else {"role": value}
        return value


def _check_next(value: object) -> object:
    if isinstance(value, str):
        raise field_error("human_next", "a human step goes on by action", f"Write next: {{<action id>: {value}}}")
    return value


def _add_role_property(schema: dict[str, Any]) -> None:
    schema["properties"]["role"] = schema["properties"]["group"]


class Human(Step):
    """Pauses the flow until staff decide, or the time is over.

    `next` leads each action on; empty: every action leads to the following step. `on_timeout` is one of the actions, or
    else a step. `show` are the slots that staff see, `bind` those whose change voids the request.
    """

    type: Literal["human"]
    title: TranslatedText
    """What staff read in their list."""
    actions: tuple[HumanAction, ...] = Field(min_length=1)
    """What staff may decide."""
    timeout: Duration
    """How long the request waits."""
    on_timeout: Annotated[str, Field(min_length=1)]
    """What expiry does: one of the actions, or else a step. It never approves."""
    next: Annotated[dict[str, StepName], BeforeValidator(_check_next)] = Field(default_factory=dict)  # type: ignore[assignment]
    """Action → step; left out, every action leads to the following step."""
    form: ShortFields = Field(default_factory=dict)
    """Field → slot: what staff fill in."""
    message: Message | None = None
    """What the user is told while waiting."""
    show: tuple[SlotName, ...] = ()
    """Slots that staff see."""
    bind: tuple[SlotName, ...] = ()
    """Slots whose change voids the request; else those shown."""
    group: str | None = Field(default=None, min_length=1, max_length=150)
    """Who may decide; `role` is another word for it."""
    queue: str | None = Field(default=None, min_length=1, max_length=150)
    """Where the request waits."""
    priority: Priority = "normal"
    """Its place in the list."""
    due: Duration | None = None
    """When it should be decided."""
    escalate: Escalation | None = None
    """Who else may decide after a time."""
    claim: RequiredWord = False
    """`required`: it must be claimed before it is decided."""
    required_people: WholeNumber = Field(default=1, ge=1, le=10, alias="required")
    """How many people must agree."""
    four_eyes: Flag = False
    """Who asked may not decide."""
    channels: tuple[Channel, ...] = ()
    """Who is asked by e-mail, with a link."""

    model_config = ConfigDict(json_schema_extra=_add_role_property)

    @model_validator(mode="before")
    @classmethod
    def _fill_defaults(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        if "role" in given and "group" in given:
            raise field_error("role_and_group", "`role` and `group` mean the same", "Keep one of them")
        values = {("group" if key == "role" else key): value for key, value in given.items()}
        return {"bind": values.get("show", ()), **values}

    def action(self, action_id: str) -> HumanAction | None:
        """The action with this id."""
        return next((action for action in self.actions if action.id == action_id), None)

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
    """Where the chat waits for somebody."""
    message: Message | None = None
    """What the user is told."""
    due: Duration | None = None
    """By when somebody should have answered; without it the setting of the installation counts."""
    timeout: Duration | None = None
    """How long it waits."""
    on_timeout: StepName | None = None
    """Where the flow goes on when nobody came."""
