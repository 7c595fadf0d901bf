"""Values for the running flow: in sentences, corrected, new, described, or asked about."""

import re
from collections.abc import Iterator, Sequence

from dialogue.engine.ports.commands import Command, CorrectSlot, Digress, OfferChange, SetSlot
from dialogue.engine.ports.tasks import ConfirmTask, HandoffTask, HumanTask
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.readers.corrections import (
    begins_as_correction,
    corrected_text,
    has_correction_cue,
    names_awaited_slot,
    names_slot,
    read_correction,
    read_uncued_change,
)
from dialogue.nlu.readers.flow_commands import text_behind
from dialogue.nlu.readers.free_text import free_text_in_sentence
from dialogue.nlu.readers.free_text_check import (
    CONTACT_TYPES,
    free_text_objection,
    is_narrative,
    read_sole_value_of_others,
    read_values_of_others,
)
from dialogue.nlu.readers.intents import (
    FREE_TEXT_INCREASE,
    IntentPrediction,
    classify_intent,
    is_accepted,
    is_only_request,
    is_outside_open_flows,
    is_running_flow,
    is_topic,
    is_topic_in_correction,
    rank_intents,
    shares_word_with_topic,
    threshold_increase,
)
from dialogue.nlu.readers.name_slots import read_name_slots
from dialogue.nlu.readers.objects_and_lists import read_list, read_object
from dialogue.nlu.readers.pending_decisions import is_seen_by_staff
from dialogue.nlu.readers.proposal import (
    ANSWER_CONFIDENCE,
    CUED_CONFIDENCE,
    SENTENCE_CONFIDENCE,
    UNCUED_CONFIDENCE,
    WHOLE_MESSAGE_CONFIDENCE,
    Proposal,
)
from dialogue.nlu.readers.whole_answers import has_negation, question_words, text_behind_slot_name
from dialogue.nlu.readers.yes_no import read_wish
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, flow_label, is_free_text
from dialogue.nlu.slots.extraction import extract_values
from dialogue.nlu.slots.extractors import TYPES_BY_DISTINCTNESS, distinctness_rank, find_values
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import prefix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

SENTENCE = re.compile(r"[^.;!?\n]+(?:[.](?=\S)[^.;!?\n]+)*[.;!?]?")
# The message leaves the running flow, for which it has a value, only for a flow with so many times its score.
OTHER_FLOW_RATIO = 1.4
# A shorter answer to "What happened?" may be a value or a command.
MIN_NARRATIVE_TOKENS = 6
MAX_DOUBTFUL_WORDS = 4
# Types up to a telephone number hardly occur by chance beside another value.
PHONE_RANK = TYPES_BY_DISTINCTNESS.index("phone")


def read_narrative(utterance: Utterance) -> Proposal | None:
    """Take the whole message where sentences are asked for ("What happened?")."""
    slot = utterance.awaited_slot
    if slot is None or not is_narrative(slot, utterance) or len(utterance.tokens) < MIN_NARRATIVE_TOKENS:
        return None
    if (
        utterance.text.rstrip().endswith("?")
        or begins_as_correction(utterance)
        or free_text_objection(utterance.text, slot, utterance)
    ):
        return None
    intent = classify_intent(utterance, extra_threshold=FREE_TEXT_INCREASE)
    if intent and intent.decided and prefix_length(utterance.folded, utterance.lexicon.acts.openers):
        return None
    return Proposal((SetSlot(slot.name, utterance.text, utterance.text),), SENTENCE_CONFIDENCE)


def read_other_slots(utterance: Utterance) -> Proposal | None:
    """ "My IBAN is …" to the question for a name: values of the slots that the message is about."""
    slot = utterance.awaited_slot
    if slot is None or not is_free_text(slot) or utterance.is_question:
        return None
    commands = read_values_of_others(slot, utterance)
    if not commands:
        text = free_text_in_sentence(slot, utterance)
        commands = (
            read_sole_value_of_others(slot, utterance) if not text or free_text_objection(text, slot, utterance) else ()
        )
    return Proposal(commands, ANSWER_CONFIDENCE) if commands else None


def read_free_text(utterance: Utterance) -> Proposal | None:
    """The awaited text in a sentence, unless the message asks for another flow more clearly."""
    slot = utterance.awaited_slot
    if (
        slot is None
        or not is_free_text(slot)
        or utterance.running_flow is None
        or utterance.is_question
        or is_narrative(slot, utterance)
    ):
        return None
    intent = classify_intent(utterance, extra_threshold=FREE_TEXT_INCREASE)
    if is_only_request(utterance) or (
        intent and intent.decided and (is_topic(intent) or not is_running_flow(intent, utterance))
    ):
        return None
    text = free_text_in_sentence(slot, utterance)
    commands = (SetSlot(slot.name, text, text), *_further_commands((), utterance))
    return Proposal(commands, SENTENCE_CONFIDENCE) if text else None


