"""The steps that wait for staff: requests for a decision, and handoffs of the chat."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Field, WrapValidator, model_validator

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.step_parts import Step
from dialogue.engine.slots.computed import EXPRESSION_PATTERN, WriteComputedOrLiteral, parse_computed
from dialogue.engine.slots.fields import (
    Duration,
    EditedAs,
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
from dialogue.engine.slots.templates import Template, TemplateRefused, Translated
from dialogue.engine.source.phrases import Phrase

APPROVALS = frozenset({"approve", "accept", "allow", "agree", "authorise", "authorize", "confirm", "release", "grant"})
Priority = Literal["low", "normal", "high", "urgent"]
PRIORITIES = frozenset(get_args(Priority))
Expression = Annotated[str, Field(pattern=EXPRESSION_PATTERN)]
ComputedName = Annotated[
    Annotated[str, Field(min_length=1, max_length=150)],
    WrapValidator(parse_computed, json_schema_input_type=Annotated[str, Field(min_length=1, max_length=500)]),
    WriteComputedOrLiteral,
]
ComputedPriority = Annotated[
    Priority, WrapValidator(parse_computed, json_schema_input_type=Priority | Expression), WriteComputedOrLiteral
]
ComputedDuration = Annotated[
    Duration, WrapValidator(parse_computed, json_schema_input_type=str), WriteComputedOrLiteral
]
"""A literal, or an expression as a Condition. The annotation is that of the literal, which most readers meet."""

_COMPUTED_KEYS = ("group", "queue", "priority", "due")


class HumanAction(LanguagePart):
    """One decision that staff may take."""

    id: Identifier
    """Identifier, the key of `next`."""
    label: TranslatedText = Translated("")
    """The text of the button."""
    style: Literal["primary", "danger", "default"] = "default"
    """The look of the button; a primary one approves."""
    reason: RequiredWord = False
    """`required`: the person who takes it must give a reason."""

    @model_validator(mode="before")
    @classmethod
    def _label_from_id(cls, value: object) -> object:
        if isinstance(value, Mapping) and isinstance(value.get("id"), str):
            return {"label": str(value["id"]).replace("_", " ").capitalize(), **value}
        return value

    @property
    def approves(self) -> bool:
        """Whether the action lets the flow do what the user asked for."""
        return self.style == "primary" or self.id in APPROVALS


class Escalation(LanguagePart):
    """Lets another role decide too after some time."""

    after: Duration
    """The time from the opening of the request."""
    role: Annotated[str, EditedAs("group")] = Field(min_length=1, max_length=150)
    """The role that is notified and may decide too."""


class Channel(LanguagePart):
    """Asks for the decision by e-mail: one address, or everyone in a role."""

    email: str | None = Field(default=None, pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=254)
    """One e-mail address."""
    role: Annotated[str | None, EditedAs("group")] = Field(default=None, min_length=1, max_length=150)
    """A role; everyone in it is asked."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        if isinstance(value, str):
            return {"email": value} if "@" in value else {"role": value}
        return value


def _check_next(value: object) -> object:
    if isinstance(value, str):
        advice = Phrase("Write next: {{<action id>: {value}}}", value=value)
        raise field_error("human_next", Phrase("a human step has one `next` for each action"), advice)
    return value


def _add_role_property(schema: dict[str, Any]) -> None:
    schema["properties"]["role"] = schema["properties"]["group"]


