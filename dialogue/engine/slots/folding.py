"""Words made comparable: without case, accents and repeated blanks."""

import unicodedata


def fold_text(text: str) -> str:
    """ "  Sí  Señor " becomes "si senor"."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return " ".join("".join(each for each in apart if not unicodedata.combining(each)).split())
