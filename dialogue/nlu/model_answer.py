"""What a language model says, as commands: names are looked up, values take their stored form, the rest is left out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, Protocol

from pydantic import BaseModel, Field, JsonValue

from dialogue.engine.commands import (
    Affirm,
    CancelFlow,
    CannotHandle,
    Chitchat,
    Clarify,
    ClearSlot,
    Command,
    CorrectSlot,
    Deny,
    Digress,
    HandOff,
    Repeat,
    Restart,
    ResumeFlow,
    SetSlot,
    SkipSlot,
    StartFlow,
)
from dialogue.engine.slots import Slot
from dialogue.nlu.closed_set import slot_of
from dialogue.nlu.finders import find_values
from dialogue.nlu.program import is_free
from dialogue.nlu.utterance import Utterance

CommandName = Literal[
    "start_flow", "set_slot", "correct_slot", "clear_slot", "skip_slot", "affirm", "deny", "cancel_flow", "resume_flow",
    "clarify", "digress", "chitchat", "repeat", "restart", "handoff", "cannot_handle",
]  # fmt: skip
MOST_COMMANDS = 10


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
    """An answer holds more commands than any message can mean."""


def commands_from(answer: Iterable[Said], said: Utterance, undone: Callable[[str], str]) -> tuple[Command, ...]:
    """The commands in order, each once; raises TooManyCommands. `undone` puts what was masked back into a text."""
    told = list(answer)
    if len(told) > MOST_COMMANDS:
        raise TooManyCommands(f"{len(told)} commands")
    read = (READERS[each.command](each.name.strip(), undone(each.value).strip()) for each in told)
    made = list(dict.fromkeys(read))  # here values are texts still; stored ones may be lists and objects
    return tuple(_stored(command, made, said) for command in made)


class _Reader(Protocol):
    def __call__(self, name: str, value: str) -> Command: ...


def _digress(name: str, value: str) -> Command:
    """Help and status are named; a topic or a slot is told apart by `_stored`."""
    return Digress(name, value) if name in ("help", "status") else Digress("question", name)  # type: ignore[arg-type]


READERS: Mapping[str, _Reader] = {
    "start_flow": lambda name, value: StartFlow(name),
    "set_slot": lambda name, value: SetSlot(name, value, value),
    "correct_slot": lambda name, value: CorrectSlot(name, value, value),
    "clear_slot": lambda name, value: ClearSlot(name),
    "skip_slot": lambda name, value: SkipSlot(name),
    "affirm": lambda name, value: Affirm(),
    "deny": lambda name, value: Deny(),
    "cancel_flow": lambda name, value: CancelFlow(name),
    "resume_flow": lambda name, value: ResumeFlow(name),
    "clarify": lambda name, value: Clarify(tuple(part.strip() for part in name.split(",") if part.strip())),
    "digress": _digress,
    "chitchat": lambda name, value: Chitchat(),
    "repeat": lambda name, value: Repeat(),
    "restart": lambda name, value: Restart(),
    "handoff": lambda name, value: HandOff(value),
    "cannot_handle": lambda name, value: CannotHandle(value),
}


def _stored(command: Command, commands: list[Command], said: Utterance) -> Command:
    if isinstance(command, Digress) and command.kind == "question":
        known = command.topic in said.program.assistant.knowledge
        return (
            command if known or not slot_of(command.topic, commands, said) else Digress("clarification", command.topic)
        )
    if not isinstance(command, SetSlot | CorrectSlot):
        return command
    slot = slot_of(command.slot, commands, said)
    return type(command)(
        command.slot, stored_value(slot, str(command.value), said) if slot else command.value, command.words
    )


def stored_value(slot: Slot, text: str, said: Utterance) -> JsonValue:
    """The stored form of a value in words; the text itself where it has none."""
    if is_free(slot):
        return text
    if slot.type == "boolean":
        return text.lower() in ("true", "yes", "sí", "si")
    option = slot.option(text)
    if option is not None:
        return option.value
    spans = list(find_values(slot, said.part(text)))
    return max(spans, key=lambda span: span.length).value if spans else text


def values_from(answer: Iterable[SlotSaid], said: Utterance, undone: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """(slot, words) of the second pass."""
    for each in answer:
        if each.value.strip():
            yield each.slot.strip(), undone(each.value).strip()
