"""The parts of the language that wait for time or for an event from outside."""

from typing import Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from dialogue.engine.language.step_parts import Step
from dialogue.engine.slots.fields import (
    Duration,
    EventName,
    ExpressionText,
    FlowName,
    Identifier,
    LanguagePart,
    Message,
    SlotName,
    StepName,
    TranslatedText,
    field_error,
)
from dialogue.engine.slots.models import ShortFields
from dialogue.engine.source.phrases import Phrase


class EventContract(LanguagePart):
    """An event that other programs report to a conversation, such as a parcel that arrived."""

    description: TranslatedText | None = None
    """What has happened when it comes."""
    payload: ShortFields = Field(default_factory=dict)
    """Field → type, such as text or "optional date": what comes with it."""
    start: FlowName | None = None
    """The flow that it starts if no flow waits for it; fields fill the flow's slots of the same names."""
    _name: str = PrivateAttr("")

    @property
    def name(self) -> str:
        """The key under which the event is declared."""
        return self._name


class Reminder(LanguagePart):
    """Reminds the user of a question once."""

    after: Duration
    """The time after the question."""
    message: Message | None = None
    """What is said; without it, the response `reminder`. The question follows."""


class WaitStep(Step):
    """Pauses the flow for a time, until a moment, or until an event comes from outside."""

    type: Literal["wait"]
    delay: Duration | None = Field(default=None, alias="for")
    """How long it waits, such as 2d."""
    until: ExpressionText | None = None
    """An expression that gives a date or a moment; a date means its first minute. A past one does not wait."""
    event: EventName | None = None
    """The event that it waits for, declared under `events` in assistant.yaml."""
    match: dict[Identifier, ExpressionText] = Field(default_factory=dict)
    """Field of the payload → expression; an event with another value there is not the awaited one."""
    outputs: dict[Identifier, SlotName] = Field(default_factory=dict)
    """Field of the payload → slot."""
    message: Message | None = None
    """What the user is told when the wait begins."""
    timeout: Duration | None = None
    """How long it waits for the event."""
    on_timeout: StepName | None = None
    """Where the flow continues if the event did not come in time."""

    @model_validator(mode="after")
    def _waits_for_one_thing(self) -> Self:
        awaited = [key for key, value in (("for", self.delay), ("until", self.until), ("event", self.event)) if value]
        if len(awaited) != 1:
            found = " and ".join(f"`{key}`" for key in awaited) or Phrase("nothing")
            raise field_error(
                "wait_for",
                Phrase("found {found} to wait for", found=found),
                Phrase("Write one of `for`, `until` and `event`"),
            )
        return self
