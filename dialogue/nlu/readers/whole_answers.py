"""Whole answers: one value of the awaited slot, and around it only words that say nothing more."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from dialogue.engine.language.steps import Collect
from dialogue.engine.ports.commands import Command, SetSlot
from dialogue.engine.ports.tasks import CollectTask
from dialogue.engine.slots.definitions.options import Option
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.templates import Template
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, has_pattern, is_free_text
from dialogue.nlu.slots.bare_text import bare_text
from dialogue.nlu.slots.extractors import find_values
from dialogue.nlu.slots.slot_words import slot_words
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.typed.options import option_texts
from dialogue.nlu.slots.typed.patterns import find_attempted_emails, find_pattern_values, is_code
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.slots.value_context import counts_nothing, is_bounded, is_denied, without_alternatives
from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.lexicons.lexicon import Lexicon
from dialogue.nlu.text.phrases import find_phrase, prefix_length
from dialogue.nlu.text.tokens import folded_words, fuzzy_in

NUMBERED = re.compile(r"(?:(?:option|number|no|numero|opcion|#)\s*)?([0-9]{1,2})\.?")
ONE_WORDS = frozenset({"one", "option", "opcion"})
LIST_START = re.compile(r"[:;(\n–—]")
DIGIT_TYPES = frozenset({"integer", "number", "money", "date", "time", "datetime", "phone"})
# An invalid answer beside other words is short; a code may be typed in many groups.
MAX_INVALID_ANSWER_WORDS = 4
MAX_CODE_WORDS = 9
# Up to here "the name of the book is" may lead to the value.
MAX_SLOT_NAME_WORDS = 6


def read_answer(utterance: Utterance) -> Command | None:
    """Return SetSlot for the awaited slot when the whole message answers its question, or None."""
    slot = utterance.awaited_slot
    if slot is None or slot.type == "boolean" or is_free_text(slot):
        return None
    return (
        _read_value(slot, utterance)
        or _read_option_by_position(slot, utterance)
        or _read_attempted_value(slot, utterance)
    )


def read_invalid_answer(utterance: Utterance) -> Command | None:
    """Return SetSlot for an answer with digits that is not valid, so that its refusal can say why.

    Example: "the 30th of February". None for anything else.
    """
    slot = utterance.awaited_slot
    return _invalid_answer(slot, utterance, MAX_INVALID_ANSWER_WORDS) if slot is not None else None


def _read_value(slot: Slot, utterance: Utterance) -> Command | None:
    if _asks_about_value(utterance):
        return None
    spans = [
        span
        for span in (*find_values(slot, utterance), *_whole_code(slot, utterance))
        if not counts_nothing(slot, span, slot_words(slot), utterance)
        and not is_bounded(slot, span, slot_words(slot), utterance)
    ]
    is_one = len({str(span.value) for span in spans}) == 1
    is_whole = is_one and list(without_alternatives(slot, spans, utterance)) == spans
    if not is_whole or not is_only_value(spans, slot, utterance):
        return None
    return SetSlot(slot.name, spans[0].value, utterance.text[spans[0].start : spans[0].end])


def _asks_about_value(utterance: Utterance) -> bool:
    """ "How much is one?" asks; "how about one?" proposes a value."""
    cues = utterance.lexicon.cues
    is_asked = bool(utterance.folded) and utterance.folded[0] in cues.asking_words
    return is_asked and not prefix_length(utterance.folded, cues.leads)


def _whole_code(slot: Slot, utterance: Utterance) -> Iterator[Span]:
    """Yield "gw 5512" as GW5512, where such a code is asked for and is all that the message says."""
    text = bare_text(utterance.text, utterance, lead=True)
    joined = re.sub(r"[\s.-]", "", text).upper()
    is_short = bool(text) and len(text.split()) <= MAX_CODE_WORDS and any(character.isdigit() for character in text)
    if not is_short or not has_pattern(slot) or find_values(slot, utterance) or text not in utterance.text:
        return
    start = utterance.text.index(text)
    whole = (span for span in find_pattern_values(slot, joined) if span.length == len(joined))
    yield from (Span(start, start + len(text), span.value) for span in whole)


def is_only_value(spans: Sequence[Span], slot: Slot, utterance: Utterance) -> bool:
    """Return whether the words beside the spans are politeness, function words, or words of the question."""
    rest = [token.folded for token in utterance.tokens_outside(spans)]
    asked_question_words = question_words(slot, utterance)
    other = set(rest) - small_words(utterance.lexicon) - asked_question_words
    cues = utterance.lexicon.cues
    # "Anything but audio" is not audio, nor is "I don't want audio".
    is_excluded = has_negation(rest, utterance.lexicon) or find_phrase(rest, cues.exclusions) is not None
    is_refused = is_excluded or any(is_denied(span, utterance) for span in spans)
    return not is_refused and all(fuzzy_in(word, asked_question_words) for word in other)


def small_words(lexicon: Lexicon) -> frozenset[str]:
    """Return the words that say nothing beside a value: function words, fillers, leads, tails and currencies."""
    return _small_words(lexicon.code)


@lru_cache(maxsize=8)
def _small_words(code: str) -> frozenset[str]:
    lexicon = LEXICONS[code]
    phrases = chain(lexicon.acts.fillers, lexicon.cues.leads, lexicon.cues.tails)
    return FUNCTION_WORDS.union(chain.from_iterable(phrases), lexicon.numerals.currencies)


def question_words(slot: Slot, utterance: Utterance) -> frozenset[str]:
    """Return the words of the slot's name, description and prompt, and of the question as it was asked.

    Words of values that the question shows are left out.
    """
    return slot_words(slot).union(utterance.remember(_message_words), utterance.remember(_prompt_words, slot.prompt))


def _prompt_words(prompt: Template | None, utterance: Utterance) -> frozenset[str]:
    return frozenset(folded_words(prompt_without_values(prompt, utterance.context.language)))


def _message_words(utterance: Utterance) -> frozenset[str]:
    """Return the words of the question; of one with values in it, only those that the author wrote."""
    task = utterance.context.awaited
    template = question_template(utterance) if isinstance(task, CollectTask) else None
    if template is None or not template.names:
        return frozenset(folded_words(task.message if task else ""))
    return frozenset(folded_words(prompt_without_values(template, utterance.context.language)))


def question_template(utterance: Utterance) -> Template | None:
    """Return the author's text of the question: the step's own, or else the slot's, or None."""
    task, slot = utterance.context.awaited, utterance.awaited_slot
    flow = utterance.context.assistant.flows.get(task.flow) if task is not None else None
    steps = (step for step in flow.all_steps() if task is not None and step.step == task.step) if flow else ()
    step = next((step for step in steps if isinstance(step, Collect)), None)
    # The step's question is for the whole record, not for a field that it still needs.
    is_whole = step is not None and (slot is None or slot.name == step.slot)
    return (step.message if step is not None and is_whole else None) or (slot.prompt if slot is not None else None)


