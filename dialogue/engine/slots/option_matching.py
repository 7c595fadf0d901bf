"""Which options a user means: by label, number, attribute, comparison, or all of them but some.

`match_options` reads the answer to a question for one option, `match_several` an answer that changes a list.
English and Spanish; words of both are understood for colours and the like.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from dialogue.engine.slots.candidates import Candidate
from dialogue.engine.slots.matching.candidate_index import CandidateIndex, Mask
from dialogue.engine.slots.matching.clauses import Clause, Reading, read_clauses
from dialogue.engine.slots.matching.languages import vocabulary_of
from dialogue.engine.slots.matching.word_forms import forms_of, split_words

MAX_WORDS_CHARACTERS = 1_000
_IDENTIFIER = re.compile(r"#?[a-z][a-z0-9_-]*[0-9]")
MAX_CACHED_INDEXES = 16
Operation = Literal["", "set", "add", "remove", "change", "clear"]


@dataclass(frozen=True)
class Match:
    """The candidates that the words fit: one is the answer, several leave it open, none fits nothing.

    `how` says by what they were found ("label", "number", "text", "date", "amount", "attribute", "comparison", "all",
    "any", "other", "not"), several joined with " + "; without candidates it is "none" where the user says that none is
    meant, "no match" where the words describe an option that is not there, "question" for a question about the
    options, and "" where the words are not about them. `words` is the part of the text that says it, `remainder` the
    content words that fit nothing, joined with blanks.
    """

    candidates: tuple[Candidate, ...] = ()
    remainder: str = ""
    how: str = ""
    words: str = ""

    @property
    def values(self) -> tuple[object, ...]:
        """The stored values of the candidates."""
        return tuple(candidate.value for candidate in self.candidates)


@dataclass(frozen=True)
class Selection:
    """What the words do with a list of options.

    `operation` is "set" (the list becomes `chosen`), "add" (`chosen` come to it), "remove" (`removed` leave it),
    "change" (both), "clear", or "" where nothing is to change. `unclear` are those among which the words leave it open.
    `how`, `words` and `remainder` are as in `Match`.
    """

    operation: Operation = ""
    chosen: tuple[Candidate, ...] = ()
    removed: tuple[Candidate, ...] = ()
    unclear: tuple[Candidate, ...] = ()
    remainder: str = ""
    how: str = ""
    words: str = ""

    def apply(self, current: Sequence[str]) -> tuple[str, ...]:
        """Return the keys of the list after the operation; `current` are those before it."""
        if self.operation == "clear":
            return ()
        removed = {candidate.key for candidate in self.removed}
        kept = () if self.operation == "set" else tuple(key for key in current if key not in removed)
        return tuple(dict.fromkeys((*kept, *(candidate.key for candidate in self.chosen))))


def match_options(
    words: str,
    candidates: Sequence[Candidate],
    language: str,
    *,
    current: Sequence[object] = (),
    today: date | None = None,
) -> Match:
    """Return the candidates that the words fit, in their order.

    `current` are the keys or values that are chosen already: "the other one" and "a cheaper one" count from them.
    `today` is the day that "yesterday" and "last week" count from. Two options named with "and" are both returned.
    """
    if _is_unknown_identifier(words, candidates):
        return Match(how="no match", remainder=words.strip())
    index = _index_of(candidates)
    reading = read_clauses(words[:MAX_WORDS_CHARACTERS], index, vocabulary_of(language), index.mask_of(current), today)
    if reading.how:
        return Match(how=reading.how, remainder=reading.remainder)
    mask = _one_mask(reading, index)
    if not mask:
        return Match(how="no match" if reading.describes else "", remainder=reading.remainder)
    return Match(index.members(mask), reading.remainder, reading.how_found, reading.words)


def _is_unknown_identifier(words: str, candidates: Sequence[Candidate]) -> bool:
    """Whether the words are one identifier, such as W1024 or gift_card_7, that no candidate has.

    A part of it must not decide: another card is not the card that was named.
    """
    if _IDENTIFIER.fullmatch(words.strip().casefold()) is None:
        return False
    text = _letters_and_digits(words)
    if forms_of(split_words(words)) in _index_of(candidates).phrases:
        return False
    return not any(text in _letters_and_digits(part) for option in candidates for part in _texts_of(option))


def _texts_of(option: Candidate) -> Iterator[str]:
    yield from (option.key, option.label, *option.texts)
    yield from (value for value in option.fields.values() if isinstance(value, str))


def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _one_mask(reading: Reading, index: CandidateIndex) -> Mask:
    """Clauses that describe the same option narrow each other; those of several options add up."""
    wanted = [clause for clause in reading.clauses if clause.wanted and clause.mask]
    excluded = _union([clause for clause in reading.clauses if not clause.wanted])
    common, together = index.everything, _union(wanted)
    for clause in wanted:
        common &= clause.mask
    if any(clause.contradicts for clause in reading.clauses) and len(reading.clauses) == 1:
        return 0
    if not wanted:
        # "The purple one, not the lamp", without a purple one: what is wanted is not there.
        is_missing = any(clause.wanted and (clause.contradicts or clause.unexplained) for clause in reading.clauses)
        return index.everything & ~excluded if excluded and not is_missing else 0
    return (common & ~excluded) or (together & ~excluded)


def _union(clauses: Sequence[Clause]) -> Mask:
    mask = 0
    for clause in clauses:
        mask |= clause.mask
    return mask


def match_several(
    words: str,
    candidates: Sequence[Candidate],
    language: str,
    *,
    current: Sequence[object] = (),
    today: date | None = None,
) -> Selection:
    """Return what the words do with a list that now holds `current` (keys or values of candidates).

    "The keyboard and the lamp" sets it, "also the mug" adds, "not the lamp after all" removes, "all but the lamp" sets.
    A singular that fits several is unclear ("the blue one"), a plural takes them all ("the blue ones").
    """
    if _is_unknown_identifier(words, candidates):
        return Selection(how="no match", remainder=words.strip())
    index = _index_of(candidates)
    chosen_before = index.mask_of(current)
    text = words[:MAX_WORDS_CHARACTERS]
    reading = read_clauses(text, index, vocabulary_of(language), chosen_before, today, several=True)
    if reading.how:
        cleared = reading.how == "none" and bool(chosen_before)
        return Selection("clear" if cleared else "", how=reading.how, remainder=reading.remainder)
    chosen, unclear = _choose(reading, index)
    removed = _union([clause for clause in reading.clauses if not clause.wanted])
    if not (chosen or unclear or removed):
        return Selection(how="no match" if reading.describes else "", remainder=reading.remainder)
    return _selection(reading, index, chosen_before, (chosen, removed, unclear))


def _selection(reading: Reading, index: CandidateIndex, before: Mask, masks: tuple[Mask, Mask, Mask]) -> Selection:
    chosen, removed, unclear = masks
    operation: Operation = "set"
    if reading.is_exception or (removed and not chosen and not unclear and not before):
        # "All but the lamp"; and "not the lamp" before anything is chosen.
        chosen, removed = (chosen or index.everything) & ~removed, 0
    elif removed and not reading.is_replacement and not removed & before:
        # "The red, not the blue one": what is not wanted was not chosen anyway.
        removed = 0
        operation = "add" if reading.adds else "set"
    elif removed:
        operation = "change" if chosen else "remove"
    elif reading.adds:
        operation = "add"
    if not (chosen or removed):
        operation = ""
    if operation == "remove" and removed == index.everything:
        operation = "clear"
    return Selection(
        operation,
        index.members(chosen),
        index.members(removed),
        index.members(unclear),
        reading.remainder,
        reading.how_found,
        reading.words,
    )


def _choose(reading: Reading, index: CandidateIndex) -> tuple[Mask, Mask]:
    """Return the candidates that are clearly meant, and those among which it is open."""
    wanted = [clause for clause in reading.clauses if clause.wanted and clause.mask]
    chosen = _union([clause for clause in wanted if clause.plural or clause.mask.bit_count() == 1])
    unclear = 0
    for clause in wanted:
        if clause.plural or clause.mask.bit_count() == 1:
            continue
        narrowed = _narrowed(clause, [other for other in wanted if other is not clause], chosen)
        if narrowed.bit_count() == 1:
            chosen |= narrowed
        else:
            unclear |= narrowed
    return chosen, unclear


def _narrowed(clause: Clause, others: Sequence[Clause], chosen: Mask) -> Mask:
    """ "The red and the blue lamp": the noun of another clause, or what is not chosen yet, narrows an open one."""
    for other in reversed(others):
        for part in other.parts:
            common = clause.mask & part & ~(chosen if other.mask & chosen else 0)
            if common and common.bit_count() < clause.mask.bit_count():
                return common
    left = clause.mask & ~chosen
    return left if left.bit_count() == 1 else clause.mask


_indexes: OrderedDict[int, CandidateIndex] = OrderedDict()


def _index_of(candidates: Sequence[Candidate]) -> CandidateIndex:
    """Return the index of the candidates; that of the same tuple is used again: a turn asks for it several times."""
    index = _indexes.get(id(candidates))
    if index is not None and index.candidates is candidates:
        return index
    index = CandidateIndex(candidates)
    if isinstance(candidates, tuple):
        _indexes[id(candidates)] = index
        while len(_indexes) > MAX_CACHED_INDEXES:
            _indexes.popitem(last=False)
    return index
