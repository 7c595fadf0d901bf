"""Examples with `{slot}` in them, split into words to find and holes to fill."""

import re
from collections.abc import Set
from dataclasses import dataclass

from dialogue.nlu.text.tokens import folded_words

HOLE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
COUNTED_NOUN = re.compile(r"\b(?:a|an|un|una) (\w+)")


@dataclass(frozen=True)
class Literal:
    """A word of the example."""

    word: str


@dataclass(frozen=True)
class Hole:
    """A place for a slot's value."""

    slot: str


Element = Literal | Hole


@dataclass(frozen=True)
class ExampleTemplate:
    """ "send {amount} to {beneficiary}" as [send] (amount) [to] (beneficiary)."""

    elements: tuple[Element, ...]

    @property
    def holes(self) -> frozenset[str]:
        """The names of the slots in the example."""
        return frozenset(element.slot for element in self.elements if isinstance(element, Hole))


def parse_template(example: str) -> ExampleTemplate:
    """Split an example into its words and holes."""
    pieces = HOLE.split(example)
    elements: list[Element] = []
    for index, piece in enumerate(pieces):
        elements += [Hole(piece)] if index % 2 else map(Literal, folded_words(piece))
    return ExampleTemplate(tuple(elements))


def with_placeholders(example: str, placeholders: dict[str, str]) -> str:
    """Return the example with its holes replaced by the placeholders of their types, or by nothing."""
    return HOLE.sub(lambda hole: f" {placeholders.get(hole[1], '')} ", example)


def with_hole(example: str, about: Set[str], slot: str) -> str:
    """Return "Put {title} on hold" for "Put a book on hold", when a title is about a book; else the example."""
    hole = f"{{{slot}}}"
    return COUNTED_NOUN.sub(lambda thing: hole if folded_words(thing[1])[0] in about else thing.group(), example)
