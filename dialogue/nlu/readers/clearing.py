"""Slots to clear, to skip or to leave out: "forget the amount", "skip the remark", "no stars, and no comment"."""

from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import ClearSlot, Command, CorrectSlot, SetSlot, SkipSlot
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.flow_commands import text_behind
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex
from dialogue.nlu.slots.slot_words import in_every_language, slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

# More content words behind "forget" say something else than the name of a slot.
MAX_SLOT_WORDS = 3
# "No special wishes" leaves out the wishes.
MAX_LEFT_OUT_WORDS = 2


def read_forget(utterance: Utterance) -> Command | None:
    """Return ClearSlot for the filled slot that stands alone behind "forget", or None."""
    cues = utterance.lexicon.cues
    rest = text_behind(utterance, cues.forgets, cues.cancels)
    # "I no longer want the medicine" is about the whole order, "forget the medicine" perhaps not.
    is_of_flow = text_behind(utterance, cues.forgets) is None
    for flow_index in utterance.open_flows() if rest is not None else ():
        filled = [slot for slot in flow_index.with_fields.slots if utterance.is_filled(flow_index, slot)]
        slot = _find_named_slot(rest, filled, is_of_flow=is_of_flow) if rest is not None else None
        if slot is not None:
            return ClearSlot(slot.name)
    return None


def read_skip(utterance: Utterance) -> Command | None:
    """Return SkipSlot for the slot that stands alone behind "skip", or None: "skip the remark too".

    A yes/no slot that is filled becomes false.
    """
    rest = text_behind(utterance, utterance.lexicon.cues.skips)
    for flow_index in utterance.open_flows() if rest is not None else ():
        slot = _find_named_slot(rest, flow_index.slots) if rest is not None else None
        if slot is not None:
            # "Without the helmets" answers a yes/no question once more.
            is_answered = slot.type == "boolean" and utterance.is_filled(flow_index, slot)
            return CorrectSlot(slot.name, False, utterance.text) if is_answered else SkipSlot(slot.name)
    return None


def read_left_out(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """Yield commands for the slots that a request leaves out: optional ones are skipped, numbers become 0.

    A required number becomes 0 only where its minimum is 0.
    """
    for slot in flow_index.slots:
        if _is_left_out(slot, utterance):
            if not slot.required:
                yield SkipSlot(slot.name)
            elif slot.type in NUMBER_TYPES and str(slot.minimum) == "0":
                yield SetSlot(slot.name, 0, utterance.text)


def _is_left_out(slot: Slot, utterance: Utterance) -> bool:
    for start in range(len(utterance.folded)):
        length = prefix_length(utterance.folded[start:], utterance.lexicon.cues.skips)
        behind = [word for word in utterance.folded[start + length :] if word not in utterance.lexicon.cues.determiners]
        if length and any(_is_word_of(word, slot) for word in behind[:MAX_LEFT_OUT_WORDS]):
            return True
    return False


def _is_word_of(word: str, slot: Slot) -> bool:
    return fuzzy_in(word, slot_words(slot))


def _find_named_slot(rest: Utterance, slots: Sequence[Slot], *, is_of_flow: bool = False) -> Slot | None:
    """Return the slot that the words are for: by its name first, then by its description.

    A description counts only where no open flow has these words in its title; with `is_of_flow`, in its examples.
    """
    content = [word for word in rest.folded if word not in FUNCTION_WORDS]
    if not 0 < len(content) <= MAX_SLOT_WORDS:
        return None
    matching_slots = [slot for slot in slots if all(_is_word_of(word, slot) for word in content)]
    slots_by_name = [slot for slot in matching_slots if any(fuzzy_in(word, _name_words(slot)) for word in content)]
    exact_slots = [slot for slot in slots_by_name if not set(content).isdisjoint(_name_words(slot))]
    if exact_slots or not (_is_flow_title(content, rest) or (is_of_flow and _is_flow_word(content, rest))):
        return next(iter((*exact_slots, *slots_by_name, *matching_slots)), None)
    return None


def _name_words(slot: Slot) -> Sequence[str]:
    return folded_words(slot.name.rpartition(".")[2].replace("_", " "))


def _is_flow_title(content: Sequence[str], utterance: Utterance) -> bool:
    titles = {
        word
        for flow_index in utterance.open_flows()
        for word in folded_words(in_every_language(flow_index.flow.title or ""))
    }
    return any(fuzzy_in(word, titles) for word in content)


def _is_flow_word(content: Sequence[str], utterance: Utterance) -> bool:
    return any(word in flow_index.vocabulary for flow_index in utterance.open_flows() for word in content)