def prompt_without_values(template: Template | None, language: str) -> str:
    """Return the author's text with its placeholders empty."""
    return template.in_language(language).render(lambda name: None) if template is not None else ""


def asked_words(slot: Slot, utterance: Utterance) -> frozenset[str]:
    """Return the slot's words and those of the question, without what it lists behind a mark: these may be answers."""
    return slot_words(slot, small=True).union(utterance.remember(_unlisted_words))


def _unlisted_words(utterance: Utterance) -> frozenset[str]:
    template, task = question_template(utterance), utterance.context.awaited
    prompt = prompt_without_values(template, utterance.context.language)
    message = task.message if task is not None and (template is None or not template.names) else ""
    return frozenset(word for text in (prompt, message) for word in folded_words(LIST_START.split(text.strip())[0]))


def has_negation(folded: Iterable[str], lexicon: Lexicon) -> bool:
    """Return whether one of the words is a negation by itself: "not"."""
    single = {phrase[0] for phrase in lexicon.cues.negations if len(phrase) == 1}
    return bool(single & set(folded))


def _read_option_by_position(slot: Slot, utterance: Utterance) -> Command | None:
    """ "The second one", "2": an option by its position, unless the options are numbers themselves."""
    position = read_ordinal(utterance, len(slot.options))
    named = {option.value for option in _options_by_ordinal(slot, utterance)} if position is not None else set()
    if named:
        return SetSlot(slot.name, named.pop(), utterance.text) if len(named) == 1 else None
    return SetSlot(slot.name, slot.options[position].value, utterance.text) if position is not None else None