class Human(Step):
    """Pauses the flow until staff decide or the time is over."""

    type: Literal["human"]
    title: TranslatedText
    """The title in the staff's list; it may name {slot}. Sensitive values are masked."""
    actions: tuple[HumanAction, ...] = Field(min_length=1)
    """The decisions that staff may take."""
    timeout: Duration
    """How long the request waits."""
    on_timeout: Annotated[str, Field(min_length=1)]
    """What happens when the time is over: one of the actions, or a step. It must not approve."""
    next: Annotated[dict[str, StepName], BeforeValidator(_check_next)] = Field(default_factory=dict)  # type: ignore[assignment]
    """Action → step; without it, every action leads to the following step."""
    form: ShortFields = Field(default_factory=dict)
    """Field → slot: the form that staff fill in."""
    message: Message | None = None
    """The message to the user while the request waits."""
    show: tuple[SlotName, ...] = ()
    """The slots that staff see."""
    summary: Message | None = None
    """What tells the request from others in lists and mails, such as "{amount} · {beneficiary}"; it may name slots.
    Sensitive values are masked. Without it, lists show the first two values of `show`, and mails show none."""
    bind: tuple[SlotName, ...] = ()
    """The slots whose change cancels the request; without it, those in `show`."""
    group: Annotated[ComputedName | None, EditedAs("group")] = None
    """The role that may decide; `role` means the same. "=team" takes an existing role, or else supervisors decide."""
    queue: ComputedName | None = None
    """The queue of the request, or an expression, such as "=region"."""
    priority: ComputedPriority = "normal"
    """The priority in the staff's list, or an expression, such as "=if(amount > 500, 'high', 'normal')"."""
    due: ComputedDuration | None = None
    """The time within which staff should decide, or an expression: a duration, a date or a moment."""
    escalate: Escalation | None = None
    """Another role that may decide too after some time."""
    claim: RequiredWord = False
    """`required`: a person must claim the request before deciding."""
    required_people: WholeNumber = Field(default=1, ge=1, le=10, alias="required")
    """How many people must agree."""
    four_eyes: Flag = False
    """The person who asked may not decide."""
    channels: tuple[Channel, ...] = ()
    """Who is asked by e-mail with a link."""

    model_config = ConfigDict(json_schema_extra=_add_role_property)

    @model_validator(mode="before")
    @classmethod
    def _fill_defaults(cls, given: object) -> object:
        if not isinstance(given, Mapping):
            return given
        if "role" in given and "group" in given:
            raise field_error("role_and_group", Phrase("`role` and `group` mean the same"), Phrase("Keep one of them"))
        values = {("group" if key == "role" else key): value for key, value in given.items()}
        return {"bind": values.get("show", ()), **values}

    @model_validator(mode="after")
    def _check_summary(self) -> "Human":
        if self.summary and self.summary.expressions:
            text = Phrase("the summary has the expression `{{{name}}}`", name=next(iter(self.summary.expressions)))
            raise field_error("expression", text, Phrase("Name slots only"), key="summary")
        return self

    @property
    def computed_settings(self) -> dict[str, Condition]:
        """The expressions in the place of settings, by key."""
        values: dict[str, object] = {key: getattr(self, key, None) for key in _COMPUTED_KEYS}
        return {key: value for key, value in values.items() if isinstance(value, Condition)}

    @property
    def title_template(self) -> Template | None:
        """The title as a template, if it names anything."""
        return _title_template(str(self.title), tuple(sorted(self.title.translations.items())))

    def action(self, action_id: str) -> HumanAction | None:
        """Return the action with this id, or None."""
        return next((action for action in self.actions if action.id == action_id), None)

    @property
    def expiry_action(self) -> str | None:
        """The action that expiry takes, or None if `on_timeout` names a step."""
        return self.on_timeout if self.action(self.on_timeout) else None

    @property
    def expiry_step(self) -> str | None:
        """The step that expiry leads to, or None for the following step."""
        return self.next.get(self.on_timeout) if self.expiry_action else self.on_timeout


@lru_cache(maxsize=256)
def _title_template(text: str, translations: tuple[tuple[str, str], ...]) -> Template | None:
    if "{" not in text:
        return None
    try:
        template = Template(Translated(text, dict(translations)))
        return None if template.expressions else template
    except TemplateRefused:
        return None  # a title of the first version, which shows its braces


class Handoff(Step):
    """Hands the chat over to a person."""

    type: Literal["handoff"]
    queue: str | None = Field(default=None, min_length=1, max_length=150)
    """The queue in which the chat waits."""
    message: Message | None = None
    """The message to the user."""
    due: Duration | None = None
    """The time within which a person should answer; without it, the installation's setting."""
    timeout: Duration | None = None
    """How long the chat waits for a person."""
    on_timeout: StepName | None = None
    """Where the flow continues if no person came in time."""
