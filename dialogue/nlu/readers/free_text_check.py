"""Reject texts that are not a value of a free text slot. Every component's proposals pass this check.

Rejected: hesitation, another slot's value or name, the running request again, a clause about the conversation ("I
already told you"). A text in capitals, a quotation and what follows "it is called" always pass. Slots that hold whole
sentences (a reason, a note) take clauses too.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot
from dialogue.engine.slots.definitions.slot_types import NUMBER_TYPES
from dialogue.engine.slots.models import Slot
from dialogue.nlu.heads.span_extractor import LANGUAGES
from dialogue.nlu.readers.whole_answers import prompt_without_values, question_template, question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, has_pattern, is_free_text, words_about
from dialogue.nlu.slots.bare_text import QUOTATION, text_behind_target
from dialogue.nlu.slots.extractors import find_dates_in, find_numbers_in, find_separate_values, find_times_in
from dialogue.nlu.slots.slot_words import slot_words, translations_of
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.slots.strong_values import is_rejected
from dialogue.nlu.slots.text_spans import MAX_TOKENS, TextSpan, text_spans
from dialogue.nlu.slots.typed.options import option_texts
from dialogue.nlu.slots.typed.patterns import find_emails, find_phones
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.spanish import SPANISH
from dialogue.nlu.text.phrases import consists_of, find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import Token, fold, folded_words, fuzzy_in

SPANISH_YES = re.compile(r"\bsí\b", re.IGNORECASE)
CONTACT_TYPES = frozenset({"email", "phone"})
CALENDAR_TYPES = frozenset({"date", "time", "datetime"})
# How many times likelier a text is a value, or something else, than the classifier says, where any text answers.
VALUE_ODDS_OF_TEXT = 3.0
# Less likely, a text is asked for again. Of SGD's answers with a free text, 3 % are below the first.
MIN_VALUE_PROBABILITY, MIN_STORY_PROBABILITY = 0.6, 0.1
# From this score of the trained extractor on, words that look like a clause about the conversation are the answer.
MIN_SCORE_CERTAIN = 0.9
# "Happy birthday" may be the text of a card, and a story may say much that would answer no other question.
COURTEOUS_ACTS = ("thanks", "greeting", "farewell", "small_talk", "insult", "affirm")
STORY_ACTS = ("evasion", "deny")
CLAUSE_MARK = re.compile(r"[,.;:!?\n]\s")
CURRENCY_SIGNS = "€$£¥"
# "May" and "12th" are short of a date that could be nothing else.
MIN_DATE_CHARACTERS = 6
MAX_TOKENS_BEFORE_NAME = 9
MAX_NAME_WORDS = 4
# "Call me on" a number: so many words besides do not make an answer of it.
MAX_WORDS_BESIDE_CODE = 2
# Of "What happened at the visit" the first two words say what the slot holds.
MAX_HEAD_WORDS = 2


def free_text_objection(text: str, slot: Slot, utterance: Utterance) -> str | None:
    """Return why the text, taken from the message, is not a value of the slot, or None where it may be one."""
    piece = utterance.with_text(text)
    if is_quoted(text, utterance) or (is_written_as_title(piece) and is_free_text(slot)):
        return None
    if is_hesitation(piece) or _is_spanish_yes(piece):
        return "the words hesitate"
    if find_claims(slot, piece):
        return "the words are another slot's value"
    if _is_slot_name(slot, piece) or (not is_title(piece) and names_of_others(slot, piece)):
        return "the words speak of another slot"
    if _is_value_and_no_name(slot, piece):
        return "the words are not a name"
    if is_title(piece):
        return None
    if _is_no_code(text, slot, utterance):
        return "the words are no code"
    return _objection_to_sentence(text, slot, utterance)


def _is_no_code(text: str, slot: Slot, utterance: Utterance) -> bool:
    """ "It's scratched off", "2231 or 2213", where a number or a reference is asked for: no code, or more than one.

    A message of one word may be a code, and "make or registration" asks for more than a code.
    """
    cues, numerals = utterance.lexicon.cues, utterance.lexicon.numerals
    is_for_code = not cues.code_words.isdisjoint(words_about(slot)) and cues.alternatives.isdisjoint(words_about(slot))
    if not is_for_code or slot != utterance.awaited_slot or len(utterance.tokens) == 1:
        return False
    codes = [word for word in utterance.folded if any(map(str.isdigit, word)) or word in numerals.units]
    if len(codes) > 1 and not cues.alternatives.isdisjoint(utterance.folded):
        return True
    piece = utterance.with_text(text)
    is_code = not set(codes).isdisjoint(piece.folded)
    return not is_code and not any(len(token.text) > 1 and token.text.isupper() for token in piece.tokens)


def _objection_to_sentence(text: str, slot: Slot, utterance: Utterance) -> str | None:
    if repeats_request(utterance):
        return "the words ask for the running flow again"
    if _is_certain(text, slot, utterance):
        return None
    if _is_about_conversation(text, slot, utterance):
        return "the words are about the conversation"
    if set(folded_words(text)) <= utterance.lexicon.cues.determiners | utterance.lexicon.cues.pointing_words:
        return "the words name nothing"
    return "the words are no answer" if _is_no_answer(text, slot, utterance) else None


def _is_no_answer(text: str, slot: Slot, utterance: Utterance) -> bool:
    """ "The same as last time", "let me look at the box": what the trained classifier takes for no value."""
    awaited = utterance.awaited_slot
    if awaited is None or awaited.name != slot.name or _is_led_to(text, utterance):
        return False
    if _is_plain_name(text, slot, utterance):
        return False
    if gives_reason(utterance) and utterance.folded[0] in utterance.lexicon.cues.reason_starters:
        return False
    is_story = is_narrative(slot, utterance) and not _finds_nothing(slot, utterance)
    alike = (*COURTEOUS_ACTS, *(STORY_ACTS if is_story else ()), *(("cancel",) if gives_reason(utterance) else ()))
    likely = _value_probability(_clause_around(text, utterance), alike)
    return likely < (MIN_STORY_PROBABILITY if is_story else MIN_VALUE_PROBABILITY)


def _is_plain_name(text: str, slot: Slot, utterance: Utterance) -> bool:
    """ "Marta ibáñez": where a person is asked for, a few words that no act has are a name, in small letters too."""
    cues, words = utterance.lexicon.cues, utterance.with_text(text).folded
    is_person = not cues.persons_named.isdisjoint(folded_words(slot.name.replace("_", " ")))
    return (
        (is_person or asks_for_person(slot, utterance))
        and 0 < len(words) <= MAX_NAME_WORDS
        and not any(word in FUNCTION_WORDS or word in utterance.lexicon.acts.words for word in words)
    )


def _is_certain(text: str, slot: Slot, utterance: Utterance) -> bool:
    """Return whether the trained extractor takes the text for the answer, with hardly a doubt."""
    found = _extracted(slot, utterance)
    if found is None or found.score < MIN_SCORE_CERTAIN:
        return False
    return utterance.text[found.span.start : found.span.end].strip(" .") in text


def _finds_nothing(slot: Slot, utterance: Utterance) -> bool:
    """ "That's private": return whether the trained extractor reads the language, and finds no answer."""
    reads = utterance.assistant_index.has_sentence_model and utterance.context.language in LANGUAGES
    return reads and len(utterance.tokens) <= MAX_TOKENS and _extracted(slot, utterance) is None


def _extracted(slot: Slot, utterance: Utterance) -> TextSpan | None:
    flow_index = utterance.running_flow
    is_asked = flow_index is not None and slot == utterance.awaited_slot
    return text_spans(flow_index, utterance).get(slot.name) if flow_index is not None and is_asked else None


def _value_probability(utterance: Utterance, alike: Sequence[str]) -> float:
    """Return how likely the text is a value, which may sound like some acts; where any text answers, that is likelier
    than the classifier knows.
    """
    probabilities = utterance.act_probabilities
    # Of one word that no act has ("vitamins") the letters tell nothing.
    is_plain_word = len(utterance.tokens) == 1 and utterance.folded[0] not in utterance.lexicon.acts.words
    if not probabilities or is_title(utterance) or is_plain_word:
        return 1.0
    share = probabilities["other"] + sum(probabilities[act] for act in alike)
    return VALUE_ODDS_OF_TEXT * share / (1 - share + VALUE_ODDS_OF_TEXT * share)


def _clause_around(text: str, utterance: Utterance) -> Utterance:
    """Return the words between marks that the text is part of; the text itself where words join clauses."""
    start, cues = utterance.text.find(text), utterance.lexicon.cues
    if start < 0 or not cues.clause_joints.union(cues.contrasts).isdisjoint(utterance.folded):
        return utterance.with_text(text)
    begin = max((match.end() for match in CLAUSE_MARK.finditer(utterance.text, 0, start)), default=0)
    end = CLAUSE_MARK.search(utterance.text, start + len(text))
    clause = utterance.with_text(utterance.text[begin : end.start() if end else None].strip())
    closing = suffix_length(clause.folded, utterance.lexicon.closers)
    # Of "vitamins instead" the first word is the value.
    is_more = 0 < closing < len(clause.tokens)
    return clause.with_text(clause.text[: clause.tokens[-closing].start].rstrip()) if is_more else clause


def is_hesitation(utterance: Utterance) -> bool:
    """ "Hmm, wait a second": nothing but words that put the answer off."""
    acts, slot = utterance.lexicon.acts, utterance.awaited_slot
    if slot is not None and slot.type == "date" and find_dates_in(utterance):
        return False  # "later today"
    return consists_of(utterance.folded, acts.hesitations, acts.fillers, acts.yes, acts.courtesies)


def _is_spanish_yes(utterance: Utterance) -> bool:
    """ "Claro que sí", in an English conversation too. Only with the accent: "Vale" and "Claro" may be names."""
    acts = SPANISH.acts
    return bool(SPANISH_YES.search(utterance.text)) and consists_of(utterance.folded, acts.yes, acts.courtesies)


def is_quoted(text: str, utterance: Utterance) -> bool:
    """Return whether the text is in quotation marks."""
    quoted = [match.group(1).strip() for match in QUOTATION.finditer(utterance.text)]
    return text.strip() in quoted


def is_title(utterance: Utterance) -> bool:
    """ "The Lord of the Rings", "Will Hope": every word with content begins with a capital, or is a number."""
    content = [token for token in utterance.tokens if token.folded not in FUNCTION_WORDS]
    capitals = [
        token for token in utterance.tokens[1:] or utterance.tokens if token.text[:1].isupper() and token.text != "I"
    ]
    return bool(capitals) and all(token.text[:1].isupper() or token.text[:1].isdigit() for token in content)


def is_written_as_title(utterance: Utterance) -> bool:
    """ "Wait for Me", "No Man Lee": at least two capitals, the last word among them, and no mark between the words."""
    tokens = utterance.tokens
    has_marks = any(utterance.text[before.end : after.start].strip(" -&'’") for before, after in pairwise(tokens))
    capitals = [token for token in tokens if token.text[:1].isupper() and not token.text.isupper()]
    is_last_capital = bool(tokens) and (tokens[-1].text[:1].isupper() or tokens[-1].text[:1].isdigit())
    is_plain = is_last_capital and not has_marks and not _is_sentence_with_name(utterance)
    return len(capitals) > 1 and is_plain and is_title(utterance)


def _is_sentence_with_name(utterance: Utterance) -> bool:
    """ "Send it to Anna", "Find in Oakham": a sentence, of which the first word and a name have capitals.

    Titles write only articles, prepositions and joining words small ("Wait for Me").
    """
    cues = utterance.lexicon.cues
    small = {token.folded for token in utterance.tokens if token.text[:1].islower()}
    has_small_verb = not small.isdisjoint((cues.clause_starters | cues.link_verbs) - cues.adding_words)
    leads_to_place = (
        utterance.folded[0] in cues.sentence_starters and utterance.folded[1] in cues.place_prepositions & small
        if len(utterance.tokens) > 1
        else False
    )
    return has_small_verb or leads_to_place


def is_awaited_title(utterance: Utterance) -> bool:
    """Return whether a text is asked for and the message is written like a title: then it is no act."""
    slot = utterance.awaited_slot
    return slot is not None and is_free_text(slot) and is_written_as_title(utterance)


def is_narrative(slot: Slot, utterance: Utterance) -> bool:
    """Return whether the slot holds whole sentences (what happened, a reason, a note)."""
    slot_words_told = _own_words(slot.name, translations_of(slot.description or ""))
    question_words_told = (
        folded_words(prompt_without_values(question_template(utterance), utterance.context.language))
        if slot == utterance.awaited_slot
        else ()
    )
    cues = utterance.lexicon.cues
    return is_free_text(slot) and (
        not cues.narrative_words.isdisjoint(slot_words_told)
        or not cues.narrative_words.isdisjoint(question_words_told[:2])
        or prefix_length(question_words_told, cues.narrative_questions) > 0
    )


def gives_reason(utterance: Utterance) -> bool:
    """Whether the words may be the reason that is asked for: "changed my mind" cancels nothing there, "cancel" does."""
    slot, cues = utterance.awaited_slot, utterance.lexicon.cues
    if slot is None or not is_narrative(slot, utterance) or not utterance.asks_for_reason:
        return False
    orders = frozenset(phrase for phrase in cues.cancels if phrase[0] not in FUNCTION_WORDS)
    orders |= {phrase for phrase in utterance.lexicon.acts.cancel if len(phrase) == 1}
    return find_phrase(utterance.folded, orders) is None


def find_claims(slot: Slot, utterance: Utterance) -> tuple[tuple[Slot, Span], ...]:
    """Return (slot, span) for values of other slots, where the message says nothing else of substance."""
    claims = [
        (other, span)
        for flow_index in utterance.open_flows()
        for other, span in _strong_claims(flow_index, slot, utterance)
    ]
    rest = _unexplained_tokens(claims, slot, utterance) if claims else []
    is_sure = all(has_pattern(other) or other.type in CONTACT_TYPES for other, _ in claims)
    says_only_values = not rest or (is_sure and len(rest) <= MAX_WORDS_BESIDE_CODE and not any(map(_is_capital, rest)))
    return tuple(claims) if says_only_values else ()


def _is_capital(token: Token) -> bool:
    return token.text[:1].isupper()


def _strong_claims(flow_index: FlowIndex, slot: Slot, utterance: Utterance) -> Iterator[tuple[Slot, Span]]:
    other_slots = [other for other in flow_index.slots if other.name != slot.name and not is_free_text(other)]
    taken_spans: list[Span] = []
    for other, spans in [(other, find_separate_values(other_slots, utterance)[other.name]) for other in other_slots]:
        strong = [
            span for span in spans if _is_strong(other, slot, span, utterance) and not is_rejected(span, utterance)
        ]
        if len({str(span.value) for span in strong}) == 1 and not any(map(strong[0].overlaps, taken_spans)):
            taken_spans.append(strong[0])
            yield other, strong[0]


def _is_strong(other: Slot, slot: Slot, span: Span, utterance: Utterance) -> bool:
    """Return whether the span can hardly be anything but a value of the other slot."""
    text = utterance.text[span.start : span.end]
    if span.weak:
        return False
    if has_pattern(other) or other.type in CONTACT_TYPES:
        return True
    if other.type in CALENDAR_TYPES:
        return span.length >= MIN_DATE_CHARACTERS
    if other.type in NUMBER_TYPES:
        return (
            _has_currency(text, utterance)
            or bool(_positions_named(other, slot, utterance))
            or asks_for_person(slot, utterance)
        )
    return any(
        folded_words(text) == folded_words(option_text)
        for option in other.options
        for option_text in option_texts(option)
    )


def _has_currency(text: str, utterance: Utterance) -> bool:
    return any(sign in text for sign in CURRENCY_SIGNS) or not utterance.lexicon.numerals.currencies.isdisjoint(
        folded_words(text)
    )


def asks_for_person(slot: Slot, utterance: Utterance) -> bool:
    """Return whether the question for the slot is one for a person ("who")."""
    return not utterance.lexicon.cues.person_question_words.isdisjoint(question_words(slot, utterance))


def _unexplained_tokens(claims: Sequence[tuple[Slot, Span]], slot: Slot, utterance: Utterance) -> list[Token]:
    """The tokens outside the values that are no words of their slots or flow, and no small words."""
    slot_words_claimed = frozenset().union(*(own_words(other, utterance) | slot_words(other) for other, _ in claims))
    slot_words_claimed |= utterance.running_flow.vocabulary if utterance.running_flow else frozenset()
    rest = utterance.tokens_outside([span for _, span in claims])
    small = small_words(utterance.lexicon) | cue_words(utterance)
    return [token for token in rest if token.folded not in small and not fuzzy_in(token.folded, slot_words_claimed)]


def _is_value_and_no_name(slot: Slot, utterance: Utterance) -> bool:
    """A date, a number or an address is not a person's name, whether or not another slot is for it."""
    if not asks_for_person(slot, utterance):
        return False
    spans = without_overlaps(
        (
            *find_dates_in(utterance),
            *find_times_in(utterance),
            *find_numbers_in(utterance),
            *find_emails(utterance.text),
            *find_phones(utterance.text),
        )
    )
    rest = utterance.tokens_outside(spans)
    return bool(spans) and all(token.folded in FUNCTION_WORDS for token in rest)


