"""What is plainly no value of a slot for which any text does: the one check that every part's proposals pass.

Hesitation, another slot's value or name, the same request again, a clause about the conversation ("I already told
you"). A text in capitals, a quotation and what stands behind "it is called" are values whatever they say. Slots that
hold whole sentences (a reason, a note) take clauses too.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot
from dialogue.engine.slots.models import NUMBER_TYPES, Slot
from dialogue.nlu.readers.corrections import text_behind_target
from dialogue.nlu.readers.whole_answers import prompt_without_values, question_template, question_words, small_words
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex, has_pattern, is_free_text
from dialogue.nlu.slots.extraction import QUOTATION, is_rejected, slot_words, translations_of
from dialogue.nlu.slots.extractors import find_dates_in, find_numbers_in, find_separate_values, find_times_in
from dialogue.nlu.slots.options import option_texts
from dialogue.nlu.slots.patterns import find_emails, find_phones
from dialogue.nlu.slots.spans import Span, without_overlaps
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import consists_of, prefix_length
from dialogue.nlu.text.tokens import Token, fold, folded_words, fuzzy_equal

CONTACT_TYPES = frozenset({"email", "phone"})
CALENDAR_TYPES = frozenset({"date", "time", "datetime"})
CURRENCY_SIGNS = "€$£¥"
# "May" and "12th" are short of a date that could be nothing else.
MIN_DATE_CHARACTERS = 6
MAX_TOKENS_BEFORE_NAME = 9
# "Call me on" a number: so many words besides do not make an answer of it.
MAX_WORDS_BESIDE_CODE = 2
# Of "What happened at the visit" the first two words say what the slot holds.
MAX_HEAD_WORDS = 2


def free_text_objection(text: str, slot: Slot, utterance: Utterance) -> str | None:
    """Why the text, taken from the message, is plainly no value of the slot; None where it may be one."""
    piece = utterance.with_text(text)
    if is_hesitation(piece):
        return "the words hesitate"
    if is_quoted(text, utterance):
        return None
    if find_claims(slot, piece):
        return "the words are another slot's value"
    if _is_slot_name(slot, piece) or (not is_title(piece) and names_of_others(slot, piece)):
        return "the words speak of another slot"
    if _is_formed_and_no_name(slot, piece):
        return "the words are no name"
    return None if is_title(piece) else _objection_to_sentence(text, slot, utterance)


def _objection_to_sentence(text: str, slot: Slot, utterance: Utterance) -> str | None:
    if repeats_request(utterance):
        return "the words ask for the running flow again"
    return "the words are about the conversation" if _is_clause(text, slot, utterance) else None


def is_hesitation(utterance: Utterance) -> bool:
    """ "Hmm, wait a second": nothing but words that put the answer off."""
    acts = utterance.lexicon.acts
    return consists_of(utterance.folded, acts.hesitations, acts.fillers, acts.yes, acts.courtesies)


def is_quoted(text: str, utterance: Utterance) -> bool:
    """Does the text stand in quotation marks, or is it the whole of what does?"""
    quoted = [match.group(1).strip() for match in QUOTATION.finditer(utterance.text)]
    return text.strip() in quoted


def is_title(utterance: Utterance) -> bool:
    """ "The Lord of the Rings", "Will Hope": every word with content begins with a capital, or is a number."""
    content = [token for token in utterance.tokens if token.folded not in FUNCTION_WORDS]
    capitals = [
        token for token in utterance.tokens[1:] or utterance.tokens if token.text[:1].isupper() and token.text != "I"
    ]
    return bool(capitals) and all(token.text[:1].isupper() or token.text[:1].isdigit() for token in content)


def is_narrative(slot: Slot, utterance: Utterance) -> bool:
    """Does the slot hold whole sentences (what happened, a reason, a note)?"""
    about = _own_words(slot.name, translations_of(slot.description or ""))
    asked = (
        folded_words(prompt_without_values(question_template(utterance), utterance.context.language))
        if slot == utterance.awaited_slot
        else ()
    )
    told = utterance.lexicon.cues.narrative_words
    return is_free_text(slot) and (not told.isdisjoint(about) or not told.isdisjoint(asked[:2]))


def find_claims(slot: Slot, utterance: Utterance) -> tuple[tuple[Slot, Span], ...]:
    """Values of other slots, when with their own words and small ones they are all that the message says."""
    found = [
        (other, span) for flow_index in utterance.open_flows() for other, span in _strong(flow_index, slot, utterance)
    ]
    rest = _rest(found, slot, utterance) if found else []
    sure = all(has_pattern(other) or other.type in CONTACT_TYPES for other, _ in found)
    plain = not rest or (sure and len(rest) <= MAX_WORDS_BESIDE_CODE and not any(map(_is_capital, rest)))
    return tuple(found) if plain else ()


def _is_capital(token: Token) -> bool:
    return token.text[:1].isupper()


def _strong(flow_index: FlowIndex, slot: Slot, utterance: Utterance) -> Iterator[tuple[Slot, Span]]:
    others = [other for other in flow_index.slots if other.name != slot.name and not is_free_text(other)]
    taken: list[Span] = []
    for other, spans in [(other, find_separate_values(others, utterance)[other.name]) for other in others]:
        strong = [
            span for span in spans if _is_strong(other, slot, span, utterance) and not is_rejected(span, utterance)
        ]
        if len({str(span.value) for span in strong}) == 1 and not any(map(strong[0].overlaps, taken)):
            taken.append(strong[0])
            yield other, strong[0]


def _is_strong(other: Slot, slot: Slot, span: Span, utterance: Utterance) -> bool:
    """Could the span hardly be anything but a value of the other slot?"""
    text = utterance.text[span.start : span.end]
    if span.weak:
        return False
    if has_pattern(other) or other.type in CONTACT_TYPES:
        return True
    if other.type in CALENDAR_TYPES:
        return span.length >= MIN_DATE_CHARACTERS
    if other.type in NUMBER_TYPES:
        return (
            _has_currency(text, utterance) or bool(_named(other, slot, utterance)) or asks_for_person(slot, utterance)
        )
    return any(folded_words(text) == folded_words(each) for option in other.options for each in option_texts(option))


def _has_currency(text: str, utterance: Utterance) -> bool:
    return any(sign in text for sign in CURRENCY_SIGNS) or not utterance.lexicon.numerals.currencies.isdisjoint(
        folded_words(text)
    )


def asks_for_person(slot: Slot, utterance: Utterance) -> bool:
    return not utterance.lexicon.cues.person_question_words.isdisjoint(question_words(slot, utterance))


def _rest(found: Sequence[tuple[Slot, Span]], slot: Slot, utterance: Utterance) -> list[Token]:
    """What neither the values, nor their slots' words, nor the running flow's, nor small words explain."""
    own = frozenset().union(*(own_words(other, utterance) | slot_words(other) for other, _ in found))
    own |= utterance.running_flow.vocabulary if utterance.running_flow else frozenset()
    rest = [token for token in utterance.tokens if not any(span.start <= token.start < span.end for _, span in found)]
    known = small_words(utterance.lexicon) | cue_words(utterance)
    return [
        token
        for token in rest
        if token.folded not in known and not any(fuzzy_equal(token.folded, each) for each in own)
    ]


def _is_formed_and_no_name(slot: Slot, utterance: Utterance) -> bool:
    """A date, a number, an address: nobody is called so, whether or not another slot is for it."""
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
    left = [token for token in utterance.tokens if not any(span.start <= token.start < span.end for span in spans)]
    return bool(spans) and all(token.folded in FUNCTION_WORDS for token in left)


def _is_slot_name(slot: Slot, utterance: Utterance) -> bool:
    """ "IBAN" is the name of a slot, and no value of another."""
    content = set(utterance.folded) - FUNCTION_WORDS - question_words(slot, utterance)
    others = (other for flow_index in utterance.open_flows() for other in flow_index.slots if other.name != slot.name)
    return any(content and content <= set(folded_words(other.name.replace("_", " "))) for other in others)


def names_of_others(slot: Slot, utterance: Utterance) -> tuple[Slot, ...]:
    """Other slots that the message begins to speak of ("the amount should be …") or names right before a value."""
    others = {
        other.name: other
        for flow_index in utterance.open_flows()
        for other in flow_index.slots
        if other.name != slot.name
    }
    return tuple(other for other in others.values() if _is_spoken_of(other, slot, utterance))


def _is_spoken_of(other: Slot, slot: Slot, utterance: Utterance) -> bool:
    return any(
        _leads_on(place, utterance) or _is_beside_value(place, other, utterance)
        for place in _named(other, slot, utterance)
    )


def _named(other: Slot, slot: Slot, utterance: Utterance) -> list[int]:
    """The last places of words that are the other slot's name, and no words of what was asked."""
    own = own_words(other, utterance) - own_words(slot, utterance)
    return [place for place, word in enumerate(utterance.folded) if any(fuzzy_equal(word, each) for each in own)]


