"""Assistants and flows: the models of whole documents."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
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

from dialogue.engine.language.contact import OptOut, QuietHours
from dialogue.engine.language.loop_items import loop_items_of
from dialogue.engine.language.steps import CONTINUE, END, AnyStep, ForEach, Loop
from dialogue.engine.language.waiting_steps import EventContract
from dialogue.engine.slots.fields import (
    ConditionText,
    Duration,
    Flag,
    FlowName,
    Identifier,
    LanguagePart,
    Message,
    SlotName,
    StepName,
    TranslatedText,
    WholeNumber,
    describe_value,
    field_error,
    field_error_from_text,
)
from dialogue.engine.slots.models import Fields, ShortFields, Slot
from dialogue.engine.slots.records import Records
from dialogue.engine.slots.templates import Template, Translated, is_language_tag
from dialogue.engine.source.phrases import Phrase


def _check_version(version: object) -> int:
    if isinstance(version, bool) or not isinstance(version, int) or version != 1:
        raise field_error(
            "version",
            Phrase("found {value}", value=describe_value(version)),
            Phrase("Write version: 1, the only version of the language"),
        )
    return version


def _check_language(tag: str) -> str:
    if not is_language_tag(tag):
        raise field_error(
            "language", Phrase("`{tag}` is not a language tag", tag=tag), Phrase("Write one such as en, es or es-MX")
        )
    return tag


def _check_timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError) as error:
        raise field_error(
            "timezone", Phrase("`{name}` is not a time zone", name=name), Phrase("Write one such as UTC or Europe/Rome")
        ) from error
    return name


class Settings(LanguagePart):
    """How an assistant behaves."""

    resume: Literal["auto", "ask"] = "auto"
    """What happens when an interrupting flow ends: continue the interrupted flow (auto), or ask first."""
    max_attempts: WholeNumber = Field(default=3, ge=1, le=100)
    """Refused or unclear answers in a row before a step gives up."""
    max_steps_per_turn: WholeNumber = Field(default=200, ge=1, le=10_000)
    """The most steps that one turn may run."""
    session_timeout: Duration = Field(default="30d", validate_default=True)
    """An idle conversation ends after this time."""
    max_depth: WholeNumber = Field(default=5, ge=1, le=50)
    """The most flows that a user may have open at a time; flows that these call do not count."""
    paused_limit: Duration | None = None
    """A flow that stays paused longer is dropped, and the user is told."""
    quiet_hours: QuietHours | None = None
    """Hours in which the assistant does not write first; what falls into them comes afterwards."""
    opt_out: OptOut | None = None
    """The words with which a customer refuses that the assistant writes first; without it, no words do."""
    on_error: FlowName | None = None
    """The flow that starts instead of the apology when a flow fails; it may have `start: false`."""
    on_handoff: FlowName | None = None
    """The flow that starts when a user asks for a person; its `handoff` step calls one. It may have `start: false`."""


class FlowSettings(LanguagePart):
    """How one flow behaves."""

    on_error: StepName | None = None
    """Where a failure leads if the failing step has no `on_error`; a second failure in the same turn ends the flow."""


class ActionContract(LanguagePart):
    """The inputs and outputs of a registered Python action."""

    description: TranslatedText | None = None
    """What it does."""
    inputs: ShortFields = Field(default_factory=dict)
    """Input → type, such as text or "optional date", or a whole slot."""
    outputs: ShortFields = Field(default_factory=dict)
    """Result → type."""
    idempotent: Flag = False
    """Safe to repeat with the same key."""
    effect: Literal["none", "some"] = "some"
    """none: it only reads. It may be repeated, also after an unknown outcome; its results serve for the whole turn."""
    timeout: Duration = Field(default="10s", validate_default=True)
    """The time limit of one call."""
    version: WholeNumber = Field(default=1, ge=1)
    """The version of the Python action; one registered with another version is not called."""
    _name: str = PrivateAttr("")

    @property
    def name(self) -> str:
        """The key under which the contract is declared."""
        return self._name

    @property
    def only_reads(self) -> bool:
        """Whether the action changes nothing outside."""
        return self.effect == "none"

    @property
    def repeatable(self) -> bool:
        """Whether a call may be repeated when it is not known whether it happened."""
        return self.idempotent or self.only_reads


class Knowledge(LanguagePart):
    """An answer to questions that users ask in the middle of a flow."""

    questions: tuple[TranslatedText, ...] = Field(min_length=1)
    """How people ask for it."""
    answer: Message
    """The answer."""
    _topic: str = PrivateAttr("")

    @property
    def topic(self) -> str:
        """The key under which the entry is declared."""
        return self._topic


SpokenPhrase = Annotated[str, Field(min_length=1, max_length=500)]


class SteeringPhrases(LanguagePart):
    """What users of this assistant say to steer a dialogue, beside the built-in phrases.

    Phrases of any language count in every language. One counts where its act is possible: a yes where one is asked for.
    """

    yes: tuple[SpokenPhrase, ...] = ()
    """Yes."""
    no: tuple[SpokenPhrase, ...] = ()
    """No."""
    cancel: tuple[SpokenPhrase, ...] = ()
    """End the running flow."""
    skip: tuple[SpokenPhrase, ...] = ()
    """Leave out what is asked."""
    repeat: tuple[SpokenPhrase, ...] = ()
    """Say the question again."""
    help: tuple[SpokenPhrase, ...] = ()
    """What the assistant can do."""
    person: tuple[SpokenPhrase, ...] = ()
    """Talk to a person."""
    restart: tuple[SpokenPhrase, ...] = ()
    """Begin the conversation again."""
    why: tuple[SpokenPhrase, ...] = ()
    """Why the value is asked, and what is meant."""
    status: tuple[SpokenPhrase, ...] = ()
    """How far it is."""
    small_talk: tuple[SpokenPhrase, ...] = ()
    """Thanks, greetings and other courtesies."""


def _parse_variations(value: object, info: ValidationInfo) -> dict[str, tuple[Template, ...]]:
    language_tag = (info.context or {}).get("language", "en")
    by_language = value if isinstance(value, Mapping) else {language_tag: value}
    return {language: _parse_templates(texts) for language, texts in by_language.items()}


def _parse_templates(value: object) -> tuple[Template, ...]:
    texts = value if isinstance(value, tuple | list) else (value,)
    if not texts or not all(isinstance(text, str) for text in texts):
        message = Phrase("found {value} where a text or a list of texts is expected", value=describe_value(value))
        raise field_error("text_type", message, Phrase("Write a text in quotes"))
    try:
        templates = tuple(Template(text) for text in texts)
    except ValueError as error:
        raise field_error_from_text("template", str(error)) from error
    if any(template.expressions for template in templates):
        text = Phrase("a response belongs to no flow, so it cannot compute an expression")
        raise field_error("expression", text, Phrase("Name one of its values, such as {flow}"))
    return templates


Variations = Annotated[
    dict[str, tuple[Template, ...]],
    PlainValidator(_parse_variations, json_schema_input_type=str | list[str] | dict[str, str | list[str]]),
    PlainSerializer(
        lambda variations: {language: [str(text) for text in texts] for language, texts in variations.items()}
    ),
]
"""A response: language → its variations, of which one is chosen."""


def _name_contracts(contracts: dict[str, ActionContract]) -> dict[str, ActionContract]:
    for name, contract in contracts.items():
        contract._name = name
    return contracts


def _name_events(events: dict[str, EventContract]) -> dict[str, EventContract]:
    for name, contract in events.items():
        contract._name = name
    return events


def _name_topics(entries: dict[str, Knowledge]) -> dict[str, Knowledge]:
    for topic, entry in entries.items():
        entry._topic = topic
    return entries


class Flow(LanguagePart):
    """One flow: a task of the assistant."""

    flow: Identifier
    """Its name in other documents; the file has the same name, with .yaml."""
    title: TranslatedText = Translated("")
    """The name that people read."""
    description: TranslatedText
    """What it is for; used to understand messages."""
    examples: tuple[str, ...] = ()
    """Messages that ask for it; {slot} marks a value."""
    start: Flag = True
    """false: it starts only by call or link, not by a message."""
    guard: ConditionText | None = Field(default=None, alias="if")
    """A condition on assistant.yaml's slots that must hold for it to start."""
    else_say: Message | None = None
    """The message when `if` does not hold."""
    needs: dict[SlotName, FlowName] = Field(default_factory=dict)
    """Slot → the flow that fills it. While the slot is empty, that flow runs before this one, and returns."""
    settings: FlowSettings = Field(default_factory=FlowSettings)
    """How it behaves."""
    slots: Fields = Field(default_factory=dict)
    """Its slots."""
    steps: tuple[AnyStep, ...] = Field(min_length=1)
    """Its steps, in order."""
    _loop_items: dict[str, Slot] = PrivateAttr(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _title_from_name(cls, values: object) -> object:
        if isinstance(values, Mapping) and isinstance(values.get("flow"), str):
            return {"title": str(values["flow"]).replace("_", " "), **values}
        return values

    # Pydantic finds private attributes by `__getattr__`, which takes 3 µs; a turn asks forty times for what is below.
    @cached_property
    def steps_by_name(self) -> Mapping[str, AnyStep]:
        """Every step by its name, the steps of loops included."""
        return {step.step: step for step in self.all_steps()}

    @cached_property
    def has_computed_defaults(self) -> bool:
        """Whether a default of its slots is an expression."""
        return any("default" in slot.computed_settings for slot in self.slots.values())

    @cached_property
    def has_rounds(self) -> bool:
        """Whether the flow has a `for_each`, so that its steps may belong to a round."""
        return bool(self._loops_around)

    @cached_property
    def _following(self) -> Mapping[str, str]:
        return dict(_followers_of(self.steps, END))

    @cached_property
    def _loops_around(self) -> Mapping[str, tuple[str, ...]]:
        return dict(_loops_around(self.steps, ()))

    def step(self, step_id: str) -> AnyStep:
        """Return the step with this identifier, also from inside a loop. Raises KeyError."""
        return self.steps_by_name[step_id]

    def has_step(self, step_id: str) -> bool:
        """Return whether the flow has this step."""
        return step_id in self.steps_by_name

    def all_steps(self) -> Iterator[AnyStep]:
        """Yield every step in the order of the document, the steps of loops included."""
        return _walk_steps(self.steps)

    @property
    def loop_items(self) -> Mapping[str, Slot]:
        """The items of the flow's `for_each` loops by name, as slots; the assistant fills them in."""
        return self._loop_items

    @property
    def readable_slots(self) -> Mapping[str, Slot]:
        """The flow's slots, and the items of its loops."""
        return {**self._loop_items, **self.slots} if self.has_rounds else self.slots

    def loops_around(self, step_id: str) -> tuple[str, ...]:
        """Return the `for_each` steps around a step, from the innermost to the outermost."""
        return self._loops_around.get(step_id, ())

    def loop(self, step_id: str) -> ForEach:
        """Return the `for_each` with this name. Raises KeyError for another step."""
        step = self.steps_by_name[step_id]
        if not isinstance(step, ForEach):
            raise KeyError(step_id)
        return step

    def steps_inside(self, loop_id: str) -> Iterator[str]:
        """Yield the steps of a `for_each`, those of loops inside it included."""
        return (step_id for step_id, loops in self._loops_around.items() if loop_id in loops)

    def following_step(self, step_id: str) -> str:
        """Return the step below this one in the document: "end" after the last, the loop itself after a loop's last."""
        return self._following[step_id]

    def next_step(self, step_id: str) -> str:
        """Return where the step leads by default: its `next`, or else the following step."""
        target = self.steps_by_name[step_id].next
        return self.resolve_target(step_id, target) if isinstance(target, str) else self._following[step_id]

    def resolve_target(self, step_id: str, target: str) -> str:
        """Return the step that a target means for this step: for `continue`, the innermost `for_each` around it."""
        loops = self._loops_around.get(step_id) if target == CONTINUE else None
        return loops[0] if loops else target


def _walk_steps(steps: Iterable[AnyStep]) -> Iterator[AnyStep]:
    for step in steps:
        yield step
        if isinstance(step, Loop):
            yield from _walk_steps(step.do)


def _followers_of(steps: tuple[AnyStep, ...], step_after: str) -> Iterator[tuple[str, str]]:
    for index, step in enumerate(steps):
        yield step.step, steps[index + 1].step if index + 1 < len(steps) else step_after
        if isinstance(step, Loop):
            yield from _followers_of(step.do, step.step)


def _loops_around(steps: Iterable[AnyStep], loops: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each step inside a `for_each` with the names of these loops, the innermost first."""
    for step in steps:
        if loops:
            yield step.step, loops
        if isinstance(step, Loop):
            yield from _loops_around(step.do, (step.step, *loops) if isinstance(step, ForEach) else loops)


class Assistant(LanguagePart):
    """An assistant: the document assistant.yaml."""

    version: Annotated[int, PlainValidator(_check_version, json_schema_input_type=Literal[1])]
    """The version of the flow language in which it is written: 1."""
    assistant: Identifier
    """Its name in addresses, files and the API, in small letters."""
    title: TranslatedText = Translated("")
    """The name that people read."""
    description: TranslatedText | None = None
    """What customers can do with it; shown where they choose an assistant."""
    language: Annotated[str, AfterValidator(_check_language)] = "en"
    """The BCP 47 tag of its texts, such as en or es-MX."""
    timezone: Annotated[str, AfterValidator(_check_timezone)] = "UTC"
    """The time zone that decides what "tomorrow" means, such as Europe/Rome."""
    settings: Settings = Field(default_factory=Settings)
    """How it behaves."""
    records: Records = Field(default_factory=dict)
    """Types with a name and fields of their own, such as an order, for every slot of the assistant."""
    slots: Fields = Field(default_factory=dict)
    """Slots that keep their values for the whole conversation."""
    actions: Annotated[dict[Identifier, ActionContract], AfterValidator(_name_contracts)] = Field(default_factory=dict)
    """The contracts of the Python actions that flows may call."""
    events: Annotated[dict[Identifier, EventContract], AfterValidator(_name_events)] = Field(default_factory=dict)
    """The events that other programs report, and that `wait` steps wait for."""
    knowledge: Annotated[dict[Identifier, Knowledge], AfterValidator(_name_topics)] = Field(default_factory=dict)
    """Answers to questions that users ask in the middle of a flow."""
    phrases: SteeringPhrases = Field(default_factory=SteeringPhrases)
    """What users say for yes, no, cancel and the like, beside the built-in phrases."""
    responses: dict[str, Variations] = Field(default_factory=dict)
    """Replacements for built-in responses; a list gives variations."""
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
        """The flows by name, in the order of the documents; the loader fills them in."""
        return self._flows

    @property
    def digest(self) -> str:
        """The SHA-256 of the documents that the assistant was loaded from, in hexadecimal."""
        return self._digest

    def slot(self, flow: str | None, name: str) -> Slot | None:
        """Return the slot of this name inside the flow, or None.

        It is the flow's own, or else the assistant's, or else the item of one of the flow's loops. A dotted name is the
        field of a record: address.zip.
        """
        if "." in name:
            head, _dot, path = name.partition(".")
            record = self.slot(flow, head)
            return record.part(path) if record is not None else None
        own_flow = self._flows.get(flow) if flow else None
        own_slot = own_flow.slots.get(name) if own_flow else None
        return own_slot or self.slots.get(name) or (own_flow.loop_items.get(name) if own_flow else None)

    def with_flows(self, flows: Iterable[Flow], digest: str = "") -> Self:
        """Return a copy of the assistant with these flows."""
        # A copy keeps the private attributes' objects, so the flows are replaced, not changed.
        assistant = self.model_copy()
        assistant._flows = {flow.flow: flow for flow in flows}
        for flow in assistant._flows.values():
            if flow.has_rounds:
                flow._loop_items = loop_items_of(flow.all_steps(), {**self.slots, **flow.slots})
        assistant._digest = digest
        return assistant

    def with_settings(self, **settings: Any) -> Self:
        """Return a copy with other settings, as a scenario needs. Raises ValidationError for unknown ones."""
        values = self.settings.model_dump() | settings
        return self.model_copy(update={"settings": Settings.model_validate(values)})


def digest_of(documents: Mapping[str, str]) -> str:
    """Return the SHA-256 over names and texts in hexadecimal, independent of their order."""
    digest = hashlib.sha256()
    for name in sorted(documents):
        # The length separates one document from the next: no two sets of documents give the same bytes.
        digest.update(f"{name}\0{len(documents[name])}\0{documents[name]}\0".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