def _is_slot_name(slot: Slot, utterance: Utterance) -> bool:
    """ "IBAN" is the name of a slot, and not the value of another."""
    content = set(utterance.folded) - FUNCTION_WORDS - question_words(slot, utterance)
    others = (other for flow_index in utterance.open_flows() for other in flow_index.slots if other.name != slot.name)
    return any(content and content <= set(folded_words(other.name.replace("_", " "))) for other in others)


def names_of_others(slot: Slot, utterance: Utterance) -> tuple[Slot, ...]:
    """Return other slots that the message begins to speak of ("the amount should be …") or names before a value."""
    others = {
        other.name: other
        for flow_index in utterance.open_flows()
        for other in flow_index.slots
        if other.name != slot.name
    }
    return tuple(other for other in others.values() if _is_spoken_of(other, slot, utterance))


def _is_spoken_of(other: Slot, slot: Slot, utterance: Utterance) -> bool:
    return any(
        _leads_to_value(index, utterance) or _is_beside_value(index, other, utterance)
        for index in _positions_named(other, slot, utterance)
    )


def _positions_named(other: Slot, slot: Slot, utterance: Utterance) -> list[int]:
    """The positions of the other slot's own words that are not words of the question."""
    slot_words_of_other = own_words(other, utterance) - own_words(slot, utterance)
    return [index for index, word in enumerate(utterance.folded) if fuzzy_in(word, slot_words_of_other)]


