"""Errors and warnings about an author's document: where, what was found, and what to write instead."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from dialogue.engine.source.phrases import Phrase

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Problem:
    """One finding. Lines and columns count from 1; `path` is such as "reserve_book.steps.check.on_deny".

    `code` is "E-YAML" (the text is not valid YAML), "E-FLOW" (it is YAML but not a valid flow) or "W-FLOW" (it works,
    but is probably a mistake); `rule` is a finer word for programs, such as "unknown_key".
    """

    code: str
    file: str
    line: int
    column: int
    path: str
    severity: Severity
    text: str
    advice: str = ""
    rule: str = ""

    def __str__(self) -> str:
        message = f"{self.file}:{self.line}:{self.column}: {self.code}: {self.text}"
        return f"{message}. {self.advice}" if self.advice else message


class FlowProblems(Exception):
    """The documents do not make an assistant. `problems` holds every error and warning."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


def nearest_name(name: str, known_names: Iterable[str]) -> str | None:
    """Return the known name that the author most probably meant, or None."""
    # The name is cut, because difflib takes quadratic time.
    matches = get_close_matches(name[:80], list(known_names), n=1, cutoff=0.6)
    return matches[0] if matches else None


def did_you_mean(name: str, known_names: Iterable[str]) -> Phrase:
    """Return advice for an unknown name: the nearest known name, or all of them if they are at most 20, or ""."""
    names = sorted(known_names)
    if match := nearest_name(name, names):
        return Phrase("Did you mean `{match}`?", match=match)
    if names and len(names) <= 20:
        return Phrase("Choose one of: {names}", names=", ".join(f"`{known_name}`" for known_name in names))
    return Phrase("")


def escape_character(character: str) -> str:
    """Return the character, or its escape if it is a control, a surrogate or invisible: "\\u202e"."""
    hidden = unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    return f"\\u{ord(character):04x}" if hidden else character
