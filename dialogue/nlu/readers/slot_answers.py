"""The awaited value inside a sentence, with others beside it: "I need it from the 11th, and for two people"."""

from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot
from dialogue.engine.slots.definitions.options import Option
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.heads.span_extractor import ScoredSpan
from dialogue.nlu.readers.corrections import begins_as_correction, find_named_slots, names_slot
from dialogue.nlu.readers.free_text_check import CONTACT_TYPES, free_text_objection, is_narrative, is_title
from dialogue.nlu.readers.intents import classify_intent, is_outside_open_flows
from dialogue.nlu.readers.whole_answers import calendar_words, has_negation, question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, has_pattern, is_free_text
from dialogue.nlu.slots.extraction import SlotValue, extract_values
from dialogue.nlu.slots.people_counts import counts_people
from dialogue.nlu.slots.routes import route_spans
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.text_spans import scored_spans
from dialogue.nlu.slots.typed.options import find_options, option_texts
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.similarity import word_stem
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

# A message that holds the awaited value asks for another flow only with a score this much higher.
ANSWER_INCREASE = 0.15
# A longer message tells a story rather than answers.
MAX_ANSWER_TOKENS = 48
# How near in meaning an option must be, and how much nearer than the next.
MIN_OPTION_SIMILARITY, MIN_OPTION_LEAD = 0.40, 0.05
# The same for words of which the option has none: what is opposite is near in meaning too.
MIN_OTHER_SIMILARITY, MIN_OTHER_LEAD = 0.60, 0.20
MIN_OPTIONS, MAX_OPTION_WORDS = 2, 3
# From this score on the extractor's words are the awaited text, and those of other slots no part of it.
MIN_MARKED_SCORE = 0.85


def read_answer_in_sentence(utterance: Utterance) -> tuple[Command, ...]:
    """Return commands that set the awaited slot and others of its flow; () where something else is wanted."""
    slot, flow_index = utterance.awaited_slot, utterance.running_flow
    if slot is None or flow_index is None or is_free_text(slot) or len(utterance.tokens) > MAX_ANSWER_TOKENS:
        return ()
    if _is_plain_question(utterance) or begins_as_correction(utterance):
        return ()
    values = extract_values(flow_index, utterance)
    awaited_values = [value for value in values if value.slot.name == slot.name]
    if not awaited_values or _asks_for_other_flow(awaited_values[0], utterance) or _names_other_slot(slot, utterance):
        return ()
    return (
        SetSlot(slot.name, awaited_values[0].value, awaited_values[0].words),
        *_other_slot_commands(values, flow_index, utterance),
    )


def read_marked_answer(utterance: Utterance) -> tuple[Command, ...]:
    """ "A19 and I'll be out by the 15th": return commands where the extractor is sure of the awaited text and of more.

    () where only one slot has a value, and where other words are left.
    """
    slot, flow_index = utterance.awaited_slot, utterance.running_flow
    if slot is None or flow_index is None or not is_free_text(slot) or is_narrative(slot, utterance):
        return ()
    route = _route_answer(slot, flow_index, utterance)
    if route:
        return route
    if utterance.is_question or is_title(utterance) or not utterance.context.language.startswith("en"):
        return ()
    marked = [span for span in scored_spans(flow_index, utterance) if span.score >= MIN_MARKED_SCORE]
    answers = [span for span in marked if span.slot == slot.name]
    values = [value for value in extract_values(flow_index, utterance) if value.slot.name != slot.name]
    others = [value for value in values if any(_is_marked(value, span) for span in marked)]
    if (
        len(answers) != 1
        or not others
        or any(value.span.start < answers[0].end and answers[0].start < value.span.end for value in others)
    ):
        return ()
    spans = [Span(answers[0].start, answers[0].end, None), *(value.span for value in others)]
    known_words = small_words(utterance.lexicon) | question_words(slot, utterance)
    if any(token.folded not in known_words for token in utterance.tokens_outside(spans)):
        return ()
    text = utterance.text[answers[0].start : answers[0].end]
    if free_text_objection(text, slot, utterance):
        return ()
    return (SetSlot(slot.name, text, text), *_other_slot_commands(others, flow_index, utterance))


def _route_answer(slot: Slot, flow_index: FlowIndex, utterance: Utterance) -> tuple[Command, ...]:
    """ "From Chester to Derby", where one of the two places is asked for and all words are values."""
    if slot.name not in route_spans(flow_index.slots, utterance, ()):
        return ()
    values = extract_values(flow_index, utterance)
    answers = [value for value in values if value.slot.name == slot.name]
    known_words = small_words(utterance.lexicon) | question_words(slot, utterance)
    rest = utterance.tokens_outside([value.span for value in values])
    if not answers or any(token.folded not in known_words for token in rest):
        return ()
    answer = SetSlot(slot.name, answers[0].value, answers[0].words)
    return (answer, *_other_slot_commands(values, flow_index, utterance))


def _is_marked(value: SlotValue, span: ScoredSpan) -> bool:
    return value.slot.name == span.slot and value.span.start < span.end and span.start < value.span.end


def _is_plain_question(utterance: Utterance) -> bool:
    """A question, unless it is a polite wish: "can you look on Friday?"."""
    polite = prefix_length(utterance.folded, utterance.lexicon.acts.openers, utterance.lexicon.acts.fillers)
    return utterance.is_question and not polite