def _leads_on(place: int, utterance: Utterance) -> bool:
    """Are there only small words before the name, and behind it a word that leads to its value, or a colon?"""
    before, known = utterance.folded[:place], small_words(utterance.lexicon) | cue_words(utterance)
    if place > MAX_TOKENS_BEFORE_NAME or any(word not in known for word in before):
        return False
    token = utterance.tokens[place]
    cues = utterance.lexicon.cues
    changed = prefix_length(
        utterance.folded[prefix_length(utterance.folded, utterance.lexicon.acts.openers) :], cues.changes
    )
    behind = utterance.folded[place + 1 :]
    return utterance.text[token.end :].lstrip()[:1] == ":" or bool(prefix_length(behind, cues.targets)) or bool(changed)


def _is_beside_value(place: int, other: Slot, utterance: Utterance) -> bool:
    """ "First the amount: 30", "amount 30"."""
    if is_free_text(other):
        return False
    end = utterance.tokens[place].end
    spans = find_separate_values([other], utterance)[other.name]
    return any(
        not span.weak and utterance.text[end : span.start].strip(" :=") == "" for span in spans if span.start >= end
    )


def own_words(slot: Slot, utterance: Utterance) -> frozenset[str]:
    """The words that name the slot: its own name, the head of its description, and what its type is called."""
    return _own_words(slot.name, translations_of(slot.description or "")) | _type_words(slot, utterance)


