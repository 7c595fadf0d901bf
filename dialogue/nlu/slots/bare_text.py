"""Free text without what leads to it and what is behind it: quotes, "it's called", "please"."""

import re
from collections.abc import Sequence

from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.lexicons.lexicon import Phrase
from dialogue.nlu.text.phrases import find_phrase, prefix_length, suffix_length
from dialogue.nlu.text.tokens import Token, tokenize

MAX_TITLE_LEAD_LETTERS = 3
EDGE_MARKS = ' ,;:."“”«»'
QUOTATION = re.compile(r"[\"“«]([^\"“”«»]{1,200})[\"”»]")


def bare_text(text: str, utterance: Utterance, *, lead: bool = False) -> str:
    """Return free text without quotes or politeness behind it and, with `lead`, without "it's called" before it."""
    quoted = QUOTATION.fullmatch(text.strip())
    if quoted:
        return quoted[1].strip()
    tokens, cues = tokenize(text), utterance.lexicon.cues
    folded = [token.folded for token in tokens]
    start = lead_length(tokens, cues.leads) if lead else 0
    end = len(tokens) - _tails_length(folded[start:], cues.tails)
    first = tokens[start].start if start else 0
    last = tokens[end].start if end < len(tokens) else len(text)
    return text[first:last].strip(EDGE_MARKS)


def lead_length(tokens: Sequence[Token], leads: frozenset[Phrase]) -> int:
    """Return how many words lead to the value: of "Well, it's called Dune" the first three.

    Leads follow one another, but one word must remain. A capital "To" begins a title, a small one leads to a name.
    """
    folded = [token.folded for token in tokens]
    if tokens and tokens[0].text[:1].isupper() and (folded[0],) in leads and len(folded[0]) <= MAX_TITLE_LEAD_LETTERS:
        return 0
    start = 0
    while (length := prefix_length(folded[start:], leads)) and start + length < len(folded):
        start += length
    return start


def _tails_length(folded: Sequence[str], tails: frozenset[Phrase]) -> int:
    length = 0
    while (more := suffix_length(folded[: len(folded) - length], tails)) and length + more < len(folded):
        length += more
    return length


def politeness_length(utterance: Utterance) -> int:
    """Return how many words of politeness the message begins with: "well, I would like to"."""
    acts = utterance.lexicon.acts
    end = 0
    while length := prefix_length(utterance.folded[end:], acts.openers, acts.fillers):
        end += length
    return end


def text_from(utterance: Utterance, index: int) -> str:
    """Return the bare text from this word on, or ""."""
    return (
        bare_text(utterance.text[utterance.tokens[index].start :], utterance) if index < len(utterance.tokens) else ""
    )


def text_behind_target(utterance: Utterance) -> str:
    """Return what follows "should be" and the like: of "the title should be Dune" the last word; or ""."""
    politeness = politeness_length(utterance)
    target = find_phrase(utterance.folded[politeness:], utterance.lexicon.cues.targets)
    return text_from(utterance, politeness + target[1]) if target else ""
