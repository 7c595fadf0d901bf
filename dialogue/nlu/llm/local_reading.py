"""What the local readers made of a message, for the prompt of a language model that is asked in doubt."""

from collections.abc import Iterator
from typing import Any

from dialogue.engine.ports.commands import Command, StartFlow, command_name
from dialogue.engine.slots.models import Slot
from dialogue.nlu.llm.redaction import RedactedMessage, clean_text
from dialogue.nlu.readers.clauses.explained_words import unexplained_tokens
from dialogue.nlu.readers.clauses.splitting import split_clauses
from dialogue.nlu.readers.command_filter import find_slot
from dialogue.nlu.slots.assistant_index import is_free_text
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.utterance import Utterance

MAX_CANDIDATE_SLOTS, MAX_CANDIDATES, MAX_UNEXPLAINED_WORDS = 12, 4, 12


def describe_unsure_reading(utterance: Utterance, message: RedactedMessage) -> dict[str, Any]:
    """The reading as `{unsure_reading: {commands, clauses?, candidates?, unexplained?}}`; empty where there is none.

    `commands` have the form of the model's answers. `clauses` are the parts of a longer message, `candidates` the
    values by slot that its words can be, and `unexplained` the words that the commands leave over. All of it is taken
    from the redacted message; values of sensitive slots are left out.
    """
    if not utterance.unsure_reading:
        return {}
    redacted = utterance.with_text(message.text)
    clauses = [clean_text(clause.utterance.text) for clause in split_clauses(redacted)]
    unexplained = unexplained_tokens(utterance.unsure_reading, redacted)[:MAX_UNEXPLAINED_WORDS]
    reading: dict[str, Any] = {
        "commands": [_describe_command(command, utterance, message) for command in utterance.unsure_reading],
        "clauses": clauses if len(clauses) > 1 else [],
        "candidates": dict(_candidates(redacted)),
        "unexplained": [clean_text(token.text) for token in unexplained],
    }
    return {"unsure_reading": {name: part for name, part in reading.items() if part}}


def _describe_command(command: Command, utterance: Utterance, message: RedactedMessage) -> dict[str, str]:
    """The command as `{command, name?, value?}`."""
    slot_name = getattr(command, "slot", "")
    slot = find_slot(slot_name, utterance.unsure_reading, utterance, in_waiting_flows=True) if slot_name else None
    name = slot_name or getattr(command, "flow", "") or getattr(command, "topic", "")
    value = getattr(command, "words", "") or getattr(command, "value", "")
    shown = clean_text(message.redact(str(value))) if slot is not None and not slot.hides_values else ""
    if message.originals and shown not in message.text:
        shown = ""  # It may be another form of a value that is redacted.
    description = {"command": command_name(type(command)), "name": name, "value": shown}
    return {key: text for key, text in description.items() if text}


def _candidates(redacted: Utterance) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of slots with the values of their types in the message."""
    for slot in list(_typed_slots(redacted))[:MAX_CANDIDATE_SLOTS]:
        values = [str(span.value) for span in find_values(slot, redacted) if not span.weak and span.value is not None]
        if values:
            yield slot.name, [clean_text(value) for value in dict.fromkeys(values)][:MAX_CANDIDATES]


def _typed_slots(utterance: Utterance) -> Iterator[Slot]:
    """Yield the slots of the flows that the reading starts, and of the running one, that take no free text."""
    flows = utterance.assistant_index.flows
    started = [flows[command.flow] for command in utterance.unsure_reading if isinstance(command, StartFlow)]
    running = [utterance.running_flow] if utterance.running_flow else []
    slots = {slot.name: slot for flow_index in (*started, *running) for slot in flow_index.slots}
    yield from (slot for slot in slots.values() if not slot.hides_values and not is_free_text(slot))
