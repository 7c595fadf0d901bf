"""Validators: Python functions that a slot names. `iban` and `luhn` are built in; others are registered."""

from collections.abc import Callable
from dataclasses import dataclass

Check = Callable[[str], bool]
Normalise = Callable[[str], str]


class ValidatorNotFound(KeyError):
    """No validator is registered under this name."""


@dataclass(frozen=True)
class Validator:
    """The check of a value. `normalise` removes what people type for readability, before any other check."""

    check: Check
    normalise: Normalise


_registered: dict[str, Validator] = {}


def validator(name: str, tidy: Normalise = str) -> Callable[[Check], Check]:
    """Register the decorated function (stored value as text → valid or not) under a name that slots may use."""

    def register(check: Check) -> Check:
        _registered[name] = Validator(check, tidy)
        return check

    return register


def find_validator(name: str) -> Validator:
    """Return the validator of this name. Raises ValidatorNotFound."""
    try:
        return _registered[name]
    except KeyError:
        raise ValidatorNotFound(name) from None


def validator_names() -> frozenset[str]:
    """Return the names that slots may use."""
    return frozenset(_registered)


def _without_blanks(text: str) -> str:
    return "".join(text.split()).upper()


def _digits_only(text: str) -> str:
    return text.replace(" ", "").replace("-", "")


@validator("iban", tidy=_without_blanks)
def is_iban(text: str) -> bool:
    """Whether the check digits of an IBAN fit (ISO 13616, mod 97)."""
    if not (5 <= len(text) <= 34 and text.isascii() and text.isalnum() and text[:2].isalpha()):
        return False
    turned = text[4:] + text[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97 == 1


@validator("luhn", tidy=_digits_only)
def is_luhn(text: str) -> bool:
    """Whether the last digit is the check digit of the others, as on payment cards (ISO/IEC 7812)."""
    if not (text.isascii() and text.isdigit() and 2 <= len(text) <= 40):
        return False
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in text[-2::-2])
    return (sum(map(int, text[-1::-2])) + sum(doubled)) % 10 == 0
