"""The vocabulary of a language."""

from dialogue.engine.slots.matching.english import ENGLISH
from dialogue.engine.slots.matching.spanish import SPANISH
from dialogue.engine.slots.matching.vocabulary import Vocabulary


def vocabulary_of(language: str) -> Vocabulary:
    """Return the words of the language; English for any other than Spanish."""
    return SPANISH if language.lower().startswith("es") else ENGLISH
