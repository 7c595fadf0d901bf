"""Read the answer of a language model as commands: check the names, and store the values in their stored form."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import zip_longest
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, Field, GetJsonSchemaHandler, JsonValue
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import CoreSchema

from dialogue.engine.ports.commands import (
    COMMANDS,
    AddValues,
    Affirm,
    CancelFlow,
    CannotHandle,
    Chitchat,
    Choose,
    Clarify,
    ClearSlot,
    Command,
    CommandRefused,
    CorrectSlot,
    Deny,
    Digress,
    HandOff,
    Narrow,
    OfferChange,
    RemoveValues,
    Repeat,
    Restart,
    ResumeFlow,
    SetSlot,
    SkipItem,
    SkipSlot,
    StartFlow,
    added_commands,
    command_name,
    from_plain,
)
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.command_filter import find_slot
from dialogue.nlu.slots.assistant_index import is_free_text
from dialogue.nlu.slots.choices import choice_candidates, named_keys
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.utterance import Utterance


def _check_command_name(name: str) -> str:
    if name not in COMMANDS:
        raise PydanticCustomError("command", "write one of {known}", {"known": ", ".join(COMMANDS)})
    return name


class _CommandNames:
    """Puts the names of all commands into the schema. They are read late: a project may register its own."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "enum": list(COMMANDS)}


CommandName = Annotated[str, AfterValidator(_check_command_name), _CommandNames()]
MAX_COMMANDS = 10


class Said(BaseModel):
    """One command of an answer. Which flows and slots there are is not part of the schema; it is checked afterwards."""

    command: CommandName
    name: str = Field(default="", description="flow, slot or topic; several flows with commas")
    value: str = Field(default="", description="of a slot, in the words of the message")


class SlotSaid(BaseModel):
    """One value of an answer of the second pass."""

    slot: str
    value: str


class TooManyCommands(ValueError):
    """An answer holds more than `MAX_COMMANDS` commands."""


def read_commands(answer: Iterable[Said], utterance: Utterance, restore: Callable[[str], str]) -> tuple[Command, ...]:
    """Return the distinct commands in order. `restore` puts redacted values back. Raises TooManyCommands."""
    entries = list(answer)
    if len(entries) > MAX_COMMANDS:
        raise TooManyCommands(f"{len(entries)} commands")
    commands = [command for entry in entries for command in _read_command(entry, restore)]
    distinct = list(_without_repetitions(commands))
    return tuple(_with_stored_value(command, distinct, utterance) for command in distinct)


def _without_repetitions(commands: Sequence[Command]) -> Iterator[Command]:
    """Yield each command once; but a flow that is started again with other values runs once more, with all of them."""
    earlier: list[Command] = []
    for command, following in zip_longest(commands, commands[1:]):
        is_other_run = isinstance(command, StartFlow) and isinstance(following, SetSlot) and following not in earlier
        if command in earlier and is_other_run:
            earlier = []
        if command not in earlier:
            yield command
            earlier.append(command)


def _read_command(entry: Said, restore: Callable[[str], str]) -> tuple[Command, ...]:
    """The command as a tuple of one; empty if a project's own command refuses the model's values."""
    name, value = entry.name.strip(), restore(entry.value).strip()
    if entry.command in COMMAND_READERS:
        return (COMMAND_READERS[entry.command](name, value),)
    values = zip(fields(COMMANDS[entry.command]), (restore(name), value), strict=False)
    try:
        return from_plain({entry.command: {field.name: text for field, text in values if text}})
    except CommandRefused:
        return ()


def answer_for_command(command: Command) -> Said:
    """A project's own command in the form of an answer: its first field is the name, its second the value."""
    texts = [str(getattr(command, field.name)) for field in fields(command)][:2]
    return Said(command=command_name(type(command)), **dict(zip(("name", "value"), texts, strict=False)))


def project_command_instructions() -> str:
    """A line for each of the project's own commands, for the instructions of the language model."""
    return "".join(f"\n{_describe_command(name, kind)}" for name, kind in added_commands().items())


def _describe_command(name: str, kind: type[Any]) -> str:
    slots = " ".join(field.name.upper() for field in fields(kind)[:2])
    return f"{name} {slots}".strip() + f": {(kind.__doc__ or name).strip().splitlines()[0]}"


class _CommandReader(Protocol):
    def __call__(self, name: str, value: str) -> Command: ...


