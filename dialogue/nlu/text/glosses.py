"""Spanish texts word by word in English, so that the English sentence model can compare them by meaning.

Words follow each other as in Spanish, which matters little for the model. Words that are not in the dictionary stay.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dialogue.nlu.text.lexicons import LEXICONS
from dialogue.nlu.text.tokens import Token, tokenize

DICTIONARY = Path(__file__).parent / "lexicons" / "spanish_english.txt"
GLOSSED_LANGUAGE = "es"
# Half of the words must be Spanish where no small word tells the language.
MIN_KNOWN_SHARE = 0.5
PRONOUNS_BEHIND = re.compile(r"(.+(?:ar|er|ir|ndo|ad|ed|id))(?:me|te|se|nos|os)?(?:lo|la|le|los|las|les)?")
REQUEST_WITH_PRONOUNS = re.compile(r"(.+?[aeo]n?)(?:(?:me|nos|te|le|les|se)(?:lo|la|los|las)?|lo|la|los|las)")
# The endings of regular verbs: letters, who does it, and the tense. The accent of "compré" shows the past.
ENDINGS: Sequence[tuple[str, str, str]] = tuple(
    (ending, person, tense)
    for tense, rows in {
        "past": (
            ("aste iste asteis isteis", "you"), ("aron ieron yeron aban ian", "they"), ("abamos iamos", "we"),
            ("aba abas ia ias", ""),
        ),
        "participle": (("ado ada ados adas ido ida idos idas", ""),),
        "will": (("are ere ire", "I"), ("aremos eremos iremos", "we"), ("aran eran iran", "they"), ("ara era ira", "")),
        "would": (("aria eria iria arias erias irias", ""), ("arian erian irian", "they"),
                  ("ariamos eriamos iriamos", "we")),
        "present": (
            ("ar er ir ando iendo yendo ad ed id", ""), ("o", "I"), ("as es ais eis is", "you"),
            ("amos emos imos", "we"), ("an en", "they"), ("a e", ""),
        ),
    }.items()
    for endings, person in rows
    for ending in endings.split()
)  # fmt: skip
ENDINGS_BY_LENGTH = tuple(sorted(ENDINGS, key=lambda ending: -len(ending[0])))
PAST_ACCENTS: Mapping[str, str] = {"é": "I", "í": "I", "ó": ""}
# How a stem changes within a verb: "quiero" is of querer, "busqué" of buscar.
STEM_CHANGES = (("ie", "e"), ("ue", "o"), ("i", "e"), ("u", "o"))
FINAL_CHANGES = (("zc", "c"), ("qu", "c"), ("gu", "g"), ("c", "z"), ("z", "c"), ("j", "g"), ("g", ""), ("y", ""))
MAX_PHRASE_WORDS = 4
# Words of both languages tell neither.
SHARED_WORDS = frozenset({"a", "no", "me", "he", "has"})


@dataclass(frozen=True)
class GlossedWord:
    """A word of the text, where it is, and its English; "" for words that English does not need."""

    gloss: str
    start: int
    end: int


@dataclass(frozen=True)
class Dictionary:
    """English by Spanish phrase, form, noun or adjective, and by stem of a verb (present and past)."""

    phrases: Mapping[tuple[str, ...], str]
    forms: Mapping[str, str]
    nouns: Mapping[str, str]
    verbs: Mapping[str, tuple[str, str]]


def gloss(text: str) -> str:
    """Return the text with English words for those that the dictionary knows; marks between words stay."""
    pieces, position = [], 0
    for word in glossed_words(text):
        pieces += [text[position : word.start], word.gloss]
        position = word.end
    return re.sub(r"\s+", " ", "".join([*pieces, text[position:]])).strip()


@lru_cache(maxsize=256)
def glossed_words(text: str) -> tuple[GlossedWord, ...]:
    """Return the words of the text with their English."""
    words: list[GlossedWord] = []
    tokens, position = tokenize(text), 0
    while position < len(tokens):
        length, english = _phrase_at(tokens, position)
        first, last = tokens[position], tokens[position + length - 1]
        if english is None:
            is_name = bool(words) and first.text[:1].isupper()
            english = None if is_name else word_gloss(first.text.lower())
        words.append(GlossedWord(first.text if english is None else english, first.start, last.end))
        position += length
    return tuple(words)


def _phrase_at(tokens: Sequence[Token], position: int) -> tuple[int, str | None]:
    """Return how many words belong together from here on, and their English; 1 and None where none do."""
    phrases = _dictionary().phrases
    for length in range(min(MAX_PHRASE_WORDS, len(tokens) - position), 1, -1):
        english = phrases.get(tuple(token.folded for token in tokens[position : position + length]))
        if english is not None:
            return length, english
    return 1, None


@lru_cache(maxsize=4096)
def is_spanish(text: str) -> bool:
    """Return whether the text is rather Spanish than English, by its small words, else by what the dictionary knows."""
    words = [token.folded for token in tokenize(text) if not token.folded[:1].isdigit()]
    words = [word for word in words if word not in SHARED_WORDS]
    english = sum(word in LEXICONS["en"].cues.function_words for word in words)
    spanish = sum(word in LEXICONS[GLOSSED_LANGUAGE].cues.function_words for word in words)
    if english != spanish:
        return spanish > english
    known = sum((english_word := word_gloss(word)) is not None and english_word != word for word in words)
    return bool(words) and known >= MIN_KNOWN_SHARE * len(words)


@lru_cache(maxsize=8192)
def word_gloss(word: str) -> str | None:
    """Return the English of a Spanish word in lower case, or None. Accents may be missing."""
    dictionary, folded = _dictionary(), "".join(token.folded for token in tokenize(word))
    for form in (word, folded):
        if form in dictionary.forms:
            return dictionary.forms[form]
    # "¿Cuánto cobráis?" and "el cobro": the verb comes first where an accent shows a past tense.
    if word[-1:] in PAST_ACCENTS and (past := _verb_gloss(folded, word[-1])) is not None:
        return past
    noun = next((dictionary.nouns[form] for form in _singulars(folded) if form in dictionary.nouns), None)
    if noun is not None:
        return noun
    # "Anúlalo", "mándame": an accent shows that pronouns stand behind a verb; without one they are tried last.
    request = REQUEST_WITH_PRONOUNS.fullmatch(folded)
    if request is not None and word != folded:
        return _verb_gloss(request[1], "")
    verb = _verb_gloss(folded, "")
    return verb if verb is not None or request is None else _verb_gloss(request[1], "")


def _singulars(word: str) -> Iterator[str]:
    yield word
    if word.endswith("ces"):
        yield f"{word[:-3]}z"
    for plural in ("s", "es"):
        if word.endswith(plural):
            yield word.removesuffix(plural)
    for ending, singular in (("as", "o"), ("a", "o"), ("as", ""), ("a", "")):
        if word.endswith(ending):
            yield word.removesuffix(ending) + singular


def _verb_gloss(word: str, accent: str) -> str | None:
    with_pronouns = PRONOUNS_BEHIND.fullmatch(word)
    word = with_pronouns[1] if with_pronouns else word
    if accent:
        verb = _verb_of(word.removesuffix("i")[:-1]) or _verb_of(word[:-2] if word.endswith("io") else word[:-1])
        return " ".join(filter(None, (PAST_ACCENTS[accent], verb[1]))) if verb else None
    for ending, person, tense in ENDINGS_BY_LENGTH:
        verb = _verb_of(word.removesuffix(ending)) if word.endswith(ending) else None
        if verb is not None:
            auxiliary = tense if tense in ("will", "would") else ""
            return " ".join(filter(None, (person, auxiliary, verb[tense in ("past", "participle")])))
    return None


def _verb_of(stem: str) -> tuple[str, str] | None:
    verbs = _dictionary().verbs
    return next((verbs[form] for form in _stems(stem) if form in verbs), None)


def _stems(stem: str) -> Iterator[str]:
    finals = [stem, *(f"{stem.removesuffix(end)}{other}" for end, other in FINAL_CHANGES if stem.endswith(end))]
    yield from finals
    for final in finals:
        for changed, plain in STEM_CHANGES:
            head, found, tail = final.rpartition(changed)
            if found:
                yield f"{head}{plain}{tail}"


@lru_cache(maxsize=1)
def _dictionary() -> Dictionary:
    """Read the file; it is loaded with the first Spanish text."""
    sections: dict[str, dict[str, str]] = {}
    section: dict[str, str] = {}
    for line in DICTIONARY.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
        elif not line.startswith("#"):
            entries = (entry.partition("=") for entry in line.split())
            section |= {spanish: english.replace("_", " ") for spanish, _mark, english in entries}
    verbs: dict[str, tuple[str, str]] = {}
    for infinitive, english in sections["verbs"].items():
        present, _mark, past = english.partition("|")
        verbs.setdefault(infinitive[:-2], (present, past))
    phrases = {tuple(phrase.split("_")): english for phrase, english in sections["phrases"].items()}
    return Dictionary(phrases, sections["forms"], sections["nouns"], verbs)
