"""A text as the trained readers take it: its tokens, where each is, and how its word is written.

The sentence model reads lower case only; how a word is written is told apart, since it tells names.
"""

from dataclasses import dataclass
from enum import IntEnum

from dialogue.nlu.text.embeddings.wordpiece import END_TOKEN, MAX_TOKENS, START_TOKEN, Word, vocabulary, words

MAX_WORDS_TOKENS = MAX_TOKENS - 2
"""What is between start and end token; words beyond are not read."""


class WordCase(IntEnum):
    """How a word is written."""

    NO_WORD = 0
    LOWER = 1
    CAPITALISED = 2
    UPPER = 3
    NUMBER = 4


@dataclass(frozen=True)
class TokenisedText:
    """`ids`, `cases` and `word_of_token` have one entry a token; the start and end tokens belong to word -1."""

    text: str
    ids: tuple[int, ...]
    cases: tuple[int, ...]
    word_of_token: tuple[int, ...]
    words: tuple[Word, ...]
    is_cut: bool


def tokenise(text: str) -> TokenisedText:
    """Return the text's tokens, at most as many as the sentence model reads."""
    vocabulary_ids, text_words = vocabulary(), tuple(words(text))
    tokens = [(piece, index) for index, word in enumerate(text_words) for piece in word.pieces]
    read = tokens[:MAX_WORDS_TOKENS]
    cases = [word_case(text[word.start : word.end]) for word in text_words]
    return TokenisedText(
        text,
        (vocabulary_ids[START_TOKEN], *(piece for piece, _ in read), vocabulary_ids[END_TOKEN]),
        (WordCase.NO_WORD, *(cases[index] for _, index in read), WordCase.NO_WORD),
        (-1, *(index for _, index in read), -1),
        text_words,
        len(read) < len(tokens),
    )


def word_case(word: str) -> WordCase:
    """Return how the word is written; a single capital letter is capitalised."""
    if word.isdigit():
        return WordCase.NUMBER
    if word.isupper() and len(word) > 1:
        return WordCase.UPPER
    return WordCase.CAPITALISED if word[:1].isupper() else WordCase.LOWER
