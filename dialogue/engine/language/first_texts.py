"""The texts that new flows and steps begin with, by language, until their author writes others."""

from collections.abc import Mapping

FIRST_TEXTS: Mapping[str, Mapping[str, str]] = {
    "description": {
        "en": "Write here what this flow is for.",
        "es": "Escribe aquí para qué es este flujo.",
    },
    "example": {"en": "Write how people ask for it", "es": "Escribe cómo lo pide la gente"},
    "message": {"en": "Write what is said here", "es": "Escribe lo que se dice aquí"},
    "decision": {"en": "Write what is to be decided", "es": "Escribe lo que hay que decidir"},
}
"""By what they stand for and language. They ask to be replaced, so a flow that still has one is not finished."""

ALL_FIRST_TEXTS = frozenset(text for texts in FIRST_TEXTS.values() for text in texts.values())


def first_text(purpose: str, language: str) -> str:
    """Return the text of a language tag such as "es-MX", in English for languages that have none."""
    texts = FIRST_TEXTS[purpose]
    return texts.get(language.partition("-")[0], texts["en"])
