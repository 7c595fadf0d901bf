"""What each language contributes to the understanding. Another language is one more file and one more line here."""

from dialogue.nlu.text.lexicons.english import ENGLISH
from dialogue.nlu.text.lexicons.lexicon import Lexicon
from dialogue.nlu.text.lexicons.spanish import SPANISH

LEXICONS = {lexicon.code: lexicon for lexicon in (ENGLISH, SPANISH)}


def lexicon_of(language: str) -> Lexicon:
    """Return the lexicon for a BCP 47 tag by its first part; English for a language without one."""
    return LEXICONS.get(language.lower().split("-")[0], ENGLISH)
