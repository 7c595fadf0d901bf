"""Protect the values that staff are deciding about from accidental changes.

The name of its slot or a clear correction changes such a value. For a bare value that fits, the user is asked first.
Anything else is dropped. This holds for every component, the language model included.
"""

from collections.abc import Iterator, Sequence

from dialogue.engine.language.steps import AnyStep, Call
from dialogue.engine.ports.commands import ClearSlot, Command, CorrectSlot, OfferChange, SetSlot, SkipSlot
from dialogue.engine.slots.models import Slot
from dialogue.engine.stack.unknown_outcomes import staff_question
from dialogue.engine.understanding import DroppedCommand, StackEntry
from dialogue.nlu.readers.corrections import has_correction_cue
from dialogue.nlu.readers.free_text_check import cue_words, own_words
from dialogue.nlu.readers.whole_answers import small_words
from dialogue.nlu.slots.assistant_index import is_free_text
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import find_phrase, prefix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

PARKED_STATUS, CALLING_STATUS = "parked", "calling"
# Compared from the beginning of a word: "collection" and "collected".
ROOT_LENGTH = 5
UNCLEAR_CHANGE = "staff are looking at this value, and the message does not clearly change it"


def protect_pending_values(
    commands: Sequence[Command], utterance: Utterance
) -> tuple[tuple[Command, ...], tuple[DroppedCommand, ...]]:
    """Return the commands that may change what staff decide about, and the dropped ones with the reason."""
    entries = _waiting_entries(utterance)
    if not entries:
        return tuple(commands), ()
    accepted: list[Command] = []
    dropped: list[DroppedCommand] = []
    for command in commands:
        protected = _protect(command, entries, utterance)
        if protected is None:
            dropped.append(DroppedCommand(command, UNCLEAR_CHANGE))
        else:
            accepted.append(protected)
    # One question at a time: the next would take its place.
    question = next((command for command in accepted if isinstance(command, OfferChange)), None)
    accepted = [command for command in accepted if command is question or not isinstance(command, OfferChange)]
    return tuple(accepted), tuple(dropped)


def _protect(command: Command, entries: Sequence[StackEntry], utterance: Utterance) -> Command | None:
    """The command itself, a question in its place, or None."""
    if not isinstance(command, SetSlot | CorrectSlot | ClearSlot | SkipSlot):
        return command
    slot = next((slot for entry in entries if (slot := _slot_of(command.slot, entry, utterance)) is not None), None)
    if slot is None or _is_slot_of_running_flow(command.slot, utterance):
        return command
    if isinstance(command, ClearSlot | SkipSlot):
        return command if _names_one_of(own_words(slot, utterance), utterance) else None
    is_named = _names_one_of(own_words(slot, utterance), utterance)
    if is_named or _shares_root(_distinct_words(slot, entries, utterance), utterance):
        return command
    if _slot_name(command.slot) not in {name for entry in entries for name in _seen_by_staff(entry, utterance)}:
        return command
    is_correction, is_alone = has_correction_cue(utterance), _says_only_value(command, utterance)
    if is_free_text(slot) and _says_only_small_words(command, utterance):
        return None
    if (is_correction and is_alone) or _rejects_present_value(command.slot, entries, utterance):
        return command
    return OfferChange(command.slot, command.value, command.words) if is_correction or is_alone else None


def _waiting_entries(utterance: Utterance) -> list[StackEntry]:
    """Return the stack entries that wait for staff: by their own request or by that of a flow they called."""
    entries: list[StackEntry] = []
    entry_above: StackEntry | None = None
    for entry in utterance.open_entries:
        if entry.status == PARKED_STATUS or (
            entry.status == CALLING_STATUS and entry_above is not None and entry_above in entries
        ):
            entries.append(entry)
        entry_above = entry
    return entries


def _slot_of(name: str, entry: StackEntry, utterance: Utterance) -> Slot | None:
    flow_index = utterance.assistant_index.flows.get(entry.flow)
    return flow_index.slot(name) if flow_index is not None else None


