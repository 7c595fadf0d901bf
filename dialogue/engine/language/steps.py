"""The steps of a flow: one model for each type."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self, Union

from pydantic import BeforeValidator, Field, PlainSerializer, PlainValidator, model_validator

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.human_steps import APPROVALS, Channel, Escalation, Handoff, Human, HumanAction, Priority
from dialogue.engine.language.message_parts import Buttons, MessageParts
from dialogue.engine.language.step_parts import END, Step
from dialogue.engine.language.waiting_steps import Reminder, WaitStep
from dialogue.engine.slots.definitions.options import Options
from dialogue.engine.slots.fields import (
    ActionName,
    ChildSlot,
    Computes,
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
from dialogue.engine.slots.templates import Translated
from dialogue.engine.source.phrases import Phrase

__all__ = [
    "APPROVALS", "CALL_RESULTS", "CANCELLED", "DONE", "END", "FAILED", "NO", "STEP_TYPES", "YES",
    "Action", "Answer", "AnyStep", "Assign", "Branch", "Call", "Case", "Channel", "Collect", "Confirm", "Escalation",
    "ForEach", "Handoff", "Human", "HumanAction", "Link", "Loop", "Priority", "Reminder", "Retry", "Say", "Step",
    "WaitStep", "While",
]  # fmt: skip


class Say(MessageParts, Step):
    """Sends a message."""

    type: Literal["say"]
    message: Message
    """The message."""
    buttons: Buttons = ()
    """Buttons below the message: a list, or a mapping that names a list of entries with a button for each."""
    ack: Flag = False
    """Wait until the user acknowledges the message."""
    options: tuple[TranslatedText, ...] = ()
    """Labels of the acknowledgement's buttons."""


class Collect(MessageParts, Step):
    """Asks until the slot holds a valid value."""

    type: Literal["collect"]
    slot: SlotName
    """The slot to fill."""
    message: Message | None = None
    """The question, instead of the slot's prompt."""
    force: Flag = False
    """Ask even if the slot is already filled."""
    buttons: Options = ()
    """Buttons below the question; for a choice, the options that are offered."""
    max_attempts: WholeNumber | None = Field(default=None, ge=1, le=100)
    """Refused or unclear answers in a row before `on_failure`."""
    on_failure: StepName | None = None
    """Where the flow continues after the last attempt; without it, a person takes over."""
    reminder: Reminder | None = None
    """A message to a user who does not answer, once."""
    timeout: Duration | None = None
    """How long the question waits for an answer."""
    on_timeout: StepName | None = None
    """Where the flow continues if no answer came in time."""
    single: Literal["take", "confirm", "ask"] = "ask"
    """What happens if there is only one option: take it and say so, ask for a yes (confirm), or ask as usual."""
    on_empty: StepName | None = None
    """Where the flow continues if there are no options; without it, the user is told and the flow ends."""
    on_error: StepName | None = None
    """Where the flow continues if the action that gives the options fails; without it, the flow apologises and ends."""


YES, NO = "yes", "no"
MAX_ANSWERS = 10


class Answer(LanguagePart):
    """One answer of a confirm. The first two are yes and no; any other needs its own `next`."""

    value: Identifier
    """The value that is recorded."""
    label: TranslatedText = Translated("")
    """The text of its button; without it, the value."""
    synonyms: tuple[str, ...] = ()
    """Other words for it."""
    next: StepName | None = None
    """Where it leads; for yes and no, on_confirm and on_deny say so."""


_ANSWER_KEYS = frozenset(Answer.model_fields)


def _parse_answers(value: object) -> object:
    """Expand plain texts, and texts with translations: they are the labels of yes and no."""
    if not isinstance(value, list | tuple):
        return value
    return tuple(_parse_answer(index, answer) for index, answer in enumerate(value))


