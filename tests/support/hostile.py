"""Texts that cost a careless parser seconds: tests look at what becomes of them, `make bench` at what they cost."""

from collections.abc import Mapping, Sequence

BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + place)}: &{chr(98 + place)} [{', '.join([f'*{chr(97 + place)}'] * 9)}]\n" for place in range(20)
)

YAML: Mapping[str, str] = {
    "bomb": BOMB,
    "brackets": "[" * 2000,
    "value": "x: " + "[" * 2000,
    "braces": "{" * 2000,
    "items": "[a," * 2000,
    "dashes": "- " * 100_000,
    "questions": "? " * 100_000,
    "size": "a: b\n" + "x" * 300 * 1024,
    "digits": "x: " + "9" * 5000,
}
"""Documents that are refused."""

CONDITIONS: Sequence[str] = (
    "+1" * 30_000,
    "(" * 60_000,
    "not " * 15_000,
    "x." * 30_000,
    "'" * 60_000,
    "any(a, " * 70,
    "any(a, any(b, any(c, item > 1)))",
    "a" + ".a" * 249,
    "1d" * 249,
    "if(a, " * 83,
)
"""Conditions that are refused."""

HUGE_NUMBERS = "*".join(["9" * 20] * 23) + " > 1"
"""A condition that holds."""

PATTERN = "(a+)+$"
"""A pattern for which a backtracking matcher needs a time that doubles with every letter."""

MESSAGES: Mapping[str, str] = {
    "words": "and " * 900,
    "clauses": "and a " * 650,
    "digits": "1 " * 1_900,
    "address": "a@" + ".a" * 1_900,
    "sentences": "pay 5 of my fine. " * 200,
    "brackets": "(" * 3_900,
}
"""The longest messages that are read."""
