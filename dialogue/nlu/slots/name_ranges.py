"""Names in a message: runs of capitals, with the small words inside them."""

from collections.abc import Iterator

from dialogue.nlu.slots.utterance import Utterance
from dialogue.nlu.text.tokens import MAX_NAME_PARTICLES, NAME_PARTICLES, Token

NAME_SEPARATORS = frozenset({" ", "-", "'", "’", ". ", " & ", ", "})
# "St. Ives" is one name; a longer word before a full stop ends a sentence.
MAX_ABBREVIATION_LETTERS = 3
SENTENCE_MARKS = ".!?"


def find_names(utterance: Utterance) -> Iterator[range]:
    """Yield runs of capitals as ranges of tokens, without a capital that only begins the sentence."""
    index = 1
    while index < len(utterance.tokens):
        end = _end_of_name(utterance, index)
        if end > index:
            yield range(index, end)
        index = max(end, index + 1)


def _end_of_name(utterance: Utterance, start: int) -> int:
    """Return the index behind the last word of the name that begins here; `start` without a name."""
    if not _is_start_of_name(utterance, start):
        return start
    end = start + 1
    while (following := _next_of_name(utterance, end)) is not None:
        end = following + 1
    return end


def _is_start_of_name(utterance: Utterance, index: int) -> bool:
    token, before = utterance.tokens[index], utterance.text[: utterance.tokens[index].start].rstrip()
    number = (
        token.text.isdigit()
        and index + 1 < len(utterance.tokens)
        and _is_capital(utterance.tokens[index + 1], utterance)
        and not utterance.text[token.end : utterance.tokens[index + 1].start].strip()
    )
    return (number or _is_capital(token, utterance)) and before[-1:] not in SENTENCE_MARKS


def _is_capital(token: Token, utterance: Utterance) -> bool:
    return token.text[:1].isupper() and token.folded not in utterance.lexicon.cues.sentence_starters


def _next_of_name(utterance: Utterance, index: int) -> int | None:
    """The next word that belongs to the same name: behind a hyphen, or a capital behind at most two small words."""
    if (
        index < len(utterance.tokens)
        and utterance.text[utterance.tokens[index - 1].end : utterance.tokens[index].start] == "-"
    ):
        return index
    for ahead in range(index, min(index + MAX_NAME_PARTICLES + 1, len(utterance.tokens))):
        between = utterance.text[utterance.tokens[ahead - 1].end : utterance.tokens[ahead].start]
        is_code = between == ", " and utterance.tokens[ahead - 1].text[-1:].isdigit()
        if (
            is_code
            or between not in NAME_SEPARATORS
            or (between == ". " and len(utterance.tokens[ahead - 1].text) > MAX_ABBREVIATION_LETTERS)
        ):
            return None
        if _is_capital(utterance.tokens[ahead], utterance):
            return ahead
        if utterance.folded[ahead] not in NAME_PARTICLES:
            return None
    return None
