"""Conditions and expressions of the language: small, typed, checked, and without any effect."""

from collections.abc import Mapping
from datetime import datetime

from dialogue.engine.expressions.model import Name, Node, Scope, TypedValue, names_in
from dialogue.engine.expressions.parser import ConditionRefused, parse_condition
from dialogue.engine.expressions.types import Kind, check_expression, check_test

__all__ = ["Condition", "ConditionRefused", "Kind", "TypedValue"]


class Condition:
    """A compiled text; the same class serves tests (`.holds`) and expressions (`.evaluate`).

    `.slots` are the names it reads, `<step>.<field>` of human steps included. Raises ConditionRefused(text, column).
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree: Node = parse_condition(text)
        self.slots = frozenset(name.name for name in names_in(self.tree))

    def holds(self, values: Mapping[str, TypedValue], now: datetime) -> bool:
        """Whether the test is true for these typed values; `now` is in the conversation's time zone."""
        return self.evaluate(values, now) is True

    def evaluate(self, values: Mapping[str, TypedValue], now: datetime) -> TypedValue:
        """The typed value of the expression; None when a slot that it needs is empty."""
        return self.tree.evaluate(Scope(values, now))

    def names(self) -> tuple[Name, ...]:
        """The names with their columns, from left to right."""
        return tuple(names_in(self.tree))

    def check_as_test(self, kinds: Mapping[str, Kind]) -> None:
        """Raise ConditionRefused unless it is true or false for slots of these kinds."""
        check_test(self.tree, kinds)

    def check_as_expression(self, kinds: Mapping[str, Kind]) -> Kind:
        """The kind of its value; raises ConditionRefused when the kinds do not fit together."""
        return check_expression(self.tree, kinds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Condition) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Condition({self.text!r})"