def _parse_answer(index: int, value: object) -> object:
    if isinstance(value, Answer):
        return value
    # A mapping without any key of an answer holds translations: {en: Yes, es: Sí}.
    fields = value if isinstance(value, Mapping) and not _ANSWER_KEYS.isdisjoint(value) else None
    if fields is not None and index >= len((YES, NO)):
        label = fields.get("value")
        return {"label": label if isinstance(label, str) else "", **fields}
    if index >= len((YES, NO)):
        advice = Phrase("Write {value: later, label: Later, next: <step>}")
        raise field_error(
            "answer_without_way", Phrase("an answer other than yes and no needs a step to lead to"), advice
        )
    return {"value": (YES, NO)[index], **({"label": value} if fields is None else fields)}


class Confirm(MessageParts, Step):
    """Asks yes or no about the values in its message."""

    type: Literal["confirm"]
    message: Message
    """The question. The answer counts only for the values that it shows."""
    options: Annotated[
        tuple[Answer, ...] | None,
        BeforeValidator(_parse_answers, json_schema_input_type=tuple[Answer | str | dict[str, str], ...] | None),
    ] = Field(default=None, min_length=2, max_length=MAX_ANSWERS)
    """The labels of yes and no, then any other answers, each with `value`, `label` and `next`."""
    on_confirm: StepName | None = None
    """Where yes leads; without it, the next step."""
    on_deny: StepName | None = None
    """Where no leads; without it, the user is asked what to change."""
    max_attempts: WholeNumber | None = Field(default=None, ge=1, le=100)
    """Unclear answers in a row before a person takes over."""

    @cached_property
    def displayed_names(self) -> frozenset[str]:
        """The names whose values the question shows, in its text and its parts."""
        return self.message.names | self.part_names() if self.has_parts else self.message.names

    @property
    def further_answers(self) -> tuple[Answer, ...]:
        """The answers other than yes and no."""
        return (self.options or ())[2:]

    @model_validator(mode="after")
    def _answers_differ(self) -> Self:
        for name, answer in zip((YES, NO), self.options or (), strict=False):
            if answer.value != name or answer.next:
                advice = Phrase(
                    "Write only its label there, and its target as {value}",
                    value="on_confirm" if name == YES else "on_deny",
                )
                raise field_error(
                    "answer_order",
                    Phrase("the {position} answer must be {name}", position=_POSITION[name], name=name),
                    advice,
                    key="options",
                )
        values = [answer.value for answer in self.options or ()]
        if len(set(values)) < len(values):
            raise field_error(
                "options_overlap",
                Phrase("two answers have the same value"),
                Phrase("Delete one of them"),
                key="options",
            )
        lost = next((answer.value for answer in self.further_answers if answer.next is None), "")
        if lost:
            text, advice = Phrase("the answer `{lost}` has no `next`", lost=lost), Phrase("Add next: <step> to it")
            raise field_error("answer_without_way", text, advice, key="options")
        return self


_POSITION = {YES: Phrase("first"), NO: Phrase("second")}


class Retry(LanguagePart):
    """How often a failed action is tried, and how long to wait between tries."""

    attempts: WholeNumber = Field(default=3, ge=1, le=20)
    """The number of tries, the first included."""
    delay: Duration = Field(default="1s", validate_default=True)
    """The time before the second try."""
    backoff: Annotated[float, Field(ge=1, le=10)] = 2.0
    """The factor by which the time grows after each try."""


class Action(Step):
    """Runs a registered Python action."""

    type: Literal["action"]
    call: ActionName
    """The action: the name of its contract."""
    inputs: dict[Identifier, ExpressionText] | None = None
    """Input → expression; without it, the slots with the inputs' names."""
    outputs: dict[str, SlotName] = Field(default_factory=dict)
    """Output → slot."""
    on_error: StepName | None = None
    """Where a failure leads; without it, the flow apologises and ends."""
    retry: Retry | None = None
    """How a failed call is tried again; without it, it is not."""
    timeout: Duration | None = None
    """The time limit of one call, instead of the contract's."""


def _parse_assigned(value: object) -> object:
    if isinstance(value, str) and value.startswith("="):
        return compile_condition(value[1:], shift=1)
    return value


Assigned = Annotated[
    Any,
    PlainValidator(_parse_assigned, json_schema_input_type=Any),
    PlainSerializer(lambda value: f"={value.text}" if isinstance(value, Condition) else value),
    Computes(),
]


