"""Labels of slots for people: the title that the author gave, or else the name in words ("Known payee", "IBAN")."""

from collections.abc import Mapping

INITIALISMS: Mapping[str, str] = {
    word.casefold(): word
    for word in (
        "API", "ATM", "BIC", "CIF", "CVV", "DNI", "ETA", "GPS", "IBAN", "ID", "IP", "ISBN", "NIE", "NIF", "OTP", "PDF",
        "PIN", "PUK", "SIM", "SKU", "SMS", "SSN", "SWIFT", "TAN", "UK", "URL", "USB", "VAT", "VIN", "WiFi",
    )
}  # fmt: skip
"""Words of names that people write in another case."""


def words_of_name(name: str) -> str:
    """Return a name in words, as it stands within a sentence: "payee IBAN" for payee_iban."""
    return " ".join(INITIALISMS.get(word.casefold(), word) for word in name.replace("_", " ").split())


def label_of_slot(name: str, title: str | None = None, language: str = "") -> str:
    """Return what pages call a slot: its title in this language, or else its name: "Address: zip code".

    `title` is a `Translated` text, or a plain one. Dots separate the fields of records.
    """
    in_language = getattr(title, "in_language", None)
    text = (in_language(language) if in_language else title) or ": ".join(map(words_of_name, name.split(".")))
    return text[:1].upper() + text[1:]
