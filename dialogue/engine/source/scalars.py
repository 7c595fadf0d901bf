"""Plain scalars of YAML 1.2: what is nothing, a boolean or a number, and what is text."""

import re
from decimal import Decimal

_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_WHOLE = re.compile(r"[-+]?[0-9]+")
_DECIMAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_OTHER_BASE = re.compile(r"0[xob][0-9a-fA-F]+")
_NO_NUMBER = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_LONGEST = 40
_LARGEST_EXPONENT = 300


class ScalarRefused(ValueError):
    """A plain scalar that would not mean what its author thinks."""

    def __init__(self, rule: str, text: str, advice: str) -> None:
        self.rule, self.text, self.advice = rule, text, advice
        super().__init__(f"{text}. {advice}")


def read_plain_scalar(text: str) -> str | int | Decimal | bool | None:
    """The value of an unquoted scalar; `no`, `1:30`, `1_000` and dates are text."""
    if text in _NOTHING:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    _check_number(text)
    if len(text) <= _LONGEST and _WHOLE.fullmatch(text):
        return int(text)
    return _decimal(text) if len(text) <= _LONGEST and _DECIMAL.fullmatch(text) else text


def _check_number(text: str) -> None:
    quoted = f'Quote it: "{text[:_LONGEST]}"'
    if len(text) > _LONGEST and _WHOLE.fullmatch(text):
        raise ScalarRefused("long_number", f"found a number of {len(text):,} digits", "Quote it when it is a text")
    if _LEADING_ZERO.fullmatch(text):
        said = f"`{text[:_LONGEST]}` begins with a zero, which a number would lose"
        raise ScalarRefused("leading_zero", said, quoted)
    if _OTHER_BASE.fullmatch(text):
        said = f"`{text[:_LONGEST]}` is a number of another base"
        raise ScalarRefused("other_base", said, f'Write it in decimals, or quote it: "{text[:_LONGEST]}"')
    if _NO_NUMBER.fullmatch(text):
        raise ScalarRefused("no_number", f"`{text}` is no number that can be used", quoted)


def _decimal(text: str) -> Decimal:
    number = Decimal(text)
    if number and abs(number.adjusted()) > _LARGEST_EXPONENT:
        raise ScalarRefused("long_number", f"`{text}` is too large or too small a number", f'Quote it: "{text}"')
    return number