def read_clear_correction(utterance: Utterance) -> Proposal | None:
    """A correction, unless the message asks for another flow more clearly than it corrects this one."""
    correction = read_correction(utterance) if utterance.has_open_flow else None
    if correction is None or not correction.explicit or (utterance.is_question and not _asks_and_corrects(utterance)):
        return None
    if names_awaited_slot(utterance) and not begins_as_correction(utterance):
        return None
    intent = classify_intent(utterance)
    # "Could you change the guests to 85?": at the confirm of what is being done, it is changed there.
    is_of_confirm = correction.names_slot and isinstance(utterance.context.awaited, ConfirmTask)
    if (
        intent
        and intent.decided
        and not is_of_confirm
        and is_outside_open_flows(intent, utterance)
        and is_accepted(intent, utterance)
        and not is_topic_in_correction(intent, utterance)
    ):
        return None
    commands = with_name_slots(correction.commands, utterance)
    return Proposal((*commands, *_further_commands(commands, utterance)), CUED_CONFIDENCE)


def read_doubtful_change(utterance: Utterance) -> Proposal | None:
    """ "I meant aspirin", while staff decide about a medicine: ask whether the text is meant for it."""
    if not utterance.awaits_staff or utterance.running_flow is None:
        return None
    free_slots = [
        slot
        for slot in utterance.running_flow.free_text_slots.values()
        if utterance.is_filled(utterance.running_flow, slot)
    ]
    text = corrected_text(utterance) if free_slots else ""
    if not text or len(folded_words(text)) > MAX_DOUBTFUL_WORDS:
        return None
    pending_slots = [slot for slot in free_slots if is_seen_by_staff(slot, utterance)]
    if len(pending_slots) != 1 or free_text_objection(text, pending_slots[0], utterance):
        return None
    return Proposal((OfferChange(pending_slots[0].name, text, text),), WHOLE_MESSAGE_CONFIDENCE)


def read_new_values(utterance: Utterance) -> Proposal | None:
    """New values for the running flow while nothing is asked for: "can you make that March 10th?", "any in Rome?"."""
    if (
        utterance.running_flow is None
        or utterance.offer_kind not in ("", "change")
        or _awaits_value_or_staff(utterance)
    ):
        return None
    if _is_other_intent(utterance):
        return None
    statement = utterance
    if not _is_statement(utterance):
        statements = [sentence.text for sentence in _split_sentences(utterance) if _is_statement(sentence)]
        statement = utterance.with_text(" ".join(statements))
    changes = (*read_uncued_change(utterance.running_flow, statement), *read_wish(utterance.running_flow, statement))
    changed = with_name_slots(changes, statement)
    commands = tuple(command for command in changed if not _is_part_of_old_text(command, utterance))
    return Proposal(commands, UNCUED_CONFIDENCE) if commands else None


def _is_part_of_old_text(command: Command, utterance: Utterance) -> bool:
    """ "Is Anna spelled with one n?" changes nothing where the name is Anna Berg."""
    flow_index = utterance.running_flow
    slot = flow_index.slot(getattr(command, "slot", "")) if flow_index is not None else None
    if flow_index is None or slot is None or not is_free_text(slot) or not utterance.is_question:
        return False
    old_words = folded_words(utterance.filled_text(flow_index, slot) or "")
    return set(folded_words(str(getattr(command, "value", "")))) <= set(old_words)


def read_object_or_list(utterance: Utterance) -> Proposal | None:
    """An object or a list, when one is asked for."""
    slot = utterance.awaited_slot
    is_choice = slot is not None and slot.options_from is not None
    if slot is None or is_choice or slot.type not in ("object", "list") or utterance.is_question:
        return None
    intent = classify_intent(utterance, extra_threshold=FREE_TEXT_INCREASE)
    if intent and intent.decided:
        return None
    text = text_behind_slot_name(slot, utterance)
    value = dict(read_object(slot, utterance.with_text(text))) if slot.type == "object" else read_list(slot, utterance)
    return Proposal((SetSlot(slot.name, value, utterance.text),), ANSWER_CONFIDENCE) if value else None


def read_slot_question(utterance: Utterance) -> Proposal | None:
    """A question about the awaited value: "what is an IBAN?"."""
    if utterance.awaited_slot is None or utterance.running_flow is None or not utterance.is_question:
        return None
    content = [
        word
        for word in utterance.folded
        if word not in FUNCTION_WORDS and word not in utterance.lexicon.cues.explaining_words
    ]
    intent = classify_intent(utterance)
    is_other = intent is not None and intent.decided and not is_running_flow(intent, utterance)
    # A topic comes before the explanation of the slot only where it speaks of the same.
    if not content or (
        intent and is_other and not (is_topic(intent) and not shares_word_with_topic(intent, utterance))
    ):
        return None
    named_slots = [slot for slot in utterance.running_flow.slots if slot.name in content]
    for slot in (utterance.awaited_slot, *named_slots):
        if _is_about_slot(slot, content, utterance):
            return Proposal((Digress("clarification", slot.name),), ANSWER_CONFIDENCE)
    return None


