"""Requests: the flows that a message starts, one or several, and the topics that it asks about."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from dialogue.engine.ports.commands import Clarify, Command, Digress, SetSlot, StartFlow
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.choosing.choices import resolved_words
from dialogue.nlu.readers.clearing import read_left_out
from dialogue.nlu.readers.corrections import find_named_slots
from dialogue.nlu.readers.flow_commands import read_offer, text_behind
from dialogue.nlu.readers.free_text_check import cue_words
from dialogue.nlu.readers.intents import (
    IntentPrediction,
    classify_intent,
    is_accepted,
    is_running_flow,
    is_topic,
    is_topic_in_correction,
    only_asks_for,
    shares_word_with_topic,
    threshold_increase,
)
from dialogue.nlu.readers.proposal import EXPLICIT_CONFIDENCE, LIKELY_CONFIDENCE, Proposal
from dialogue.nlu.readers.several_runs import repeated_values
from dialogue.nlu.readers.slot_updates import is_stray_number, value_commands, with_name_slots
from dialogue.nlu.readers.whole_answers import calendar_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, is_free_text, needed_flows
from dialogue.nlu.slots.choices import words_of_choice
from dialogue.nlu.slots.extraction import SlotValue, extract_values
from dialogue.nlu.slots.extractors import find_separate_values
from dialogue.nlu.slots.typed.options import find_options
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length

SENTENCE_END = re.compile(r"[.;!?\n]\s+")
# Each cut is classified on both sides, so their number is bounded.
MAX_REQUESTS = 3
MAX_CUTS = 6
MAX_SPLIT_TOKENS = 60

Cut = tuple[Utterance, Utterance, bool]


def read_several_requests(utterance: Utterance) -> Proposal | None:
    """ "Renew L1234 and then pay 5": each part is a request of its own, for another flow each."""
    parts = _split_requests(utterance) if len(utterance.tokens) <= MAX_SPLIT_TOKENS else []
    if len(parts) < 2:
        return None
    commands = tuple(command for part, intent in parts for command in _start_commands(intent, part))
    return Proposal(commands, min(intent.score for _, intent in parts))


def read_offered_flow(utterance: Utterance) -> Proposal | None:
    """ "Yes, at 4:45 please": a flow picked from those offered, with the values that come along."""
    command = read_offer(utterance)
    if not isinstance(command, StartFlow):
        return Proposal((command,), EXPLICIT_CONFIDENCE) if command else None
    values = extract_values(utterance.assistant_index.flows[command.flow], utterance)
    formed_values = [value for value in values if not is_free_text(value.slot)]
    return Proposal(
        (command, *(SetSlot(value.slot.name, value.value, value.words) for value in formed_values)), EXPLICIT_CONFIDENCE
    )


def read_vague_request(utterance: Utterance) -> Proposal | None:
    """ "Something about my card or my account": a subject without a wish; offer the flows about it."""
    rest = text_behind(utterance, utterance.lexicon.cues.vague_openings)
    intent = classify_intent(rest) if rest is not None else None
    if intent is None or len(intent.likely_flows) < 2:
        return None
    return Proposal((Clarify(intent.likely_flows),), LIKELY_CONFIDENCE)


def read_request(utterance: Utterance) -> Proposal | None:
    """A flow to start, or a question that the knowledge answers."""
    intent = classify_intent(utterance, extra_threshold=threshold_increase(utterance))
    if intent is None or not intent.decided:
        return None
    if is_topic(intent):
        is_not_asked = _asks_about_another_topic(intent, utterance) or is_topic_in_correction(intent, utterance)
        return None if is_not_asked else Proposal((Digress("question", intent.name),), intent.score)
    if _says_only_values(utterance.assistant_index.flows[intent.name], utterance):
        return None
    if is_running_flow(intent, utterance):
        return _update_running_flow(utterance.running_flow, utterance, intent) if utterance.running_flow else None
    return Proposal(tuple(_start_commands(intent, utterance)), intent.score, is_story=intent.indirect)


def _says_only_values(flow_index: FlowIndex, utterance: Utterance) -> bool:
    """ "Friday or Saturday", "at the weekend", "if it's free", while a question is open: values, times and conditions
    ask for no other flow.
    """
    if utterance.context.awaited is None or not utterance.has_open_flow:
        return False
    if prefix_length(utterance.folded, utterance.lexicon.cues.conditions):
        return True
    spans = [span for spans in find_separate_values(flow_index.slots, utterance).values() for span in spans]
    rest = [token.folded for token in utterance.tokens_outside(spans) if not token.text.isdigit()]
    times = calendar_words(utterance.lexicon) | utterance.lexicon.calendar.time_words
    known_words = FUNCTION_WORDS | times | cue_words(utterance)
    return bool(spans or not times.isdisjoint(rest)) and known_words.issuperset(rest)


def read_doubtful_request(utterance: Utterance) -> Proposal | None:
    """Offer the flows that may be meant, unless a later component of the pipeline decides."""
    slot = utterance.awaited_slot
    intent = classify_intent(utterance)
    if intent is None or (slot is not None and is_free_text(slot)):
        return None
    flow_indexes = utterance.assistant_index.flows
    flows = tuple(
        flow
        for flow in intent.likely_flows
        if (utterance.running_flow is None or flow != utterance.running_flow.name)
        and not _says_only_values(flow_indexes[flow], utterance)
    )
    return Proposal((Clarify(flows),), intent.score, decided=False) if flows else None


def _split_requests(
    utterance: Utterance, depth: int = 1, *, clear: bool = False
) -> list[tuple[Utterance, IntentPrediction]]:
    """Return the requests of a message in order, or the message alone when it cannot be cut into sure ones."""
    for head, tail, is_clear_end in islice(_ordered_cuts(utterance), MAX_CUTS if depth < MAX_REQUESTS else 0):
        first = _split_requests(head, depth + 1, clear=is_clear_end)
        # Reading a part takes a run of the sentence model: the tail only counts behind a request.
        following = _split_requests(tail, depth + 1, clear=is_clear_end) if first else []
        if following and _intent_names(first).isdisjoint(_intent_names(following)):
            return [*first, *following]
    sole_request = _flow_request(utterance, clear=clear)
    return [(utterance, sole_request)] if sole_request else []


def _intent_names(parts: Sequence[tuple[Utterance, IntentPrediction]]) -> set[str]:
    return {intent.name for _, intent in parts}


def _flow_request(utterance: Utterance, *, clear: bool) -> IntentPrediction | None:
    """Return the request for a flow, or None. Behind a mere "and" it must reach the accept threshold."""
    politeness = prefix_length(utterance.folded, utterance.lexicon.acts.yes, utterance.lexicon.acts.fillers)
    if set(utterance.folded[politeness:]) <= FUNCTION_WORDS:
        return None
    intent = classify_intent(utterance, extra_threshold=threshold_increase(utterance))
    if intent is None or not intent.decided or is_topic(intent):
        return None
    return intent if (clear and not utterance.has_open_flow) or is_accepted(intent, utterance) else None


def _ordered_cuts(utterance: Utterance) -> Iterator[Cut]:
    """Yield cuts between capitals last, the rear ones first: "to Larch and Sons and block my card"."""
    cuts = list(_possible_cuts(utterance))
    doubtful = [cut for cut in cuts if _may_cut_name(cut)]
    yield from (cut for cut in cuts if not _may_cut_name(cut))
    yield from sorted(doubtful, key=lambda cut: -len(cut[0].text))


def _may_cut_name(cut: Cut) -> bool:
    head, tail, is_clear_end = cut
    return not is_clear_end and head.tokens[-1].text[:1].isupper() and tail.tokens[0].text[:1].isupper()


def _possible_cuts(utterance: Utterance) -> Iterator[Cut]:
    """Yield both sides of each place where a request may end, and whether it clearly ends there."""
    for match in SENTENCE_END.finditer(utterance.text):
        yield (
            utterance.with_text(utterance.text[: match.start()]),
            utterance.with_text(utterance.text[match.end() :]),
            True,
        )
    for phrase in (sequence for sequence in utterance.lexicon.cues.sequences if sequence[0] in utterance.folded):
        for index in range(1, len(utterance.folded) - len(phrase)):
            if utterance.folded[index : index + len(phrase)] == phrase:
                before, after = utterance.tokens[index - 1].end, utterance.tokens[index + len(phrase)].start
                yield (
                    utterance.with_text(utterance.text[:before]),
                    utterance.with_text(utterance.text[after:]),
                    len(phrase) > 1,
                )


def _asks_about_another_topic(topic: IntentPrediction, utterance: Utterance) -> bool:
    """ "Is there a cafeteria?" shares no content word with the topic "Is there parking?"."""
    is_asked = text_behind(utterance, utterance.lexicon.cues.house_questions)
    return bool(is_asked) and not shares_word_with_topic(topic, utterance)


def _start_commands(intent: IntentPrediction, utterance: Utterance) -> Iterator[Command]:
    flow_index = utterance.assistant_index.flows[intent.name]
    repeated = repeated_values(flow_index, utterance)
    repeated_slots = {value.slot.name for value in repeated}
    values = [value for value in extract_values(flow_index, utterance) if value.slot.name not in repeated_slots]
    # Without several values of one slot there is a single run.
    for number, run in enumerate([(value,) for value in repeated] or [()]):
        yield StartFlow(intent.name)
        for value in (*run, *values):
            yield from _value_commands(value, utterance)
        yield from read_left_out(flow_index, utterance)
        if number == 0:
            yield from _choices_said_ahead(flow_index, values, utterance)
            yield from _values_for_needs(intent.name, [*repeated, *values], utterance)


def _value_commands(value: SlotValue, utterance: Utterance) -> Iterator[Command]:
    if value.slot.options_from is not None:
        yield from resolved_words(value.slot, value.words, utterance)
    else:
        yield SetSlot(value.slot.name, value.value, value.words)


def _choices_said_ahead(flow_index: FlowIndex, values: Sequence[SlotValue], utterance: Utterance) -> Iterator[Command]:
    """ "Cancel the order with the lamp": the words for a choice from data, which the engine resolves."""
    slots = [slot for slot in flow_index.slots if slot.options_from is not None]
    slots = [slot for slot in slots if slot.name not in {value.slot.name for value in values}]
    named_slots = find_named_slots(utterance.folded, slots) if len(slots) > 1 else slots
    for slot in named_slots[:1]:
        words = words_of_choice(slot, flow_index, utterance)
        is_value = any(value.words and value.words in words for value in values)
        if words and not is_value:
            yield from _runs_for(slot, words, flow_index, utterance)


def _runs_for(slot: Slot, words: str, flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """ "Cancel W1 and W2": codes that are joined start the flow once each; a list slot takes them together."""
    pieces = [piece.strip() for piece in _joined_pieces(words, utterance) if piece.strip()]
    are_codes = len(pieces) > 1 and all(any(character.isdigit() for character in piece) for piece in pieces)
    runs = pieces if are_codes and slot.type != "list" else [words]
    for number, run in enumerate(runs):
        if number:
            yield StartFlow(flow_index.name)
        yield from resolved_words(slot, run, utterance)


def _joined_pieces(words: str, utterance: Utterance) -> Iterator[str]:
    start = 0
    for token in utterance.with_text(words).tokens:
        if token.folded in utterance.lexicon.cues.joining_words:
            yield words[start : token.start].strip(" ,")
            start = token.end
    yield words[start:].strip(" ,")


def _values_for_needs(flow: str, own_values: Sequence[SlotValue], utterance: Utterance) -> Iterator[Command]:
    """ "Cancel W1, I am mia@example.com": values with a form of their own for the flows that this one needs."""
    spans, names = [value.span for value in own_values], {value.slot.name for value in own_values}
    for needed in needed_flows(flow, utterance.assistant_index):
        flow_index = utterance.assistant_index.flows[needed]
        for value in extract_values(flow_index.without_free_text, utterance):
            is_free = value.slot.name not in names and not any(map(value.span.overlaps, spans))
            if is_free and not utterance.is_filled(flow_index, value.slot):
                spans.append(value.span)
                names.add(value.slot.name)
                yield SetSlot(value.slot.name, value.value, value.words)


def _update_running_flow(flow_index: FlowIndex, utterance: Utterance, intent: IntentPrediction) -> Proposal | None:
    """Return values for the running flow. The same request again, without values, answers no open question."""
    commands = tuple(
        command
        for command in value_commands(flow_index, utterance)
        if not is_stray_number(command, flow_index, utterance)
    )
    commands = with_name_slots(commands, utterance, sole=True)
    if commands:
        return Proposal(commands, intent.score)
    slot = utterance.awaited_slot
    if slot is not None and is_free_text(slot):
        return Proposal((StartFlow(flow_index.name),), intent.score) if only_asks_for(flow_index, utterance) else None
    if slot is not None and (find_options(slot, utterance.tokens) or not is_accepted(intent, utterance)):
        return None
    return Proposal((StartFlow(flow_index.name),), intent.score)