def _leads_to_value(index: int, utterance: Utterance) -> bool:
    """Are there only small words before the name, and behind it a word that leads to its value, or a colon?"""
    before, small = utterance.folded[:index], small_words(utterance.lexicon) | cue_words(utterance)
    if index > MAX_TOKENS_BEFORE_NAME or any(word not in small for word in before):
        return False
    token = utterance.tokens[index]
    cues = utterance.lexicon.cues
    changed = prefix_length(
        utterance.folded[prefix_length(utterance.folded, utterance.lexicon.acts.openers) :], cues.changes
    )
    words_behind = utterance.folded[index + 1 :]
    return (
        utterance.text[token.end :].lstrip()[:1] == ":"
        or bool(prefix_length(words_behind, cues.targets))
        or bool(changed)
    )


def _is_beside_value(index: int, other: Slot, utterance: Utterance) -> bool:
    """ "First the amount: 30", "amount 30"."""
    if is_free_text(other):
        return False
    end = utterance.tokens[index].end
    spans = find_separate_values([other], utterance)[other.name]
    return any(
        not span.weak and utterance.text[end : span.start].strip(" :=") == "" for span in spans if span.start >= end
    )


def own_words(slot: Slot, utterance: Utterance) -> frozenset[str]:
    """Return the words that name the slot: its name, the head of its description, and words for its type."""
    return _own_words(slot.name, translations_of(slot.description or "")) | _words_of_type(slot, utterance)


