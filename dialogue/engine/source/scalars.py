"""Read the plain (unquoted) scalars of YAML 1.2: null, booleans, numbers and text."""

import re
from decimal import Decimal

from dialogue.engine.source.phrases import Phrase

# What YAML 1.2 calls the core schema; YAML 1.1 also read yes, on, 1:30 and 1_000 as something other than text.
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"[-+]?[0-9]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_OTHER_BASE = re.compile(r"0[xob][0-9a-fA-F]+")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_MAX_NUMBER_CHARACTERS = 40
_MAX_EXPONENT = 300


class ScalarRefused(ValueError):
    """The plain scalar would not mean what its author thinks. `rule` is for programs, `advice` for the author."""

    def __init__(self, rule: str, text: str, advice: str) -> None:
        self.rule, self.text, self.advice = rule, text, advice
        super().__init__(f"{text}. {advice}")


def read_plain_scalar(text: str) -> str | int | Decimal | bool | None:
    """Return the value of an unquoted scalar; `no`, `1:30`, `1_000` and dates are text.

    Raises ScalarRefused for leading zeros, other bases, .inf, .nan and numbers out of range.
    """
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    _check_number(text)
    if len(text) <= _MAX_NUMBER_CHARACTERS and _WHOLE.fullmatch(text):
        return int(text)
    return _parse_decimal(text) if len(text) <= _MAX_NUMBER_CHARACTERS and _DECIMAL.fullmatch(text) else text


def _check_number(text: str) -> None:
    quoted = Phrase('Quote it: "{text}"', text=text[:_MAX_NUMBER_CHARACTERS])
    if len(text) > _MAX_NUMBER_CHARACTERS and _WHOLE.fullmatch(text):
        raise ScalarRefused(
            "long_number",
            Phrase("found a number of {count} digits", count=f"{len(text):,}"),
            Phrase("Quote it if it is a text"),
        )
    if _LEADING_ZERO.fullmatch(text):
        message = Phrase(
            "`{text}` begins with a zero, which a number does not keep", text=text[:_MAX_NUMBER_CHARACTERS]
        )
        raise ScalarRefused("leading_zero", message, quoted)
    if _OTHER_BASE.fullmatch(text):
        message = Phrase("`{text}` is not a decimal number", text=text[:_MAX_NUMBER_CHARACTERS])
        raise ScalarRefused(
            "other_base",
            message,
            Phrase('Write it as a decimal number, or quote it: "{text}"', text=text[:_MAX_NUMBER_CHARACTERS]),
        )
    if _NOT_FINITE.fullmatch(text):
        raise ScalarRefused("no_number", Phrase("`{text}` is not a usable number", text=text), quoted)


def _parse_decimal(text: str) -> Decimal:
    # A float holds exponents up to 308; JSON readers would turn larger ones into infinity.
    number = Decimal(text)
    if number and abs(number.adjusted()) > _MAX_EXPONENT:
        raise ScalarRefused(
            "long_number",
            Phrase("`{text}` is too large or too small for a number", text=text),
            Phrase('Quote it: "{text}"', text=text),
        )
    return number