def _is_clearly_other(intent: IntentPrediction, utterance: Utterance) -> bool:
    """Return whether the question asks for another flow, or for a topic that speaks of the same thing."""
    if is_topic(intent):
        return shares_word_with_topic(intent, utterance)
    return not is_running_flow(intent, utterance)


def read_values(utterance: Utterance) -> Proposal | None:
    """Values of the running flow beside other words, while a value is asked for."""
    if utterance.running_flow is None or utterance.is_question or has_negation(utterance.folded, utterance.lexicon):
        return None
    slot = utterance.awaited_slot
    if slot is not None and is_free_text(slot):
        return _free_text_with_values(utterance.running_flow, utterance)
    changed = _correction_commands(utterance)
    changed_slots = {getattr(command, "slot", "") for command in changed}
    new_commands = [
        command
        for command in value_commands(utterance.running_flow, utterance)
        if getattr(command, "slot", "") not in changed_slots
    ]
    commands = tuple(
        command
        for command in (*changed, *new_commands)
        if not is_stray_number(command, utterance.running_flow, utterance)
        and not _is_end_of_range(command, utterance.running_flow, utterance)
        and not _changes_text_by_chance(command, utterance.running_flow, utterance)
    )
    return Proposal(commands, UNCUED_CONFIDENCE) if commands else None