def _type_words(slot: Slot, utterance: Utterance) -> frozenset[str]:
    alike = {
        other.name for flow_index in utterance.open_flows() for other in flow_index.slots if other.type == slot.type
    }
    return utterance.lexicon.cues.type_words.get(slot.type, frozenset()) if len(alike) == 1 else frozenset()


@lru_cache(maxsize=1024)
def _own_words(name: str, descriptions: tuple[str, ...]) -> frozenset[str]:
    about = (word for description in descriptions for word in _head(folded_words(description)))
    return frozenset(folded_words(name.replace("_", " "))).union(about)


def _head(described: Sequence[str]) -> Iterator[str]:
    """Of "Telephone number of the patient" the first two words, of "What happened" the second."""
    head = list(takewhile(lambda word: word not in FUNCTION_WORDS, described)) or described[:MAX_HEAD_WORDS]
    return (word for word in head if word not in FUNCTION_WORDS)


def cue_words(utterance: Utterance) -> frozenset[str]:
    return _words_of_cues(utterance.lexicon.code)


@lru_cache(maxsize=8)
def _words_of_cues(code: str) -> frozenset[str]:
    from dialogue.nlu.text.lexicons import LEXICONS

    cues, acts = LEXICONS[code].cues, LEXICONS[code].acts
    kinds = (cues.corrections, cues.changes, cues.prefaces, cues.targets, acts.openers, acts.fillers)
    return frozenset(word for phrases in kinds for phrase in phrases for word in phrase)


def repeats_request(utterance: Utterance) -> bool:
    """ "I want to reserve a book", where that is what runs: the words of one of its examples, and no others."""
    content = set(utterance.folded) - FUNCTION_WORDS
    if utterance.running_flow is None or not content or not content <= utterance.running_flow.vocabulary:
        return False
    opened = bool(prefix_length(utterance.folded, utterance.lexicon.acts.openers))
    flow = utterance.running_flow.flow
    texts = (text for each in (flow.title, *flow.examples) for text in translations_of(each))
    requests = (set(folded_words(text)) - FUNCTION_WORDS for text in texts)
    return opened or any(len(request) > 0 and request <= content for request in requests)


def _is_clause(text: str, slot: Slot, utterance: Utterance) -> bool:
    """ "I already told you", "let's do that later", "is this secure": no name, unless "called" leads to it."""
    if is_narrative(slot, utterance) or _is_led_to(text, utterance):
        return False
    piece = utterance.with_text(text)
    acts, cues = utterance.lexicon.acts, utterance.lexicon.cues
    start = prefix_length(piece.folded, acts.fillers, cues.prefaces)
    rest = piece.folded[start:] or piece.folded
    return bool(rest) and (rest[0] in cues.clause_starters or (len(rest) > 1 and FUNCTION_WORDS.issuperset(rest)))


def _is_led_to(text: str, utterance: Utterance) -> bool:
    """Does "called" or "is" stand right before the text?"""
    place = fold(utterance.text).find(fold(text))
    before = [token.folded for token in utterance.tokens if token.end <= place] if place > 0 else []
    return bool(before) and before[-1] in utterance.lexicon.cues.link_verbs | utterance.lexicon.cues.naming_words


def read_values_of_others(slot: Slot, utterance: Utterance) -> tuple[Command, ...]:
    """The values that the message gives for other slots than the one that was asked for, when it is about those."""
    found = dict(_claimed(find_claims(slot, utterance)))
    if not found and not is_title(utterance):
        found = dict(_named_values(slot, utterance))
    return tuple(_command(other, span, utterance) for other, span in found.values())


def _claimed(pairs: Sequence[tuple[Slot, Span]]) -> Iterator[tuple[str, tuple[Slot, Span]]]:
    return ((other.name, (other, span)) for other, span in pairs)


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
    """The one value with a form of its own in a sentence that is no answer: "I'll collect it at the front desk"."""
    if is_narrative(slot, utterance) or is_title(utterance) or not _is_clause(utterance.text, slot, utterance):
        return ()
    strong = [
        (other, span) for flow_index in utterance.open_flows() for other, span in _strong(flow_index, slot, utterance)
    ]
    formed = [(other, span) for other, span in strong if other.type not in NUMBER_TYPES | CALENDAR_TYPES]
    return tuple(_command(other, span, utterance) for other, span in formed) if len(formed) == 1 else ()


def _command(other: Slot, span: Span, utterance: Utterance) -> Command:
    filled = any(
        flow_index.slot(other.name) and utterance.is_filled(flow_index, other) for flow_index in utterance.open_flows()
    )
    kind = CorrectSlot if filled else SetSlot
    return kind(other.name, span.value, utterance.text[span.start : span.end])
