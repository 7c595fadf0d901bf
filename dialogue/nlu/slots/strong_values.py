"""Which values of a message are clear without a question, and which are rejected or said for something else."""

import re
from collections.abc import Sequence

from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free_text
from dialogue.nlu.slots.extractors import find_dates_in, find_separate_values
from dialogue.nlu.slots.named_codes import is_named_for_another
from dialogue.nlu.slots.people_counts import counts_a_thing, is_of_other_slot
from dialogue.nlu.slots.slot_words import PUNCTUATION, count_slot_words_beside, says_people, slot_words
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.typed.dates_and_times import DAY_HOURS
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.slots.value_context import counts_nothing, is_bounded, is_denied, without_alternatives
from dialogue.nlu.text.phrases import suffix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

NUMBER_WORD = re.compile(r"[^\W\d]+")


def strong_values(slots: Sequence[Slot], utterance: Utterance) -> dict[str, list[Span]]:
    """Return by slot name the values that are clear without a question and that are not rejected."""
    spans_by_slot = find_separate_values(slots, utterance)
    strong = {
        slot.name: [
            span
            for span in spans_by_slot[slot.name]
            if _is_strong(slot, span, utterance)
            and not _counts_for_another(slot, span, slots, utterance)
            and not is_stray_value(slot, span, utterance)
            and not _is_number_of_things(slot, span, slots, utterance)
        ]
        for slot in slots
    }
    awaited = utterance.awaited_slot
    if awaited is not None and not strong.get(awaited.name, [awaited]):
        strong[awaited.name] = [
            span
            for span in spans_by_slot[awaited.name]
            if may_answer(awaited, span, utterance)
            and not is_of_other_slot(awaited, span, slots, utterance)
            and not is_named_for_another(awaited, span, slots, utterance)
        ]
    return {slot.name: list(without_alternatives(slot, strong[slot.name], utterance)) for slot in slots}


def may_answer(slot: Slot, span: Span, utterance: Utterance) -> bool:
    if is_rejected(span, utterance) or is_bounded(slot, span, slot_words(slot), utterance):
        return False
    return not counts_nothing(slot, span, slot_words(slot), utterance)


def _is_strong(slot: Slot, span: Span, utterance: Utterance) -> bool:
    is_counted = _is_counted_by_slot(slot, span, utterance) or says_people(slot, span, utterance)
    is_sure = not span.weak or is_counted or _is_beside_date(slot, span, utterance)
    return is_sure and may_answer(slot, span, utterance)


