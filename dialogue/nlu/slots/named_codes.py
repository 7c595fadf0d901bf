"""Numbers and codes behind the word that names them: "invoice 5567", "booking no. AB-12", "recibo 2045"."""

from collections.abc import Iterator, Mapping, Sequence

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, is_free_text, words_about
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.tokens import Token, folded_words

# "No. 5567", "#5567", "nº 5567".
SHORT_WORDS_FOR_NUMBER = frozenset({"no", "nr", "num", "n"})
CODE_WORDS = frozenset().union(SHORT_WORDS_FOR_NUMBER, *(each.cues.code_words for each in LEXICONS.values()))
MARKS_BETWEEN = " .#:º°"
MARKS_IN_CODE = "-/."
MIN_CODE_LETTERS = 3


def is_named_for_another(slot: Slot, span: Span, slots: Sequence[Slot], utterance: Utterance) -> bool:
    """Return whether the word before a number names another slot's code: "pay invoice 5567" says no amount."""
    first = next((index for index, token in enumerate(utterance.tokens) if token.start >= span.start), None)
    name = _naming_word(first, utterance) if first is not None else ""
    if not name or name in _thing_words(slot):
        return False
    return any(name in _thing_words(other) for other in slots if other.name != slot.name and _holds_code(other))


def named_codes(slots: Sequence[Slot], utterance: Utterance) -> Mapping[str, Span]:
    """Return by slot name the number or code right behind the word that names it, where it is the only one."""
    spans: dict[str, Span] = {}
    for slot in filter(_holds_code, slots):
        things = _thing_words(slot)
        found = [span for name, span in _codes(utterance) if name in things]
        if len(found) == 1 and not any(map(found[0].overlaps, spans.values())):
            spans[slot.name] = found[0]
    return spans


def _holds_code(slot: Slot) -> bool:
    return is_free_text(slot) and not CODE_WORDS.isdisjoint(words_about(slot))


def _thing_words(slot: Slot) -> frozenset[str]:
    """What the slot's name says besides "number": the invoice of `invoice_number`."""
    words = folded_words(slot.name.rpartition(".")[2].replace("_", " "))
    return frozenset(words) - CODE_WORDS - FUNCTION_WORDS


def _codes(utterance: Utterance) -> Iterator[tuple[str, Span]]:
    """Yield what looks like a code, with the word that names it."""
    tokens = utterance.tokens
    for index, token in enumerate(tokens):
        name = _naming_word(index, utterance) if not _continues_code(index, utterance) else ""
        if name:
            last = index
            while last + 1 < len(tokens) and _continues_code(last + 1, utterance):
                last += 1
            text = utterance.text[token.start : tokens[last].end]
            if any(character.isdigit() for character in text) and len(text) >= MIN_CODE_LETTERS:
                yield name, Span(token.start, tokens[last].end, None)


def _continues_code(index: int, utterance: Utterance) -> bool:
    """ "AB-12": the tokens are joined by a mark."""
    if not index:
        return False
    between = utterance.text[utterance.tokens[index - 1].end : utterance.tokens[index].start]
    return len(between) == 1 and between in MARKS_IN_CODE


def _naming_word(index: int, utterance: Utterance) -> str:
    """Return the word before this one, a ", number" between them left out; "" behind another mark."""
    tokens, at, marks = utterance.tokens, index - 1, MARKS_BETWEEN
    while at >= 0 and tokens[at].folded in CODE_WORDS and _is_beside(tokens[at], tokens[at + 1], utterance):
        at, marks = at - 1, f"{MARKS_BETWEEN},"
    return tokens[at].folded if at >= 0 and _is_beside(tokens[at], tokens[at + 1], utterance, marks) else ""


def _is_beside(token: Token, following: Token, utterance: Utterance, marks: str = MARKS_BETWEEN) -> bool:
    return not utterance.text[token.end : following.start].strip(marks)