def _options_by_ordinal(slot: Slot, utterance: Utterance) -> Iterator[Option]:
    """Yield the options with the ordinal of the message: "the second one" of four floors is the second floor."""
    ordinals = utterance.lexicon.numerals.ordinals
    said = {ordinals[word] for word in utterance.folded if word in ordinals}
    for option in slot.options:
        words = {word for text in option_texts(option) for word in folded_words(text)}
        if said & {ordinals[word] for word in words if word in ordinals}:
            yield option


def read_ordinal(utterance: Utterance, count: int) -> int | None:
    """Return the position, from 0 on, when the message names one of `count` things and nothing else, or None."""
    numbered = NUMBERED.fullmatch(" ".join(utterance.folded))
    numerals = utterance.lexicon.numerals
    rest = set(utterance.folded) - small_words(utterance.lexicon) - numerals.ordinals.keys() - numerals.last_words
    if numbered:
        position = int(numbered[1])
    elif rest or _tells_an_order(utterance):
        return None
    else:
        position = _named_position(utterance.folded, utterance.lexicon, count)
    return position - 1 if 1 <= position <= count else None


def _tells_an_order(utterance: Utterance) -> bool:
    """ "Could I see them first, actually": the ordinal names none of the things."""
    is_wish = prefix_length(utterance.folded, utterance.lexicon.acts.openers) > 0
    names_one = not utterance.lexicon.cues.determiners.isdisjoint(utterance.folded) or ONE_WORDS & set(utterance.folded)
    return is_wish and not names_one


def _named_position(folded: Sequence[str], lexicon: Lexicon, count: int) -> int:
    ordinals = [lexicon.numerals.ordinals[word] for word in folded if word in lexicon.numerals.ordinals]
    if not ordinals and lexicon.numerals.last_words & set(folded):
        return count
    return ordinals[0] if len(ordinals) == 1 else 0


def _read_attempted_value(slot: Slot, utterance: Utterance) -> Command | None:
    """Take an attempted value ("mia@@example") as typed, so that its refusal can say why."""
    if slot.type != "email":
        return _invalid_answer(slot, utterance, MAX_CODE_WORDS) if is_code(utterance.text) else None
    spans = find_attempted_emails(utterance.text)
    value = spans[0].value if len(spans) == 1 and is_only_value(spans, slot, utterance) else None
    return SetSlot(slot.name, value, str(value)) if value else None


def _invalid_answer(slot: Slot, utterance: Utterance, max_words: int) -> Command | None:
    text = bare_text(utterance.text, utterance, lead=True)
    answer_words = folded_words(text)
    if not (has_pattern(slot) or slot.type in DIGIT_TYPES) or not answer_words or utterance.is_question:
        return None
    if len(utterance.text.split()) > max_words:
        return None
    content = [word for word in answer_words if word.isalpha() and len(word) > 2]
    allowed = small_words(utterance.lexicon) | question_words(slot, utterance) | calendar_words(utterance.lexicon)
    has_digit = any(character.isdigit() for character in text)
    return SetSlot(slot.name, text, text) if has_digit and not set(content) - allowed else None


def calendar_words(lexicon: Lexicon) -> frozenset[str]:
    """Return the words for months, weekdays, days and units of time."""
    calendar = lexicon.calendar
    return frozenset(chain(calendar.months, calendar.weekdays, calendar.days, calendar.units))


def text_behind_slot_name(slot: Slot, utterance: Utterance) -> str:
    """Return the end of "the book is called Beloved"; the whole text where no such beginning leads to it."""
    slot_name_words = asked_words(slot, utterance)
    linking = utterance.lexicon.cues.linking_words
    for end in range(min(len(utterance.tokens) - 1, MAX_SLOT_NAME_WORDS), 1, -1):
        before = utterance.tokens[:end]
        is_lower_case = not any(token.text[:1].isupper() for token in before[1:])
        words = {token.folded for token in before}
        expected_words = (
            slot_name_words - FUNCTION_WORDS
            if before[-1].folded in utterance.lexicon.cues.place_prepositions
            else slot_name_words
        )
        if (
            is_lower_case
            and before[-1].folded in linking
            and words & expected_words
            and words <= slot_name_words | small_words(utterance.lexicon)
        ):
            return utterance.text[utterance.tokens[end].start :]
    return utterance.text