def _is_beside_date(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """ "Tomorrow at 10": right behind a day, even a lone hour is a time."""
    if slot.type != "time":
        return False
    ends = [day.end for day in find_dates_in(utterance) if day.end < span.start]
    between = utterance.text[max(ends) : span.start] if ends else ""
    return folded_words(between) in utterance.lexicon.calendar.hour_leads and not PUNCTUATION.search(between)


def _counts_for_another(slot: Slot, span: Span, slots: Sequence[Slot], utterance: Utterance) -> bool:
    """ "4 days" counts for the slot `days`, and not for `count`; the 11 of "tomorrow at 11" counts nothing."""
    if slot.type in (*NUMBER_TYPES, "time") and is_of_other_slot(slot, span, slots, utterance):
        return True
    if slot.type in NUMBER_TYPES and is_named_for_another(slot, span, slots, utterance):
        return True
    times = [other for other in slots if other.type == "time"]
    if slot.type in NUMBER_TYPES and times and _is_led_as_hour(span, utterance):
        return True
    following = next((token for token in utterance.tokens if token.start >= span.end), None)
    if slot.type != "integer" or following is None or fuzzy_in(following.folded, slot_words(slot)):
        return False
    others = [other for other in slots if other.type == "integer" and other.name != slot.name]
    is_beside = not utterance.text[span.end : following.start].strip()
    return is_beside and any(fuzzy_in(following.folded, folded_words(other.name.replace("_", " "))) for other in others)


def is_stray_value(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """ "60, of which 12 are children", "from 9 to 5", "3 days later": a number or a day that is not said for its slot.

    While something else is asked for, only a currency, a word of the slot, or people for a slot of people say it; a
    bare number does so too, unless a number is asked for.
    """
    awaited = utterance.awaited_slot
    if awaited is None or awaited.name == slot.name:
        return False
    is_alone = FUNCTION_WORDS.issuperset(token.folded for token in utterance.tokens_outside([span]))
    if slot.type not in NUMBER_TYPES:
        return is_alone and slot.type == awaited.type == "date"  # it answers, or is no answer
    has_currency = slot.type == "money" and not lacks_currency(slot, span, utterance)
    if has_currency or count_slot_words_beside(slot, span, utterance):
        return False
    if is_alone:
        return True  # "15", to a question for another thing
    inside = [index for index, token in enumerate(utterance.tokens) if span.start <= token.start < span.end]
    before = utterance.folded[: inside[0]] if inside else ()
    is_led = bool(suffix_length(before, utterance.lexicon.calendar.hour_leads))
    cues = utterance.lexicon.cues
    is_led = is_led or not (cues.goal_leads | cues.determiners).isdisjoint(before[-1:])
    # "Two large lasagnes" counts what is asked for.
    is_of_answer = is_free_text(awaited) or awaited.type in ("choice", "list")
    is_of_thing = bool(inside) and not is_of_answer and counts_a_thing(inside[-1], utterance)
    return awaited.type in NUMBER_TYPES or is_led or is_of_thing


def _is_number_of_things(slot: Slot, span: Span, slots: Sequence[Slot], utterance: Utterance) -> bool:
    """ "6 white and 6 red": where things are counted too, a bare number of a first message is no amount of money."""
    if not utterance.is_first_message or not lacks_currency(slot, span, utterance):
        return False
    counts = any(other.type == "integer" for other in slots)
    return counts and not count_slot_words_beside(slot, span, utterance)


def _is_led_as_hour(span: Span, utterance: Utterance) -> bool:
    """ "At 8", "around 7": a number up to 24 without anything that it counts."""
    inside = [index for index, token in enumerate(utterance.tokens) if span.start <= token.start < span.end]
    is_hour = str(span.value).isdigit() and int(str(span.value)) <= DAY_HOURS
    if not inside or not is_hour or counts_a_thing(inside[-1], utterance):
        return False
    return bool(suffix_length(utterance.folded[: inside[0]], utterance.lexicon.calendar.hour_leads))


def _is_counted_by_slot(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """ "One person" for a slot named `persons`: right before what it counts, even "one" is a number."""
    following = next((token.folded for token in utterance.tokens if token.start >= span.end), "")
    return slot.type == "integer" and fuzzy_in(following, folded_words(slot.name))


def is_rejected(span: Span, utterance: Utterance) -> bool:
    """Return whether a "not" stands before the value, articles and "very" aside, or the clause says "I don't want".

    "No, …" with a comma answers instead.
    """
    if is_denied(span, utterance) or _is_denied_behind(span, utterance):
        return True
    cues = utterance.lexicon.cues
    before = [token for token in utterance.tokens if token.end <= span.start][-4:]
    while before and before[-1].folded in cues.articles | cues.degrees:
        before.pop()
    words = [token.folded for token in before]
    if suffix_length(words, cues.exclusions):
        return True  # "any day but Monday"
    if not suffix_length(words, cues.negations):
        return False
    # A lone "no" at the start of the message answers; it turns nothing down.
    return "," not in utterance.text[before[-1].end : span.start] and not (
        len(before) == 1 and before[0].start == 0 and (before[0].folded,) in utterance.lexicon.acts.no
    )


def _is_denied_behind(span: Span, utterance: Utterance) -> bool:
    """ "Blanco no, tinto": the no stands behind what it turns down, and before a mark or the end."""
    behind = [token for token in utterance.tokens if token.start >= span.end][:2]
    if not behind or (behind[0].folded,) not in utterance.lexicon.cues.denials_behind:
        return False
    between = utterance.text[span.end : behind[0].start]
    after = utterance.text[behind[0].end : behind[1].start] if len(behind) > 1 else utterance.text[behind[0].end :]
    return not between.strip() and (len(behind) == 1 or bool(PUNCTUATION.search(after))) and "?" not in after


def lacks_currency(slot: Slot, span: Span, utterance: Utterance) -> bool:
    """A bare "2" or "two" is an amount of money only where nothing else is counted."""
    text, numerals = utterance.text[span.start : span.end], utterance.lexicon.numerals
    counted = numerals.units.keys() | numerals.scales.keys() | numerals.single.keys() | numerals.joiners
    return slot.type == "money" and not re.search("[€$£¥.,]", text) and counted.issuperset(NUMBER_WORD.findall(text))
