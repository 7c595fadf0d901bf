"""Conditions and expressions of the flow language: small, typed, checked when loaded, and free of side effects."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from dialogue.engine.expressions.kinds import Kind, KindScope
from dialogue.engine.expressions.model import FunctionCall, Name, Node, child_nodes
from dialogue.engine.expressions.parser import ConditionRefused, parse_condition
from dialogue.engine.expressions.signatures import ENTRY_FUNCTIONS, EXTREMES
from dialogue.engine.expressions.types import check_expression, check_test, unbound_names
from dialogue.engine.expressions.values import ENTRY, ExpressionTooCostly, Scope, TypedValue

__all__ = ["Condition", "ConditionRefused", "ExpressionTooCostly", "Kind", "TypedValue"]


class Condition:
    """A compiled text; the same class serves tests (`holds`) and expressions (`evaluate`).

    `slots` holds the names that it reads as they are written: amount, order.status, `<step>.<field>` of human steps. A
    name in the second argument of a list function is among them too, though it may be a field of the entry:
    `slots_read` tells them apart. `names_read` has also the slots that names of fields begin with: order.
    Raises ConditionRefused.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree: Node = parse_condition(text)
        self.slots = frozenset(_names_outside_entries(self.tree))
        self.names_read = frozenset(with_slots(self.slots))

    def holds(self, values: Mapping[str, TypedValue], now: datetime) -> bool:
        """Return whether the test is true for these typed values; `now` is in the conversation's time zone.

        Raises ExpressionTooCostly.
        """
        return self.evaluate(values, now) is True

    def evaluate(self, values: Mapping[str, TypedValue], now: datetime) -> TypedValue:
        """Return the typed value of the expression; None if a slot that it needs is empty. Raises ExpressionTooCostly.

        A name such as order.status may be given itself, or as the dict of the object `order`.
        """
        return self.tree.evaluate(Scope(values, now))

    def slots_read(self, kinds: Mapping[str, Kind]) -> frozenset[str]:
        """Return the names of `slots` that are slots or decisions, without fields of a list's entries."""
        return frozenset(name.name for name, _ in unbound_names(self.tree, KindScope(kinds)))

    def unknown_names(self, kinds: Mapping[str, Kind]) -> Iterator[tuple[Name, frozenset[str]]]:
        """Yield the names that stand for nothing, from left to right, each with the names that may stand there."""
        for name, scope in unbound_names(self.tree, KindScope(kinds)):
            if not scope.is_known(name):
                yield name, scope.names()

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


def with_slots(names: Iterable[str]) -> set[str]:
    """Return the names together with the slots that they begin with: order.status reads order."""
    return {part for name in names for part in (name, name.partition(".")[0])}


def _names_outside_entries(node: Node) -> Iterator[str]:
    """Yield the names of the tree without those of the entry itself, such as item.price."""
    if isinstance(node, Name):
        yield node.name
    for index, child in enumerate(child_nodes(node)):
        names = _names_outside_entries(child)
        # The second argument of min and max may also be a plain value.
        is_for_entries = isinstance(node, FunctionCall) and node.name in ENTRY_FUNCTIONS - EXTREMES and index > 0
        yield from (name for name in names if not is_for_entries or name.split(".", maxsplit=1)[0] != ENTRY)