def _words_of_type(slot: Slot, utterance: Utterance) -> frozenset[str]:
    alike = {
        other.name for flow_index in utterance.open_flows() for other in flow_index.slots if other.type == slot.type
    }
    return utterance.lexicon.cues.type_words.get(slot.type, frozenset()) if len(alike) == 1 else frozenset()


@lru_cache(maxsize=1024)
def _own_words(name: str, descriptions: tuple[str, ...]) -> frozenset[str]:
    about = (word for description in descriptions for word in _head_words(folded_words(description)))
    return frozenset(folded_words(name.replace("_", " "))).union(about)


def _head_words(description_words: Sequence[str]) -> Iterator[str]:
    """Of "Telephone number of the patient" the first two words, of "What happened" the second."""
    head = (
        list(takewhile(lambda word: word not in FUNCTION_WORDS, description_words))
        or description_words[:MAX_HEAD_WORDS]
    )
    return (word for word in head if word not in FUNCTION_WORDS)


def cue_words(utterance: Utterance) -> frozenset[str]:
    """Return the words of all phrases that lead to a correction or a request."""
    return _words_of_cues(utterance.lexicon.code)


@lru_cache(maxsize=8)
def _words_of_cues(code: str) -> frozenset[str]:
    from dialogue.nlu.text.lexicons import LEXICONS

    cues, acts = LEXICONS[code].cues, LEXICONS[code].acts
    kinds = (cues.corrections, cues.changes, cues.prefaces, cues.targets, acts.openers, acts.fillers)
    return frozenset(word for phrases in kinds for phrase in phrases for word in phrase)


