"""Yes/no slots that a message mentions beside other things: "with helmets", "no insurance", "it still drives"."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import zip_longest

from dialogue.engine.slots.models import Slot
from dialogue.nlu.slots.assistant_index import FUNCTION_WORDS, FlowIndex
from dialogue.nlu.slots.spans import Span
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.phrases import find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import Token, folded_words

CLAUSE_END = re.compile(r"[,.;:!?()\n]")
# Forms of a word share most letters: "insured" and "insurance", "transfer" and "transport" do not.
MIN_SHARED_LETTERS, MAX_OTHER_LETTERS = 5, 2
# Small words that a slot's name means: the "off" of `water_off`.
PARTICLES = frozenset({"off", "out", "up", "down", "over", "away", "in", "on"})


@dataclass(frozen=True)
class _Clause:
    tokens: Sequence[Token]
    is_question: bool

    @property
    def folded(self) -> list[str]:
        return [token.folded for token in self.tokens]


def mentioned_booleans(flow_index: FlowIndex, utterance: Utterance) -> Mapping[str, Span]:
    """Return yes or no by slot name, where a clause names what the slot asks about.

    Other readers take the answer to the question that is open, and corrections.
    """
    slots = [slot for slot in flow_index.slots if slot.type == "boolean" and slot is not utterance.awaited_slot]
    clauses = list(_clauses(utterance)) if slots else []
    spans = {
        slot.name: next(filter(None, (_value_in_clause(slot, each, flow_index, utterance) for each in clauses)), None)
        for slot in slots
        if not utterance.is_filled(flow_index, slot)
    }
    return {name: span for name, span in spans.items() if span is not None}


def _clauses(utterance: Utterance) -> Iterator[_Clause]:
    """Yield what stands between marks, and between words such as "and" and "but"."""
    cues = utterance.lexicon.cues
    tokens: list[Token] = []
    for token, following in zip_longest(utterance.tokens, utterance.tokens[1:]):
        tokens.append(token)
        between = utterance.text[token.end : following.start if following else len(utterance.text)]
        is_joint = following is not None and following.folded in cues.clause_joints | cues.contrasts
        if following is None or is_joint or CLAUSE_END.search(between):
            yield _Clause(tuple(tokens), _asks(tokens, between, utterance))
            tokens = []


def _asks(tokens: Sequence[Token], following: str, utterance: Utterance) -> bool:
    """Return whether the clause asks for an answer: "could you bring one?" asks for something else."""
    folded = [token.folded for token in tokens]
    if prefix_length(folded, utterance.lexicon.acts.openers):
        return False
    return "?" in following or folded[0] in utterance.lexicon.cues.question_words


def _value_in_clause(slot: Slot, clause: _Clause, flow_index: FlowIndex, utterance: Utterance) -> Span | None:
    lexicon, folded = utterance.lexicon, clause.folded
    name_words = _content_words(slot.name.replace("_", " "), flow_index)
    all_words = name_words | _content_words(f"{_described(slot, utterance)} {slot.prompt}", flow_index)
    if clause.is_question or lexicon.cues.doubts.intersection(folded) or find_phrase(folded, lexicon.cues.conditions):
        return None
    for index, token in enumerate(clause.tokens):
        value = _value_before(folded[:index], utterance) if _is_form_of(token.folded, all_words) else None
        if value is not None:
            return Span(token.start, token.end, value)
    positions = [_position_of(word, folded) for word in name_words]
    if not positions or -1 in positions:
        return None
    # "Water coming through the ceiling" does not say whether `water_off` is so.
    if not PARTICLES.intersection(folded_words(slot.name.replace("_", " "))).issubset(folded):
        return None
    first = min(positions)
    # "My brother is the skipper" is about another one.
    if first and folded[first - 1] in lexicon.cues.pointing_words:
        return None
    token = clause.tokens[first]
    return Span(token.start, token.end, not _is_negated(folded, utterance))


def _described(slot: Slot, utterance: Utterance) -> str:
    translations: Mapping[str, str] = getattr(slot.description or "", "translations", {})
    return translations.get(utterance.context.language, str(slot.description or ""))


def _content_words(text: str, flow_index: FlowIndex) -> Set[str]:
    return {word for word in folded_words(text) if len(word) > 2} - FUNCTION_WORDS - flow_index.vocabulary


def _position_of(word: str, folded: Sequence[str]) -> int:
    """Return where the word, or a form of it, stands first; -1 if it does not."""
    return next((index for index, each in enumerate(folded) if _is_form_of(each, {word})), -1)


def _is_form_of(word: str, words: Set[str]) -> bool:
    return word in words or any(_share_stem(word, other) for other in words)


def _share_stem(one: str, other: str) -> bool:
    """Return whether the words are likely forms of one."""
    if one.removesuffix("s") == other.removesuffix("s"):
        return True
    shared = max(MIN_SHARED_LETTERS, min(len(one), len(other)) - MAX_OTHER_LETTERS)
    return len(one) >= shared and one[:shared] == other[:shared]


def _value_before(folded: Sequence[str], utterance: Utterance) -> bool | None:
    """Return yes or no, where a word that leads to a wish or a refusal stands before what is named."""
    cues, acts = utterance.lexicon.cues, utterance.lexicon.acts
    before = list(folded)
    while before and before[-1] in cues.articles | cues.determiners - cues.adding_words and before[-1] != "no":
        before.pop()
    last = before[-1:]
    if suffix_length(before, cues.negations) or (last and last[0] in cues.denials) or (tuple(last) in acts.no):
        return False
    return True if last and last[0] in cues.accompanying else None


def _is_negated(folded: Sequence[str], utterance: Utterance) -> bool:
    cues, acts = utterance.lexicon.cues, utterance.lexicon.acts
    return not cues.denials.isdisjoint(folded) or find_phrase(folded, cues.negations | acts.no) is not None
