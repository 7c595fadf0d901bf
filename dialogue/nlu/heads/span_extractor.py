"""Which words of a message are the value of which slot, from what the slots are called and described as.

Trained on other assistants' slots (see MODEL_CARD.md), so that it reads slots that it has never seen. English only.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dialogue.nlu.heads import artefact
from dialogue.nlu.heads.encoder import TokenisedText, tokenise
from dialogue.nlu.text.embeddings import minilm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float32]

LANGUAGES = frozenset({"en"})
MAX_QUERIES = 24
"""More slots at a time are cut off; training has seen up to 8."""
# Below 1, words that are perhaps no value are spans with a low score: which score is enough, the readers decide.
OUTSIDE_WEIGHT = 0.5
MIN_PROBABILITY = 1e-9
# Training has seen texts of up to 60 words: longer ones come in pieces.
MIN_LONG_ANSWER_WORDS, MIN_LONG_ANSWER_SHARE = 40, 0.5
SEPARATING_MARKS = frozenset(",;:-–—")


@dataclass(frozen=True)
class SlotQuery:
    """A slot to look for. `text` is its name, description, prompt and examples in words."""

    name: str
    text: str
    awaited: bool = False


@dataclass(frozen=True)
class ScoredSpan:
    """Characters `start` up to `end` of a text as a value of the slot, with a score between 0 and 1."""

    slot: str
    start: int
    end: int
    score: float


def extract_spans(text: str, queries: Sequence[SlotQuery], language: str = "en") -> tuple[ScoredSpan, ...]:
    """Return the spans in the order of the text; none overlap. Boundaries are at words.

    A text may hold several values of a slot. Of a text longer than the sentence model reads, the last span that is
    read extends to the end; a long answer is one span. Returns () for other languages than English, and without the
    extra `embedded`.
    """
    if language not in LANGUAGES or not queries or not minilm.is_installed():
        return ()
    return read_spans(artefact.span_session(), text, queries[:MAX_QUERIES])


def read_spans(session: Any, text: str, queries: Sequence[SlotQuery]) -> tuple[ScoredSpan, ...]:
    """Return the spans that the session's model gives."""
    tokenised = tokenise(text)
    if not tokenised.words:
        return ()
    spans = tuple(decode(tokenised, queries, _probabilities(session, tokenised, queries)))
    return _whole_long_answer(tokenised, queries, spans)


def _whole_long_answer(
    tokenised: TokenisedText, queries: Sequence[SlotQuery], spans: tuple[ScoredSpan, ...]
) -> tuple[ScoredSpan, ...]:
    """Join the pieces of a long text that was asked for, where they are most of it and no other slot has a value."""
    awaited = {query.name for query in queries if query.awaited}
    read = sum(span.end - span.start for span in spans)
    is_long = len(tokenised.words) >= MIN_LONG_ANSWER_WORDS
    if not is_long or {span.slot for span in spans} - awaited or len({span.slot for span in spans}) != 1:
        return spans
    start, end = tokenised.words[0].start, tokenised.words[-1].end
    if read < MIN_LONG_ANSWER_SHARE * (end - start):
        return spans
    score = sum(span.score * (span.end - span.start) for span in spans) / read
    return (ScoredSpan(spans[0].slot, start, end, score),)


def _probabilities(session: Any, tokenised: TokenisedText, queries: Sequence[SlotQuery]) -> "Numbers":
    """Return one row a token: the probability of no slot, then of each slot's first and further words."""
    import numpy as np

    inputs = {
        "states": minilm.token_states(tokenised.text),
        "cases": np.array(tokenised.cases, np.int64),
        "slots": minilm.embed([query.text for query in queries]),
        "awaited": np.array([query.awaited for query in queries], np.float32),
    }
    probabilities: Numbers = session.run(None, inputs)[0]
    return probabilities


def decode(tokenised: TokenisedText, queries: Sequence[SlotQuery], probabilities: "Numbers") -> Iterator[ScoredSpan]:
    """Yield the spans of the most probable course of words: outside, a slot's first word, its further words."""
    words = _word_rows(tokenised, probabilities)
    states = _most_probable_states(words)
    begin = 0
    while begin < len(states):
        end = begin + 1
        if states[begin]:
            same_slot = (states[begin], states[begin] + 1)  # two values of a slot have a word or mark between them
            while end < len(states) and states[end] in same_slot:
                end += 1
            slot = (states[begin] - 1) // 2
            first, last = _without_marks(tokenised, begin, end)
            if first < last:
                columns = slice(1 + 2 * slot, 3 + 2 * slot)
                yield _span(tokenised, queries[slot].name, words[first:last, columns], first, last)
        begin = end


def _without_marks(tokenised: TokenisedText, begin: int, end: int) -> tuple[int, int]:
    """Without commas and the like at either end, which only separate a value from what is around it."""
    texts = [tokenised.text[word.start : word.end] for word in tokenised.words[begin:end]]
    while texts and texts[-1] in SEPARATING_MARKS:
        texts.pop()
    end = begin + len(texts)
    while begin < end and texts[begin - end] in SEPARATING_MARKS:
        begin += 1
    return begin, end


def _word_rows(tokenised: TokenisedText, probabilities: "Numbers") -> "Numbers":
    """The row of each word's first token: where a word begins, a value may begin."""
    import numpy as np

    firsts = np.flatnonzero(np.diff(np.array(tokenised.word_of_token), prepend=-1) > 0)
    rows: Numbers = probabilities[firsts]
    return rows


def _most_probable_states(rows: "Numbers") -> list[int]:
    """Viterbi: a further word follows only a first or further word of the same slot."""
    import numpy as np

    costs = np.log(np.maximum(rows, MIN_PROBABILITY))
    costs[:, 0] += math.log(OUTSIDE_WEIGHT)
    columns = np.arange(costs.shape[1])
    origins = np.zeros(costs.shape, np.int64)
    totals = np.where(_is_further(columns), -np.inf, costs[0])
    for row in range(1, len(costs)):
        best = int(totals.argmax())
        first, further = totals[1::2], totals[2::2]
        before = np.full(len(columns), totals[best])
        before[2::2] = np.maximum(first, further)
        origins[row] = best
        origins[row, 2::2] = np.where(first >= further, columns[1::2], columns[2::2])
        totals = before + costs[row]
    states = [int(totals.argmax())]
    for row in range(len(costs) - 1, 0, -1):
        states.append(int(origins[row, states[-1]]))
    return states[::-1]


def _is_further(columns: Any) -> Any:
    return (columns > 0) & (columns % 2 == 0)


def _span(tokenised: TokenisedText, name: str, shares: "Numbers", begin: int, end: int) -> ScoredSpan:
    is_cut = tokenised.is_cut and tokenised.word_of_token[-2] < end
    last = len(tokenised.words) if is_cut else end
    score = float(shares.sum(axis=1).mean())
    return ScoredSpan(name, tokenised.words[begin].start, tokenised.words[last - 1].end, min(score, 1.0))