def repeats_request(utterance: Utterance) -> bool:
    """ "I want to reserve a book", while that flow runs: the words of one of its examples, and no others."""
    content = set(utterance.folded) - FUNCTION_WORDS
    if utterance.running_flow is None or not content or not content <= utterance.running_flow.vocabulary:
        return False
    # "Our wedding" names a thing.
    if len(content) == 1 and utterance.folded[0] in utterance.lexicon.cues.determiners:
        return False
    has_opener = bool(prefix_length(utterance.folded, utterance.lexicon.acts.openers))
    flow = utterance.running_flow.flow
    texts = (text for author_text in (flow.title, *flow.examples) for text in translations_of(author_text))
    requests = (set(folded_words(text)) - FUNCTION_WORDS for text in texts)
    return has_opener or any(len(request) > 0 and request <= content for request in requests)


def _is_about_conversation(text: str, slot: Slot, utterance: Utterance) -> bool:
    """ "I already told you", "let's do that later", "is this secure": no name, unless "called" leads to it."""
    if is_narrative(slot, utterance) or _is_led_to(text, utterance):
        return False
    piece = utterance.with_text(text)
    acts, cues = utterance.lexicon.acts, utterance.lexicon.cues
    start = prefix_length(piece.folded, acts.fillers, cues.prefaces, cues.plain_corrections)
    rest = piece.folded[start:] or piece.folded
    return bool(rest) and (rest[0] in cues.clause_starters or (len(rest) > 1 and FUNCTION_WORDS.issuperset(rest)))