class Assign(Step):
    """Sets slots. A Condition value is an expression to evaluate, None empties the slot, others are literals."""

    type: Literal["set"]
    slots: dict[SlotName, Assigned] = Field(min_length=1)
    """Slot → literal, expression ("=sum(items, price) * 2"), or ~ to empty it."""


class Case(LanguagePart):
    """One case of a branch."""

    when: ConditionText
    """The test."""
    next: StepName
    """Where the flow continues if the test holds."""


class Branch(Step):
    """Continues at the first case that holds."""

    type: Literal["branch"]
    cases: tuple[Case, ...] = Field(min_length=1)
    """The cases; the first that holds is taken."""
    otherwise: StepName | None = Field(default=None, alias="else")
    """Where the flow continues if no case holds; without it, the following step."""


class While(Step):
    """Repeats steps while a condition holds."""

    type: Literal["while"]
    condition: ConditionText
    """The test before each round."""
    do: "tuple[AnyStep, ...]" = Field(min_length=1)
    """The steps of each round."""
    max_iterations: WholeNumber = Field(default=50, ge=1, le=10_000)
    """The most rounds; more end the flow with the response `loop_limit`."""


CONTINUE = "continue"
"""The target that ends a round of the innermost `for_each` without gathering, and begins the next one."""
MAX_ITEMS = 1_000


class ForEach(Step):
    """Repeats steps for each entry of a list, one round per entry."""

    type: Literal["for_each"]
    item: Identifier
    """The name of the entry inside the loop: `{swap.name}` in texts, `swap.price` in expressions."""
    entries: ExpressionText = Field(alias="in")
    """An expression that gives a list. Its entries are those at the start of the loop."""
    per_item: tuple[SlotName, ...] = ()
    """Slots of this flow that belong to one round: empty when it begins, and kept with it for corrections."""
    gather: dict[SlotName, ExpressionText] = Field(default_factory=dict)
    """List slot → expression whose value is appended at the end of each round. The lists are emptied when the loop
    starts. A round that ends by `next: continue`, or whose entry the user skips, adds nothing."""
    max_items: WholeNumber = Field(default=50, ge=1, le=MAX_ITEMS)
    """The most entries; more end the flow with the response `too_many_items`."""
    do: "tuple[AnyStep, ...]" = Field(min_length=1)
    """The steps of each round. `next: continue` leads to the next round at once, without gathering."""


DONE, CANCELLED, FAILED = "done", "cancelled", "failed"
CALL_RESULTS = (DONE, CANCELLED, FAILED)


class Call(Step):
    """Runs another flow and returns."""

    type: Literal["call"]
    flow: FlowName
    """The flow to run."""
    inputs: dict[ChildSlot, ExpressionText] = Field(default_factory=dict)
    """Slot of the called flow → expression."""
    outputs: dict[SlotName, ChildSlot] = Field(default_factory=dict)
    """Slot of this flow → slot of the called flow, copied when it returns."""
    result: SlotName | None = None
    """A slot for how the called flow ended: done, cancelled or failed. Without it, this flow ends with a called flow
    that is cancelled or fails."""


class Link(Step):
    """Ends this flow and starts another."""

    type: Literal["link"]
    flow: FlowName
    """The flow to start."""


STEP_TYPES: Mapping[str, type[Step]] = {
    "say": Say,
    "collect": Collect,
    "confirm": Confirm,
    "action": Action,
    "set": Assign,
    "branch": Branch,
    "while": While,
    "for_each": ForEach,
    "call": Call,
    "link": Link,
    "human": Human,
    "handoff": Handoff,
    "wait": WaitStep,
}

AnyStep = Annotated[
    Union[Say, Collect, Confirm, Action, Assign, Branch, While, ForEach, Call, Link, Human, Handoff, WaitStep],  # noqa: UP007
    Field(discriminator="type"),
]
While.model_rebuild()
ForEach.model_rebuild()

Loop = While | ForEach
"""The steps that contain steps."""
