"""The steps of a flow, one model a type."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, Union

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.human_steps import APPROVALS, Channel, Escalation, Handoff, Human, HumanAction, Priority
from dialogue.engine.language.step_parts import END, Step
from dialogue.engine.slots.fields import (
    ActionName,
    ChildSlot,
    ConditionText,
    Duration,
    ExpressionText,
    Flag,
    FlowName,
    Identifier,
    LanguagePart,
    Message,
    SlotName,
    StepName,
    TranslatedText,
    WholeNumber,
    compile_condition,
    field_error,
)
from dialogue.engine.slots.models import Options
from dialogue.engine.slots.templates import Translated

__all__ = [
    "APPROVALS", "END", "NO", "STEP_TYPES", "YES", "Action", "Answer", "AnyStep", "Assign", "Branch", "Call", "Case",
    "Channel", "Collect", "Confirm", "Escalation", "Handoff", "Human", "HumanAction", "Link", "Priority", "Retry",
    "Say", "Step", "While",
]  # fmt: skip


class Say(Step):
    """Sends a message; waits only with `ack`, whose answers `options` labels."""

    type: Literal["say"]
    message: Message
    """What is said, at once."""
    buttons: Options = ()
    """Buttons below the message."""
    ack: Flag = False
    """Wait for the user to acknowledge."""
    options: tuple[TranslatedText, ...] = ()
    """Labels for the acknowledgement."""


class Collect(Step):
    """Asks until the slot holds a valid value; passes when it already does, unless `force`."""

    type: Literal["collect"]
    slot: SlotName
    """What is asked for."""
    message: Message | None = None
    """The question, in place of the slot's prompt."""
    force: Flag = False
    """Ask even when the slot is filled."""
    buttons: Options = ()
    """Ready answers below the question; for a choice, those of its options that are offered."""
    max_attempts: WholeNumber | None = Field(default=None, ge=1, le=100)
    """Refused or unclear answers in a row before `on_failure`."""
    on_failure: StepName | None = None
    """Where to go when the attempts are used up; else a person is asked."""


YES, NO = "yes", "no"
MAX_ANSWERS = 10


class Answer(LanguagePart):
    """One answer of a confirm. The first two are yes and no; every further one has its own way on."""

    value: Identifier
    """What is recorded as answered."""
    label: TranslatedText = Translated("")
    """What stands on its button; else the value."""
    synonyms: tuple[str, ...] = ()
    """Other words for it."""
    next: StepName | None = None
    """Where it leads; yes and no have on_confirm and on_deny for that."""


_ANSWER_KEYS = frozenset(Answer.model_fields)


def _parse_answers(value: object) -> object:
    """A plain text, or its translations, is the label of yes or no."""
    if not isinstance(value, list | tuple):
        return value
    return tuple(_parse_answer(index, answer) for index, answer in enumerate(value))


def _parse_answer(index: int, value: object) -> object:
    is_mapping = isinstance(value, Mapping) and not _ANSWER_KEYS.isdisjoint(value)
    if isinstance(value, Answer) or (is_mapping and index >= len((YES, NO))):
        return _with_label(value)
    if index >= len((YES, NO)):
        advice = "Write {value: later, label: Later, next: <step>}"
        raise field_error("answer_without_way", "an answer beside yes and no needs its own way", advice)
    values = value if is_mapping and isinstance(value, Mapping) else {"label": value}
    return {"value": (YES, NO)[index], **values}