def _changes_text_by_chance(command: Command, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """ "Sold it in spring", while a yes or no is asked for: without a cue or its name no filled text is changed."""
    slot = flow_index.slot(getattr(command, "slot", ""))
    if slot is None or utterance.awaited_slot is None or not is_free_text(slot):
        return False
    is_meant = has_correction_cue(utterance) or names_slot([command], flow_index, utterance)
    return utterance.is_filled(flow_index, slot) and not is_meant


def _is_end_of_range(command: Command, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """ "From Monday to Wednesday", where Monday is the day that is known: Wednesday replaces nothing."""
    slot = flow_index.slot(getattr(command, "slot", ""))
    if not isinstance(command, CorrectSlot) or slot is None or slot.type not in ("date", "time", "datetime"):
        return False
    values = {str(span.value) for span in find_values(slot, utterance)}
    old_text = utterance.with_text(utterance.filled_text(flow_index, slot) or "")
    return len(values) > 1 and any(str(span.value) in values for span in find_values(slot, old_text))


def with_name_slots(commands: Sequence[Command], utterance: Utterance, *, sole: bool = False) -> tuple[Command, ...]:
    """Return the commands, with the names in the message for the slots that their leading words show."""
    name_commands = (
        tuple(read_name_slots(utterance.running_flow, utterance, sole=sole))
        if utterance.running_flow and utterance.awaited_slot is None
        else ()
    )
    texts = [getattr(name, "words", "") for name in name_commands]
    slots = {getattr(name, "slot", "") for name in name_commands}
    other_commands = [command for command in commands if getattr(command, "slot", "") not in slots]
    whole_commands = [
        command for command in other_commands if not any(text in getattr(command, "words", "") for text in texts)
    ]
    return (*whole_commands, *name_commands)


def _further_commands(commands: Sequence[Command], utterance: Utterance) -> Iterator[Command]:
    """Yield values for empty slots in the same message: "make it audio, and send it to mia@…"."""
    known_names = {getattr(command, name, "") for command in commands for name in ("slot", "words")}
    for value in extract_values(utterance.running_flow, utterance) if utterance.running_flow else ():
        has_clear_form = not is_free_text(value.slot) and distinctness_rank(value.slot) <= PHONE_RANK
        is_new = utterance.running_flow is not None and not utterance.is_filled(utterance.running_flow, value.slot)
        if has_clear_form and is_new and known_names.isdisjoint({value.slot.name, value.words}):
            yield SetSlot(value.slot.name, value.value, value.words)


def _split_sentences(utterance: Utterance) -> Iterator[Utterance]:
    return (utterance.with_text(match.group().strip()) for match in SENTENCE.finditer(utterance.text))


def _awaits_value_or_staff(utterance: Utterance) -> bool:
    """Does a question wait for a value, or staff for a decision? Chance words must not change their request."""
    return utterance.awaited_slot is not None or isinstance(utterance.context.awaited, HumanTask | HandoffTask)


def _is_statement(utterance: Utterance) -> bool:
    """No question, or one that asks for something; nothing that says what is not to be."""
    acts, cues = utterance.lexicon.acts, utterance.lexicon.cues
    refused = prefix_length(utterance.folded, acts.no)
    wishing = (acts.openers, acts.fillers, acts.yes, acts.no, cues.house_questions, cues.corrections)
    if utterance.is_question and not prefix_length(utterance.folded, *wishing):
        return False
    return has_correction_cue(utterance) or not has_negation(utterance.folded[refused:], utterance.lexicon)


def _is_other_intent(utterance: Utterance) -> bool:
    """Return whether another flow or topic is asked for, and the running one is much less similar."""
    intent = classify_intent(utterance, extra_threshold=threshold_increase(utterance))
    if (
        intent is None
        or not intent.decided
        or is_running_flow(intent, utterance)
        or is_topic_in_correction(intent, utterance)
        or _names_only_place(utterance)
    ):
        return False
    running_score = next(
        (
            match.score
            for match in rank_intents(utterance)
            if utterance.running_flow and match.label == flow_label(utterance.running_flow.name)
        ),
        0.0,
    )
    return intent.score > OTHER_FLOW_RATIO * running_score


def _names_only_place(utterance: Utterance) -> bool:
    """ "Is there any in San Jose?" names nothing but the place."""
    return bool(text_behind(utterance, utterance.lexicon.cues.house_questions)) and all(
        word in FUNCTION_WORDS
        for word, token in zip(utterance.folded, utterance.tokens, strict=True)
        if token.text[:1].islower()
    )


def _asks_and_corrects(utterance: Utterance) -> bool:
    """ "Can you make it 9000?" asks and corrects at once."""
    return any(isinstance(command, CorrectSlot) for command in _correction_commands(utterance))


def _correction_commands(utterance: Utterance) -> tuple[Command, ...]:
    correction = read_correction(utterance)
    commands = correction.commands if correction else ()
    # "I lost it, but it was in May" does not replace what happened.
    is_named = correction is not None and (correction.names_slot or begins_as_correction(utterance))
    return tuple(command for command in commands if is_named or not _sets_narrative(command, utterance))


def _sets_narrative(command: Command, utterance: Utterance) -> bool:
    slots = (flow_index.slot(getattr(command, "slot", "")) for flow_index in utterance.open_flows())
    return any(slot is not None and is_narrative(slot, utterance) for slot in slots)


def _is_about_slot(slot: Slot, content: Sequence[str], utterance: Utterance) -> bool:
    slot_words_known = (
        question_words(slot, utterance) if slot == utterance.awaited_slot else slot_words(slot)
    ) - FUNCTION_WORDS
    return all(fuzzy_in(word, slot_words_known) for word in content)


def value_commands(flow_index: FlowIndex, utterance: Utterance) -> Iterator[Command]:
    """Yield SetSlot for empty slots and CorrectSlot for filled ones, for all values in the message."""
    for value in extract_values(flow_index, utterance):
        kind = CorrectSlot if utterance.is_filled(flow_index, value.slot) else SetSlot
        yield kind(value.slot.name, value.value, value.words)


def is_stray_number(command: Command, flow_index: FlowIndex, utterance: Utterance) -> bool:
    """A number beside an answer ("14 December at 8") changes no other filled number, unless it names its slot.

    Beside a telephone number or the like, it fills none either.
    """
    awaited = utterance.awaited_slot
    is_contact = awaited is not None and awaited.type in CONTACT_TYPES
    if awaited is None or not isinstance(command, CorrectSlot | SetSlot if is_contact else CorrectSlot):
        return False
    slot = flow_index.slot(command.slot)
    return slot is not None and slot.type in NUMBER_TYPES and not names_slot([command], flow_index, utterance)


def _free_text_with_values(flow_index: FlowIndex, utterance: Utterance) -> Proposal | None:
    """ "Dune, the audio version": the awaited text, and behind a comma values for other slots."""
    head, comma, tail = utterance.text.partition(", ")
    if not comma:
        return None
    rest = utterance.with_text(tail)
    commands = tuple(value_commands(flow_index.without_free_text, rest))
    slot = utterance.awaited_slot
    if slot is None or not commands or not _says_only_values(rest, flow_index):
        return None
    return Proposal((SetSlot(slot.name, head.strip(), head.strip()), *commands), SENTENCE_CONFIDENCE)


def _says_only_values(utterance: Utterance, flow_index: FlowIndex) -> bool:
    spans = [value.span for value in extract_values(flow_index.without_free_text, utterance)]
    rest = [token.folded for token in utterance.tokens_outside(spans)]
    known_words = flow_index.vocabulary.union(*(question_words(slot, utterance) for slot in flow_index.slots))
    return not set(rest) - FUNCTION_WORDS - known_words