def _read_digression(name: str, value: str) -> Command:
    """Help and status are named here; `_with_stored_value` tells a topic from a slot."""
    return Digress(name, value) if name in ("help", "status") else Digress("question", name)  # type: ignore[arg-type]


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


COMMAND_READERS: Mapping[str, _CommandReader] = {
    "start_flow": lambda name, value: StartFlow(name),
    "set_slot": lambda name, value: SetSlot(name, value, value),
    "correct_slot": lambda name, value: CorrectSlot(name, value, value),
    "offer_change": lambda name, value: OfferChange(name, value, value),
    "narrow": lambda name, value: Narrow(name, _parts(value)),
    "add_values": lambda name, value: AddValues(name, _parts(value), value),
    "remove_values": lambda name, value: RemoveValues(name, _parts(value), value),
    "clear_slot": lambda name, value: ClearSlot(name),
    "skip_slot": lambda name, value: SkipSlot(name),
    "skip_item": lambda name, value: SkipItem(),
    "affirm": lambda name, value: Affirm(),
    "deny": lambda name, value: Deny(),
    "choose": lambda name, value: Choose(name),
    "cancel_flow": lambda name, value: CancelFlow(name),
    "resume_flow": lambda name, value: ResumeFlow(name),
    "clarify": lambda name, value: Clarify(_parts(name)),
    "digress": _read_digression,
    "chitchat": lambda name, value: Chitchat(),
    "repeat": lambda name, value: Repeat(),
    "restart": lambda name, value: Restart(),
    "handoff": lambda name, value: HandOff(value),
    "cannot_handle": lambda name, value: CannotHandle(value),
}


def _with_stored_value(command: Command, commands: list[Command], utterance: Utterance) -> Command:
    if isinstance(command, Digress) and command.kind == "question":
        if command.topic in utterance.assistant_index.assistant.knowledge:
            return command
        asked_slot = find_slot(
            command.topic, commands, utterance
        )  # else a question that no topic claims: the knowledge is asked
        return Digress("clarification", command.topic) if asked_slot else Digress("question")
    if isinstance(command, Narrow | AddValues | RemoveValues):
        return _with_stored_values(command, find_slot(command.slot, commands, utterance), utterance)
    if not isinstance(command, SetSlot | CorrectSlot | OfferChange):
        return command
    slot = find_slot(command.slot, commands, utterance)
    if slot is not None and choice_candidates(slot, utterance) and isinstance(command, SetSlot | CorrectSlot):
        return _with_options(command, slot, utterance)
    return type(command)(
        command.slot, stored_value(slot, str(command.value), utterance) if slot else command.value, command.words
    )


def _with_options(command: SetSlot | CorrectSlot, slot: Slot, utterance: Utterance) -> Command:
    """The options that the value names: one is set, several lead to a question; a list takes them all."""
    text = str(command.value)
    keys = named_keys(slot, text, utterance)
    if slot.type == "list":
        return type(command)(command.slot, list(keys), text) if keys else command
    if len(keys) > 1:
        return Narrow(command.slot, keys)
    return type(command)(command.slot, keys[0], text) if keys else command


def _with_stored_values(command: Narrow | AddValues | RemoveValues, slot: Slot | None, utterance: Utterance) -> Command:
    """The values in their stored form: keys of options, and otherwise what the items' type reads."""
    if slot is None:
        return command
    if choice_candidates(slot, utterance):
        keys = tuple(key for value in command.values for key in named_keys(slot, str(value), utterance))
        return replace(command, values=tuple(dict.fromkeys(keys)) or command.values)
    if isinstance(command, Narrow):
        return command
    items = slot.items if slot.type == "list" and slot.items is not None else slot
    return replace(command, values=tuple(stored_value(items, str(value), utterance) for value in command.values))


def stored_value(slot: Slot, text: str, utterance: Utterance) -> JsonValue:
    """The stored form of a value in words; the text itself where the slot's type does not read it."""
    if is_free_text(slot):
        return text
    if slot.type == "boolean":
        return text.lower() in ("true", "yes", "sí", "si")
    option = slot.option(text)
    if option is not None:
        return option.value
    spans = list(find_values(slot, utterance.with_text(text)))
    return max(spans, key=lambda span: span.length).value if spans else text


def read_slot_values(
    answer: Iterable[SlotSaid], utterance: Utterance, restore: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """Yield (slot name, words) from an answer of the second pass."""
    for entry in answer:
        if entry.value.strip():
            yield entry.slot.strip(), restore(entry.value).strip()