def _names_other_slot(slot: Slot, utterance: Utterance) -> bool:
    """Return whether the message names another filled slot, and not the awaited one."""
    filled_slots = [
        slot_of_flow
        for flow_index in utterance.open_flows()
        for slot_of_flow in flow_index.slots
        if utterance.is_filled(flow_index, slot_of_flow)
    ]
    named_slots = find_named_slots(utterance.folded, filled_slots)
    others = [slot_of_flow for slot_of_flow in named_slots if not slot_words(slot_of_flow) <= slot_words(slot)]
    question_content = question_words(slot, utterance) - FUNCTION_WORDS
    return bool(others) and not any(fuzzy_in(word, question_content) for word in utterance.folded)


def _asks_for_other_flow(value: SlotValue, utterance: Utterance) -> bool:
    """Does the message ask for another flow with words that neither the question nor the running flow explains?"""
    return _is_decided_for_other_flow(utterance) and bool(unexplained_words(value, utterance))


def unexplained_words(value: SlotValue, utterance: Utterance) -> list[str]:
    """Return the content words beside a value that neither its question nor the running flow uses."""
    known_words = question_words(value.slot, utterance) | (
        utterance.running_flow.vocabulary if utterance.running_flow else frozenset()
    )
    known_words |= small_words(utterance.lexicon)
    rest = [token.folded for token in utterance.tokens if not value.span.start <= token.start < value.span.end]
    return [word for word in rest if not fuzzy_in(word, known_words)]


def _other_slot_commands(values: Sequence[SlotValue], flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """Yield SetSlot for empty slots, and CorrectSlot only where the message names the filled slot."""
    awaited = utterance.awaited_slot
    for value in values:
        if awaited is not None and value.slot.name == awaited.name:
            continue
        command = CorrectSlot(value.slot.name, value.value, value.words)
        is_named = names_slot([command], flow_index, utterance)
        if awaited is not None and not is_named and _is_number_beside_contact(value, awaited, utterance):
            continue
        if not utterance.is_filled(flow_index, value.slot):
            yield SetSlot(value.slot.name, value.value, value.words)
        elif is_named or value.slot.type == "choice":
            yield command


def _is_number_beside_contact(value: SlotValue, awaited: Slot, utterance: Utterance) -> bool:
    """ "0 double seven 900123": a number beside an address, a telephone number or a code is mostly a part of it."""
    is_contact = awaited.type in CONTACT_TYPES or has_pattern(awaited)
    is_counted = counts_people(value.span, utterance) or value.slot.type == "money"
    return is_contact and value.slot.type in NUMBER_TYPES and not is_counted


def read_similar_option(utterance: Utterance) -> Command | None:
    """ "A concert" for music: return SetSlot for the option clearly nearest in meaning, or None.

    Needs the extra `embedded`.
    """
    slot, similarities = utterance.awaited_slot, utterance.assistant_index.similarities
    if slot is None or similarities is None or len(slot.options) < MIN_OPTIONS or _is_plain_question(utterance):
        return None
    answer_text = _content_text(slot, utterance)
    if (
        not answer_text
        or _is_decided_for_other_flow(utterance)
        or has_negation(utterance.folded, utterance.lexicon)
        or (calendar_words(utterance.lexicon) | utterance.lexicon.numerals.ordinals.keys()).issuperset(
            folded_words(answer_text)
        )
        or find_options(slot, utterance.tokens)
    ):
        return None
    option_texts = [f"{option.label} {' '.join(option.synonyms)}".strip() for option in slot.options]
    scored_options = zip(similarities(answer_text, option_texts), slot.options, strict=True)
    (next_similarity, _), (best_similarity, option) = sorted(scored_options, key=lambda pair: pair[0])[-2:]
    least, lead = MIN_OPTION_SIMILARITY, MIN_OPTION_LEAD
    if not _shares_word(answer_text, option):
        # "Afternoon" is near "evening", and "outdoors" near "inside".
        least, lead = MIN_OTHER_SIMILARITY, MIN_OTHER_LEAD
    is_clear = best_similarity >= least and best_similarity - next_similarity >= lead
    return SetSlot(slot.name, option.value, answer_text) if is_clear else None


def _shares_word(text: str, option: Option) -> bool:
    stems = {word_stem(word) for word in folded_words(text)}
    return any(not stems.isdisjoint(map(word_stem, folded_words(each))) for each in option_texts(option))


def _content_text(slot: Slot, utterance: Utterance) -> str:
    """The few words that neither the question nor politeness explains."""
    option_words = {word for option in slot.options for word in folded_words(option.label)}
    known_words = small_words(utterance.lexicon) | question_words(slot, utterance) - option_words
    content_tokens = [token for token in utterance.tokens if not fuzzy_in(token.folded, known_words)]
    return " ".join(token.text for token in content_tokens) if len(content_tokens) <= MAX_OPTION_WORDS else ""


def _is_decided_for_other_flow(utterance: Utterance) -> bool:
    intent = classify_intent(utterance, extra_threshold=ANSWER_INCREASE)
    return intent is not None and intent.decided and is_outside_open_flows(intent, utterance)