def _with_label(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    answer_value = value.get("value")
    return {"label": answer_value if isinstance(answer_value, str) else "", **value}


class Confirm(Step):
    """Asks yes or no about the exact values shown. `options` are the answers: yes, no, and further ones."""

    type: Literal["confirm"]
    message: Message
    """The question, with the values that the answer is bound to."""
    options: Annotated[
        tuple[Answer, ...] | None,
        BeforeValidator(_parse_answers, json_schema_input_type=tuple[Answer | str | dict[str, str], ...] | None),
    ] = Field(default=None, min_length=2, max_length=MAX_ANSWERS)
    """The labels for yes and no, then any further answers, each with `value`, `label` and `next`."""
    on_confirm: StepName | None = None
    """Where yes leads; else the next step."""
    on_deny: StepName | None = None
    """Where no leads; else the user is asked what to change."""
    max_attempts: WholeNumber | None = Field(default=None, ge=1, le=100)
    """Unclear answers in a row before a person is asked."""

    @property
    def further_answers(self) -> tuple[Answer, ...]:
        """The answers beside yes and no."""
        return (self.options or ())[2:]

    @model_validator(mode="after")
    def _answers_differ(self) -> Self:
        for name, answer in zip((YES, NO), self.options or (), strict=False):
            if answer.value != name or answer.next:
                advice = f"Write only its label there, and {'on_confirm' if name == YES else 'on_deny'} for its way"
                raise field_error("answer_order", f"the {_POSITION[name]} answer is {name}", advice, key="options")
        values = [answer.value for answer in self.options or ()]
        if len(set(values)) < len(values):
            raise field_error(
                "options_overlap", "two answers have the same value", "Take one of them out", key="options"
            )
        lost = next((answer.value for answer in self.further_answers if answer.next is None), "")
        if lost:
            text, advice = f"the answer `{lost}` has no `next`", "Say which step it leads to"
            raise field_error("answer_without_way", text, advice, key="options")
        return self


_POSITION = {YES: "first", NO: "second"}


class Retry(LanguagePart):
    """How often an action is tried, and how long to wait between: `delay`, times `backoff` after each try."""

    attempts: WholeNumber = Field(default=3, ge=1, le=20)
    """Tries in all."""
    delay: Duration = Field(default="1s", validate_default=True)
    """Time before the second try."""
    backoff: Annotated[float, Field(ge=1, le=10)] = 2.0
    """By what the time grows from try to try."""


class Action(Step):
    """Runs a registered action. `inputs` None: the slots of the same names; `outputs` result key → slot."""

    type: Literal["action"]
    call: ActionName
    """The action, by the name of its contract."""
    inputs: dict[Identifier, ExpressionText] | None = None
    """Input → expression; else the slots of the same names."""
    outputs: dict[str, SlotName] = Field(default_factory=dict)
    """Result → slot."""
    on_error: StepName | None = None
    """Where a failure leads; else the flow apologises and ends."""
    retry: Retry | None = None
    """Whether and how a failed call is tried again."""
    timeout: Duration | None = None
    """Time limit, in place of the contract's."""


def _parse_assigned(value: object) -> object:
    if isinstance(value, str) and value.startswith("="):
        return compile_condition(value[1:])
    return value


Assigned = Annotated[
    Any,
    PlainValidator(_parse_assigned, json_schema_input_type=Any),
    PlainSerializer(lambda value: f"={value.text}" if isinstance(value, Condition) else value),
]


class Assign(Step):
    """Sets slots. A Condition is an expression to evaluate, None empties the slot, anything else is the value."""

    type: Literal["set"]
    slots: dict[SlotName, Assigned] = Field(min_length=1)
    """Slot → literal, expression ("=amount * 2") or ~ to empty it."""


class Case(LanguagePart):
    """One arm of a branch."""

    when: ConditionText
    """The test."""
    next: StepName
    """Where the flow goes on when it holds."""


class Branch(Step):
    """Goes on at the first case that holds. `otherwise` is YAML's `else`; without it, the following step."""

    type: Literal["branch"]
    cases: tuple[Case, ...] = Field(min_length=1)
    """The arms; the first that holds is taken."""
    otherwise: StepName | None = Field(default=None, alias="else")
    """Where the flow goes on when none holds; else the following step."""


class While(Step):
    """Runs `do` while the condition holds; more than `max_iterations` ends the flow with `loop_limit`."""

    type: Literal["while"]
    condition: ConditionText
    """The test before each round."""
    do: "tuple[AnyStep, ...]" = Field(min_length=1)
    """The steps of a round."""
    max_iterations: WholeNumber = Field(default=50, ge=1, le=10_000)
    """More rounds end the flow with `loop_limit`."""


class Call(Step):
    """Runs another flow and returns. `inputs` child slot → expression; `outputs` own slot → child slot."""

    type: Literal["call"]
    flow: FlowName
    """The flow to run."""
    inputs: dict[ChildSlot, ExpressionText] = Field(default_factory=dict)
    """Its slot → expression."""
    outputs: dict[SlotName, ChildSlot] = Field(default_factory=dict)
    """Own slot → its slot, when it returns."""


class Link(Step):
    """Ends this flow and goes to the other."""

    type: Literal["link"]
    flow: FlowName
    """The flow to go to."""


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