def _is_led_to(text: str, utterance: Utterance) -> bool:
    """Does "called" or "is" stand right before the text?"""
    start = fold(utterance.text).find(fold(text))
    words_before = [token.folded for token in utterance.tokens if token.end <= start] if start > 0 else []
    return (
        bool(words_before)
        and words_before[-1] in utterance.lexicon.cues.link_verbs | utterance.lexicon.cues.naming_words
    )


def read_values_of_others(slot: Slot, utterance: Utterance) -> tuple[Command, ...]:
    """Return the values that the message gives for other slots than the awaited one, when it is about those."""
    claims = {other.name: (other, span) for other, span in find_claims(slot, utterance)}
    if not claims and not is_title(utterance):
        claims = dict(_named_values(slot, utterance))
    return tuple(_set_command(other, span, utterance) for other, span in claims.values())


def _named_values(slot: Slot, utterance: Utterance) -> Iterator[tuple[str, tuple[Slot, Span]]]:
    """ "First the amount: 30", "the medicine should be aspirin"."""
    for other in names_of_others(slot, utterance):
        if is_free_text(other):
            text = text_behind_target(utterance)
            start = utterance.text.find(text)
            spans = (
                [Span(start, start + len(text), text)] if text and not is_hesitation(utterance.with_text(text)) else []
            )
        else:
            spans = [span for span in find_separate_values([other], utterance)[other.name] if not span.weak]
        if len({str(span.value) for span in spans}) == 1:
            yield other.name, (other, spans[-1])


def read_sole_value_of_others(slot: Slot, utterance: Utterance) -> tuple[Command, ...]:
    """Return the one value in a sentence that does not answer: "I'll collect it at the front desk"."""
    if (
        is_narrative(slot, utterance)
        or is_title(utterance)
        or not _is_about_conversation(utterance.text, slot, utterance)
    ):
        return ()
    strong = [
        (other, span)
        for flow_index in utterance.open_flows()
        for other, span in _strong_claims(flow_index, slot, utterance)
    ]
    formed = [(other, span) for other, span in strong if other.type not in NUMBER_TYPES | CALENDAR_TYPES]
    return tuple(_set_command(other, span, utterance) for other, span in formed) if len(formed) == 1 else ()


def _set_command(other: Slot, span: Span, utterance: Utterance) -> Command:
    filled = any(
        flow_index.slot(other.name) and utterance.is_filled(flow_index, other) for flow_index in utterance.open_flows()
    )
    kind = CorrectSlot if filled else SetSlot
    return kind(other.name, span.value, utterance.text[span.start : span.end])
