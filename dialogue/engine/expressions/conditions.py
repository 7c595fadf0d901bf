"""Conditions and expressions of the flow language: small, typed, checked when loaded, and free of side effects."""

from collections.abc import Mapping
from datetime import datetime

from dialogue.engine.expressions.model import Name, Node, Scope, TypedValue, names_in
from dialogue.engine.expressions.parser import ConditionRefused, parse_condition
from dialogue.engine.expressions.types import Kind, check_expression, check_test

__all__ = ["Condition", "ConditionRefused", "Kind", "TypedValue"]


class Condition:
    """A compiled text; the same class serves tests (`holds`) and expressions (`evaluate`).

    `slots` holds the names that it reads, `<step>.<field>` of human steps included. Raises ConditionRefused.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree: Node = parse_condition(text)
        self.slots = frozenset(name.name for name in names_in(self.tree))

    def holds(self, values: Mapping[str, TypedValue], now: datetime) -> bool:
        """Return whether the test is true for these typed values; `now` is in the conversation's time zone."""
        return self.evaluate(values, now) is True

    def evaluate(self, values: Mapping[str, TypedValue], now: datetime) -> TypedValue:
        """Return the typed value of the expression; None if a slot that it needs is empty."""
        return self.tree.evaluate(Scope(values, now))

    def names(self) -> tuple[Name, ...]:
        """Return the names with their columns, from left to right."""
        return tuple(names_in(self.tree))

    def check_as_test(self, kinds: Mapping[str, Kind]) -> None:
        """Raise ConditionRefused unless the result is a boolean for slots of these kinds."""
        check_test(self.tree, kinds)

    def check_as_expression(self, kinds: Mapping[str, Kind]) -> Kind:
        """Return the kind of its value. Raises ConditionRefused if the kinds do not fit together."""
        return check_expression(self.tree, kinds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Condition({self.text!r})"
