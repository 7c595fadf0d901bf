"""Clauses: a message cut at its marks and at words that join sentences, such as "and", "but" and "wait"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from dialogue.engine.understanding import NLUContext
from dialogue.nlu.slots.bare_text import QUOTATION
from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import Phrase
from dialogue.nlu.text.phrases import prefix_length, suffix_length

# Marks end a clause before a blank only: not in "7.30", "1,000" or "mia@example.org".
MARKS = re.compile(r"[.;!?…]+(?=[\s\"”»)]|$)|,(?=\s)|\n+|(?<=\s)[-–—]+(?=\s)|(?=[¿¡])")
# "St. Mary", "Dr. Weber": so short a word with a capital before a full stop may be an abbreviation.
MAX_ABBREVIATION_LETTERS = 3
# A longer message, or one of more pieces, tells a story: it is read as a whole.
MAX_CLAUSES, MAX_SPLIT_TOKENS = 6, 60


@dataclass(frozen=True)
class Clause:
    """A part of a message. `joint` are the words that join it to what stands before it, such as "but".

    `start` and `end` are its place in the message, without the joint. `is_marked`: a mark stands before it, and not
    only a joining word.
    """

    utterance: Utterance
    start: int
    end: int
    joint: tuple[str, ...] = ()
    is_marked: bool = False

    @property
    def folded(self) -> Sequence[str]:
        """The words of the clause as they are compared."""
        return self.utterance.folded

    @cached_property
    def is_contrast(self) -> bool:
        """Whether "but" or the like joins the clause."""
        return not self.utterance.lexicon.cues.contrasts.isdisjoint(self.joint)

    def in_context(self, context: NLUContext) -> "Clause":
        """Return the clause where what was said before it has changed what is awaited."""
        if context is self.utterance.context:
            return self
        return replace(self, utterance=replace(self.utterance, context=context))


def split_clauses(utterance: Utterance) -> tuple[Clause, ...]:
    """Return the clauses in order; the message as the only one where it has no others, or too many."""
    return utterance.remember(_split)


def _split(utterance: Utterance) -> tuple[Clause, ...]:
    whole = (Clause(utterance, 0, len(utterance.text)),)
    if not 1 < len(utterance.tokens) <= MAX_SPLIT_TOKENS:
        return whole
    clauses = tuple(_joined_clauses(utterance, _pieces(utterance)))
    return clauses if 0 < len(clauses) <= MAX_CLAUSES else whole


def merge_clauses(first: Clause, last: Clause, utterance: Utterance) -> Clause:
    """Return both clauses, and what stands between them, as one."""
    text = utterance.text[first.start : last.end]
    return Clause(first.utterance.with_text(text), first.start, last.end, first.joint, first.is_marked)


def _pieces(utterance: Utterance) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, is_marked) for the pieces between marks, and between joining words."""
    quoted = [match.span() for match in QUOTATION.finditer(utterance.text)]
    start, is_marked = 0, False
    for match in MARKS.finditer(utterance.text):
        if any(first <= match.start() < last for first, last in quoted) or _is_abbreviation(match, utterance):
            continue
        # The mark belongs to the clause before it: a question keeps its question mark.
        yield from _pieces_at_words(start, match.end(), utterance, quoted, is_marked)
        start, is_marked = match.end(), True
    yield from _pieces_at_words(start, len(utterance.text), utterance, quoted, is_marked)


def _is_abbreviation(match: re.Match[str], utterance: Utterance) -> bool:
    before = next((token for token in reversed(utterance.tokens) if token.end <= match.start()), None)
    if match.group() != "." or before is None or before.end != match.start():
        return False
    is_short_name = before.text[:1].isupper() and len(before.text) <= MAX_ABBREVIATION_LETTERS
    is_act = (before.folded,) in utterance.lexicon.acts.yes | utterance.lexicon.acts.no
    follows_point = utterance.text[before.start - 1 : before.start] == "."
    return (is_short_name and not is_act and len(utterance.text) > match.end()) or follows_point


def _pieces_at_words(
    start: int, end: int, utterance: Utterance, quoted: Sequence[tuple[int, int]], is_marked: bool
) -> Iterator[tuple[int, int, bool]]:
    """Yield the pieces of a part without marks, cut before each word that joins clauses."""
    cues = utterance.lexicon.cues
    joints = cues.contrasts | cues.clause_joints
    tokens = [token for token in utterance.tokens if start <= token.start < end]
    for index, token in enumerate(tokens[1:], start=1):
        is_quoted = any(first <= token.start < last for first, last in quoted)
        is_joined = token.folded in joints and tokens[index - 1].folded not in joints
        # "Everything but green" names options.
        excludes = suffix_length([before.folded for before in tokens[: index + 1]], cues.exclusions)
        if is_joined and not is_quoted and not excludes:
            yield start, token.start, is_marked
            start, is_marked = token.start, False
    if tokens:
        yield start, end, is_marked


def _joined_clauses(utterance: Utterance, pieces: Iterator[tuple[int, int, bool]]) -> Iterator[Clause]:
    """Yield a clause for each piece; one of joining words only is the joint of the next, or at the end stands alone."""
    joint: tuple[str, ...] = ()
    first, end, is_marked = 0, 0, False
    for start, end, is_cut in pieces:
        tokens = [token for token in utterance.tokens if start <= token.start < end]
        is_quoted = utterance.text[start : tokens[0].start].rstrip(" (").endswith(('"', "“", "«"))
        length = 0 if is_quoted else _joint_length([token.folded for token in tokens], utterance)
        first = first if joint else tokens[0].start
        joint, is_marked = (*joint, *(token.folded for token in tokens[:length])), is_marked or is_cut
        if length < len(tokens):
            begin = _start_with_marks(utterance.text, tokens[length].start, start)
            yield _clause(utterance, begin, end, joint, is_marked=is_marked)
            joint, is_marked = (), False
    if joint:
        yield _clause(utterance, first, end, (), is_marked=is_marked)


def _clause(utterance: Utterance, start: int, end: int, joint: tuple[str, ...], *, is_marked: bool) -> Clause:
    text = utterance.text[start:end].rstrip(" ,\n-–—")
    return Clause(utterance.with_text(text), start, start + len(text), joint, is_marked)


def _start_with_marks(text: str, start: int, earliest: int) -> int:
    """Return the place of quotation marks and the like that stand right before the first word."""
    while start > earliest and text[start - 1] in "\"“«¿¡'(€$£+#":
        start -= 1
    return start


def _joint_length(folded: Sequence[str], utterance: Utterance) -> int:
    cues = utterance.lexicon.cues
    contrasts: frozenset[Phrase] = frozenset((word,) for word in cues.contrasts)
    length = 0
    while more := prefix_length(folded[length:], cues.prefaces, contrasts):
        length += more
    return length
