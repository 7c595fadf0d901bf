"""Examples with `{slot}` in them, cut into the words to find and the holes to fill."""

import re
from collections.abc import Set
from dataclasses import dataclass

from dialogue.nlu.text.tokens import folded_words

HOLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
COUNTED_NOUN = re.compile(r"\b(?:a|an|un|una) (\w+)")


@dataclass(frozen=True)
class Literal:
    word: str


@dataclass(frozen=True)
class Hole:
    slot: str


Element = Literal | Hole


@dataclass(frozen=True)
class ExampleTemplate:
    """ "send {amount} to {beneficiary}" as [send] (amount) [to] (beneficiary)."""

    elements: tuple[Element, ...]

    @property
    def holes(self) -> frozenset[str]:
        return frozenset(element.slot for element in self.elements if isinstance(element, Hole))

    @property
    def literals(self) -> tuple[str, ...]:
        return tuple(element.word for element in self.elements if isinstance(element, Literal))


def parse_template(example: str) -> ExampleTemplate:
    pieces = HOLE.split(example)
    elements: list[Element] = []
    for index, piece in enumerate(pieces):
        elements += [Hole(piece)] if index % 2 else map(Literal, folded_words(piece))
    return ExampleTemplate(tuple(elements))


def with_placeholders(example: str, placeholders: dict[str, str]) -> str:
    """The example with each hole replaced by the mark of its slot's type, or by nothing."""
    return HOLE.sub(lambda hole: f" {placeholders.get(hole[1], '')} ", example)


def with_hole(example: str, about: Set[str], slot: str) -> str:
    """ "Put a book on hold" as "Put {title} on hold", when a title is about a book; else as it is."""
    hole = f"{{{slot}}}"
    return COUNTED_NOUN.sub(lambda thing: hole if folded_words(thing[1])[0] in about else thing.group(), example)
