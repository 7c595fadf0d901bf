"""The awaited value inside a sentence, with others beside it: "I need it from the 11th, and for two people"."""

from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot
from dialogue.engine.slots.models import Option, Slot
from dialogue.nlu.readers.corrections import begins_as_correction, find_named_slots, names_slot
from dialogue.nlu.readers.intents import classify_intent
from dialogue.nlu.readers.whole_answers import has_negation, question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text
from dialogue.nlu.slots.extraction import SlotValue, extract_values, slot_words
from dialogue.nlu.slots.options import find_options
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_equal

# How much liker a message that holds the awaited value must be to another request than one that holds none.
ANSWER_INCREASE = 0.15
MAX_ANSWER_TOKENS = 48
# How near in meaning an option must be, and how much nearer than the next.
MIN_OPTION_SIMILARITY, MIN_OPTION_LEAD = 0.40, 0.05
MIN_OPTIONS, MAX_OPTION_WORDS = 2, 3


def read_answer_in_sentence(utterance: Utterance) -> tuple[Command, ...]:
    """Commands that set the awaited slot and what else is said of its flow; none where something else is wanted."""
    slot, flow_index = utterance.awaited_slot, utterance.running_flow
    if slot is None or flow_index is None or is_free_text(slot) or len(utterance.tokens) > MAX_ANSWER_TOKENS:
        return ()
    if _asks(utterance) or begins_as_correction(utterance):
        return ()
    values = extract_values(flow_index, utterance)
    own = [value for value in values if value.slot.name == slot.name]
    if not own or _is_elsewhere(own[0], utterance) or _is_of_another(slot, utterance):
        return ()
    return (SetSlot(slot.name, own[0].value, own[0].words), *_others(values, flow_index, utterance))


def _asks(utterance: Utterance) -> bool:
    """A question, unless it is a polite wish: "can you look on Friday?"."""
    polite = prefix_length(utterance.folded, utterance.lexicon.acts.openers, utterance.lexicon.acts.fillers)
    return utterance.is_question and not polite


def _is_of_another(slot: Slot, utterance: Utterance) -> bool:
    """Is another slot named, and this one not?"""
    filled = [
        each
        for flow_index in utterance.open_flows()
        for each in flow_index.slots
        if utterance.is_filled(flow_index, each)
    ]
    named = find_named_slots(utterance.folded, filled)
    others = [each for each in named if not slot_words(each) <= slot_words(slot)]
    asked = question_words(slot, utterance) - FUNCTION_WORDS
    return bool(others) and not any(fuzzy_equal(word, own) for word in utterance.folded for own in asked)


def _is_elsewhere(own: SlotValue, utterance: Utterance) -> bool:
    """Does the message ask for another flow with words that neither the question nor the running flow explains?"""
    wanted = classify_intent(utterance, extra_threshold=ANSWER_INCREASE)
    standing = {flow_index.name for flow_index in utterance.open_flows()}
    if wanted is None or not wanted.decided or wanted.name in standing:
        return False
    return bool(unexplained_words(own, utterance))


def unexplained_words(own: SlotValue, utterance: Utterance) -> list[str]:
    """The content words beside a value that neither its question nor the running flow uses."""
    known = question_words(own.slot, utterance) | (
        utterance.running_flow.vocabulary if utterance.running_flow else frozenset()
    )
    known |= small_words(utterance.lexicon)
    rest = [token.folded for token in utterance.tokens if not own.span.start <= token.start < own.span.end]
    return [word for word in rest if not any(fuzzy_equal(word, each) for each in known)]


def _others(values: Sequence[SlotValue], flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """Empty slots are set; a filled one changes only where its name is beside the new value."""
    awaited = utterance.awaited_slot
    for value in values:
        if awaited is not None and value.slot.name == awaited.name:
            continue
        command = CorrectSlot(value.slot.name, value.value, value.words)
        if not utterance.is_filled(flow_index, value.slot):
            yield SetSlot(value.slot.name, value.value, value.words)
        elif names_slot([command], flow_index, utterance) or value.slot.type == "choice":
            yield command


def read_similar_option(utterance: Utterance) -> Command | None:
    """ "A concert" for music: the option that is clearly nearest in meaning, where the extra knows meanings."""
    slot, likeness = utterance.awaited_slot, utterance.assistant_index.similarities
    if slot is None or likeness is None or len(slot.options) < MIN_OPTIONS or _asks(utterance):
        return None
    meant = _content(slot, utterance)
    if (
        not meant
        or _wants_another(utterance)
        or has_negation(utterance.folded, utterance.lexicon)
        or find_options(slot, utterance.tokens)
    ):
        return None
    near = sorted(
        zip(likeness(meant, [_sense(option) for option in slot.options]), slot.options, strict=True), key=_share
    )
    (second, _), (best, option) = near[-2:]
    return (
        SetSlot(slot.name, option.value, meant)
        if best >= MIN_OPTION_SIMILARITY and best - second >= MIN_OPTION_LEAD
        else None
    )


def _share(pair: tuple[float, Option]) -> float:
    return pair[0]


def _sense(option: Option) -> str:
    return f"{option.label} {' '.join(option.synonyms)}".strip()


def _content(slot: Slot, utterance: Utterance) -> str:
    """The few words that neither the question nor politeness explains."""
    known = small_words(utterance.lexicon) | question_words(slot, utterance) - {
        word for each in slot.options for word in folded_words(each.label)
    }
    left = [token for token in utterance.tokens if not any(fuzzy_equal(token.folded, each) for each in known)]
    return " ".join(token.text for token in left) if len(left) <= MAX_OPTION_WORDS else ""


def _wants_another(utterance: Utterance) -> bool:
    wanted = classify_intent(utterance, extra_threshold=ANSWER_INCREASE)
    return (
        wanted is not None
        and wanted.decided
        and wanted.name not in {flow_index.name for flow_index in utterance.open_flows()}
    )
