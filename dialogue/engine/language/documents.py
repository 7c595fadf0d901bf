"""Assistants and their flows: the whole documents of the language."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import (
    AfterValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from dialogue.engine.language.steps import END, AnyStep, While
from dialogue.engine.slots.fields import (
    ConditionText,
    Duration,
    Flag,
    Identifier,
    LanguagePart,
    Message,
    TranslatedText,
    WholeNumber,
    describe_value,
    field_error,
    field_error_from_text,
)
from dialogue.engine.slots.models import Fields, ShortFields, Slot
from dialogue.engine.slots.templates import Template, Translated, is_language_tag


def _check_version(version: object) -> int:
    if isinstance(version, bool) or not isinstance(version, int) or version != 1:
        raise field_error(
            "version", f"found {describe_value(version)}", "Write version: 1, the version of this language"
        )
    return version


def _check_language(tag: str) -> str:
    if not is_language_tag(tag):
        raise field_error("language", f"`{tag}` is no language tag", "Write one such as en, es or es-MX")
    return tag


def _check_timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise field_error("timezone", f"`{name}` is no time zone", "Write one such as UTC or Europe/Rome") from error
    return name


class Settings(LanguagePart):
    """How an assistant behaves. `paused_limit` ends a flow that was left paused longer."""

    resume: Literal["auto", "ask"] = "auto"
    """What happens when an interrupting flow ends: go on at once, or ask."""
    max_attempts: WholeNumber = Field(default=3, ge=1, le=100)
    """Refused or unclear answers in a row, per awaited step."""
    max_steps_per_turn: WholeNumber = Field(default=200, ge=1, le=10_000)
    """Steps of one turn before it is broken off."""
    session_timeout: Duration = Field(default="30d", validate_default=True)
    """An idle conversation ends after this."""
    max_depth: WholeNumber = Field(default=5, ge=1, le=50)
    """Flows on the stack."""
    paused_limit: Duration | None = None
    """A flow left paused longer ends with a word."""


class ActionContract(LanguagePart):
    """What a registered Python action takes and gives. `idempotent`: safe to repeat with the same key."""

    description: TranslatedText | None = None
    """What it does."""
    inputs: ShortFields = Field(default_factory=dict)
    """Input → type, such as text or "optional date", or a slot."""
    outputs: ShortFields = Field(default_factory=dict)
    """Result → type."""
    idempotent: Flag = False
    """Safe to repeat with the same key."""
    timeout: Duration = Field(default="10s", validate_default=True)
    """Time limit of one call."""
    version: WholeNumber = Field(default=1, ge=1)
    """Of the Python action: one that is registered with another version is not called."""
    _name: str = PrivateAttr("")

    @property
    def name(self) -> str:
        """The key under which the contract was declared."""
        return self._name


class Knowledge(LanguagePart):
    """Something that a digression is answered from."""

    questions: tuple[TranslatedText, ...] = Field(min_length=1)
    """How people ask."""
    answer: Message
    """What they hear."""
    _topic: str = PrivateAttr("")

    @property
    def topic(self) -> str:
        """The key under which the entry was declared."""
        return self._topic


def _parse_variations(value: object, info: ValidationInfo) -> dict[str, tuple[Template, ...]]:
    language_tag = (info.context or {}).get("language", "en")
    by_language = value if isinstance(value, Mapping) else {language_tag: value}
    return {language: _parse_templates(texts) for language, texts in by_language.items()}


def _parse_templates(value: object) -> tuple[Template, ...]:
    texts = value if isinstance(value, tuple | list) else (value,)
    if not texts or not all(isinstance(text, str) for text in texts):
        message = f"found {describe_value(value)} where a text or a list of texts is meant"
        raise field_error("text_type", message, "Write a text in quotes")
    try:
        return tuple(Template(text) for text in texts)
    except ValueError as error:
        raise field_error_from_text("template", str(error)) from error


Variations = Annotated[
    dict[str, tuple[Template, ...]],
    PlainValidator(_parse_variations, json_schema_input_type=str | list[str] | dict[str, str | list[str]]),
    PlainSerializer(
        lambda variations: {language: [str(text) for text in texts] for language, texts in variations.items()}
    ),
]
"""A response: language → its variations."""


def _name_contracts(contracts: dict[str, ActionContract]) -> dict[str, ActionContract]:
    for name, contract in contracts.items():
        contract._name = name
    return contracts


def _name_topics(entries: dict[str, Knowledge]) -> dict[str, Knowledge]:
    for topic, entry in entries.items():
        entry._topic = topic
    return entries


class Flow(LanguagePart):
    """One flow. `guard` (YAML `if`) must hold for it to start; `start` false: only by call or link."""

    flow: Identifier
    """Identifier, and the name of the file."""
    title: TranslatedText = Translated("")
    """What people know it as."""
    description: TranslatedText
    """What it is for; understanding reads it."""
    examples: tuple[str, ...] = ()
    """How people ask for it; {slot} marks a value."""
    start: Flag = True
    """false: it runs only by call or link."""
    guard: ConditionText | None = Field(default=None, alias="if")
    """What must hold for it to start."""
    else_say: Message | None = None
    """What is said when the guard does not hold."""
    slots: Fields = Field(default_factory=dict)
    """What it wants to know."""
    steps: tuple[AnyStep, ...] = Field(min_length=1)
    """What it does, in order."""
    _by_id: dict[str, AnyStep] = PrivateAttr(default_factory=dict)
    _following: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _title_from_name(cls, values: object) -> object:
        if isinstance(values, Mapping) and isinstance(values.get("flow"), str):
            return {"title": str(values["flow"]).replace("_", " "), **values}
        return values

    def model_post_init(self, context: Any, /) -> None:
        """Index the steps once."""
        self._by_id = {step.step: step for step in self.all_steps()}
        self._following = dict(_followers_of(self.steps, END))

    def step(self, step_id: str) -> AnyStep:
        """The step with this identifier, also one inside a loop; KeyError when there is none."""
        return self._by_id[step_id]

    def has_step(self, step_id: str) -> bool:
        """Whether the flow has this step."""
        return step_id in self._by_id

    def all_steps(self) -> Iterator[AnyStep]:
        """Every step in the order of the document, the steps of loops included."""
        return _walk_steps(self.steps)

    def following_step(self, step_id: str) -> str:
        """The step after this one in the document; after the last one "end", after the last of a loop the loop."""
        return self._following[step_id]

    def next_step(self, step_id: str) -> str:
        """Where the step leads when nothing else is said: its `next`, or else the following step."""
        target = self._by_id[step_id].next
        return target if isinstance(target, str) else self._following[step_id]


def _walk_steps(steps: Iterable[AnyStep]) -> Iterator[AnyStep]:
    for step in steps:
        yield step
        if isinstance(step, While):
            yield from _walk_steps(step.do)


def _followers_of(steps: tuple[AnyStep, ...], step_after: str) -> Iterator[tuple[str, str]]:
    for index, step in enumerate(steps):
        yield step.step, steps[index + 1].step if index + 1 < len(steps) else step_after
        if isinstance(step, While):
            yield from _followers_of(step.do, step.step)


class Assistant(LanguagePart):
    """An assistant. `flows` are filled by the loader, in the order of the documents."""

    version: Annotated[int, PlainValidator(_check_version, json_schema_input_type=Literal[1])]
    """The version of this language, 1."""
    assistant: Identifier
    """Identifier."""
    title: TranslatedText = Translated("")
    """What people know it as."""
    description: TranslatedText | None = None
    """What it is for."""
    language: Annotated[str, AfterValidator(_check_language)] = "en"
    """BCP 47 tag of its texts."""
    timezone: Annotated[str, AfterValidator(_check_timezone)] = "UTC"
    """What "tomorrow" means."""
    settings: Settings = Field(default_factory=Settings)
    """How it behaves."""
    slots: Fields = Field(default_factory=dict)
    """Slots that last for the whole conversation."""
    actions: Annotated[dict[Identifier, ActionContract], AfterValidator(_name_contracts)] = Field(default_factory=dict)
    """Contracts of the Python actions that flows may call."""
    knowledge: Annotated[dict[Identifier, Knowledge], AfterValidator(_name_topics)] = Field(default_factory=dict)
    """What a digression can be answered from."""
    responses: dict[str, Variations] = Field(default_factory=dict)
    """Built-in texts said otherwise; a list are variations."""
    _flows: dict[str, Flow] = PrivateAttr(default_factory=dict)
    _digest: str = PrivateAttr("")

    @model_validator(mode="before")
    @classmethod
    def _title_from_name(cls, values: object) -> object:
        if isinstance(values, Mapping) and isinstance(values.get("assistant"), str):
            return {"title": str(values["assistant"]).replace("_", " ").capitalize(), **values}
        return values

    @property
    def flows(self) -> Mapping[str, Flow]:
        """The flows by name."""
        return self._flows

    @property
    def digest(self) -> str:
        """SHA-256 of the documents that the assistant was loaded from, in hexadecimal."""
        return self._digest

    def slot(self, flow: str | None, name: str) -> Slot | None:
        """The slot that this name means inside the flow: its own, or else the conversation's."""
        flow_slot = self._flows[flow].slots.get(name) if flow in self._flows else None
        return flow_slot or self.slots.get(name)

    def with_flows(self, flows: Iterable[Flow], digest: str = "") -> Self:
        """The same assistant with these flows."""
        assistant = self.model_copy()
        assistant._flows = {flow.flow: flow for flow in flows}
        assistant._digest = digest
        return assistant

    def with_settings(self, **settings: Any) -> Self:
        """The same assistant with other settings, as a scenario asks for; raises ValidationError for unknown ones."""
        values = self.settings.model_dump() | settings
        return self.model_copy(update={"settings": Settings.model_validate(values)})


def digest_of(documents: Mapping[str, str]) -> str:
    """SHA-256 over names and texts, independent of their order."""
    digest = hashlib.sha256()
    for name in sorted(documents):
        digest.update(f"{name}\0{len(documents[name])}\0{documents[name]}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