def _is_slot_of_running_flow(name: str, utterance: Utterance) -> bool:
    """Is the slot that of a flow above the one that waits for staff?"""
    running = next(iter(utterance.open_entries), None)
    return running is not None and running.status != PARKED_STATUS and _slot_of(name, running, utterance) is not None


def is_seen_by_staff(slot: Slot, utterance: Utterance) -> bool:
    """Return whether an open request shows this slot's value to staff."""
    return any(_slot_name(slot.name) in _seen_by_staff(entry, utterance) for entry in _waiting_entries(utterance))


def _slot_name(name: str) -> str:
    """Return the slot of a record's field: staff see the record as a whole."""
    return name.partition(".")[0]


def _seen_by_staff(entry: StackEntry, utterance: Utterance) -> Iterator[str]:
    """Yield the slots that the request shows or binds; of a caller, those that it handed to the called flow."""
    flow = utterance.context.assistant.flows.get(entry.flow)
    steps = flow.all_steps() if flow is not None else ()
    for step in (step for step in steps if step.step == entry.step or not entry.step):
        yield from _slots_handed_on(step) if entry.status == CALLING_STATUS else _slots_asked_about(step, utterance)


def _slots_handed_on(step: AnyStep) -> Iterator[str]:
    if isinstance(step, Call):
        yield from (name for expression in step.inputs.values() for name in expression.names_read)


def _slots_asked_about(step: AnyStep, utterance: Utterance) -> Iterator[str]:
    request = staff_question(utterance.context.assistant, step)
    if request is not None:
        yield from (*request.show, *request.bind)


def _names_one_of(slot_words_named: frozenset[str], utterance: Utterance) -> bool:
    return any(fuzzy_in(word, slot_words_named) for word in utterance.folded)


def _shares_root(slot_words_named: frozenset[str], utterance: Utterance) -> bool:
    """ "The collection" speaks of where something is collected."""
    return any(
        word[:ROOT_LENGTH] == slot_word[:ROOT_LENGTH]
        for word in utterance.folded
        for slot_word in slot_words_named
        if len(word) >= ROOT_LENGTH
    )


def _distinct_words(slot: Slot, entries: Sequence[StackEntry], utterance: Utterance) -> frozenset[str]:
    """Words of the slot's description that no other slot of the flow shares."""
    flow_indexes = (utterance.assistant_index.flows.get(entry.flow) for entry in entries)
    others = (
        other
        for flow_index in flow_indexes
        if flow_index is not None
        for other in flow_index.slots
        if other.name != slot.name
    )
    return slot_words(slot).difference(*map(slot_words, others))


def _rejects_present_value(name: str, entries: Sequence[StackEntry], utterance: Utterance) -> bool:
    """ "Ibuprofen instead of codeine" names the value that is to go."""
    filled_words = (folded_words(utterance.context.filled.get(f"{entry.flow}.{name}", "")) for entry in entries)
    is_named = any(value_words and set(value_words) <= set(utterance.folded) for value_words in filled_words)
    return is_named and find_phrase(utterance.folded, utterance.lexicon.cues.negations) is not None


def _says_only_value(command: SetSlot | CorrectSlot, utterance: Utterance) -> bool:
    """Return whether the message is the value, small words, and words of the running flow such as "send"."""
    value_words = utterance.with_text(command.words).folded
    known_words = (
        small_words(utterance.lexicon)
        | cue_words(utterance)
        | (utterance.running_flow.vocabulary if utterance.running_flow else frozenset())
    )
    return bool(value_words) and all(word in known_words for word in utterance.folded if word not in value_words)


def _says_only_small_words(command: SetSlot | CorrectSlot, utterance: Utterance) -> bool:
    value_words = utterance.with_text(str(command.value)).folded
    has_opener = prefix_length(value_words, utterance.lexicon.acts.openers, utterance.lexicon.acts.fillers)
    return bool(has_opener) or all(word in small_words(utterance.lexicon) for word in value_words)
