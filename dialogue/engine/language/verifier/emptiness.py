"""Expressions that may be empty: the names that their value needs, and which of them are missing."""

from collections.abc import Callable, Iterator, Mapping

from dialogue.engine.expressions.conditions import Condition, ConditionRefused, Kind, with_slots
from dialogue.engine.expressions.model import (
    And,
    Arithmetic,
    Comparison,
    Constant,
    FunctionCall,
    ListLiteral,
    Minus,
    Name,
    Node,
    Not,
    Or,
    child_nodes,
)
from dialogue.engine.expressions.signatures import ENTRY_FUNCTIONS, EXTREMES
from dialogue.engine.expressions.types import check_expression
from dialogue.engine.language.verifier.value_sets import filled_unless, filled_when

IsFilled = Callable[[str], bool]
_NEVER_EMPTY = Constant | ListLiteral | Comparison | Not | And | Or
_FUNCTIONS_NEVER_EMPTY = frozenset({"filled", "today", "now"})
_NOTHING = frozenset[str]()


def empty_sources(node: Node, kinds: Mapping[str, Kind], is_filled: IsFilled, *, surely: bool = True) -> frozenset[str]:
    """Return the names because of which the value may be empty; none if it is filled.

    `is_filled` tells it of a slot. With `surely` the value must be filled whatever a test says, without it may be.
    An empty list, of which `first` gives nothing, and a division by zero are not looked at.
    """
    match node:
        case Name(name=name):
            return _NOTHING if any(map(is_filled, with_slots((name,)))) else frozenset({name})
        case FunctionCall(name="if"):
            return _sources_of_choice(node, kinds, is_filled, surely)
        case FunctionCall(name="first_filled", arguments=arguments):
            sources = [empty_sources(argument, kinds, is_filled, surely=surely) for argument in arguments]
            return _NOTHING.union(*sources) if all(sources) else _NOTHING
        case _:
            parts = _needed_parts(node, kinds)
            return _NOTHING.union(*(empty_sources(part, kinds, is_filled, surely=surely) for part in parts))


def _sources_of_choice(
    node: FunctionCall, kinds: Mapping[str, Kind], is_filled: IsFilled, surely: bool
) -> frozenset[str]:
    test, chosen, other = node.arguments
    sources = [
        empty_sources(value, kinds, lambda name, tested=tested: name in tested or is_filled(name), surely=surely)  # type: ignore[misc]
        for value, tested in ((chosen, filled_when(test)), (other, filled_unless(test)))
    ]
    return _NOTHING.union(*sources) if surely or all(sources) else _NOTHING


def _needed_parts(node: Node, kinds: Mapping[str, Kind]) -> tuple[Node, ...]:
    """Return the nodes of which none may be empty for the value to be filled."""
    if isinstance(node, _NEVER_EMPTY):
        return ()
    if not isinstance(node, FunctionCall):
        return child_nodes(node)
    if node.name in _FUNCTIONS_NEVER_EMPTY:
        return ()
    if node.name in ENTRY_FUNCTIONS and not _compares_two_values(node, kinds):
        return node.arguments[:1]
    return node.arguments


def _compares_two_values(node: FunctionCall, kinds: Mapping[str, Kind]) -> bool:
    if node.name not in EXTREMES:
        return False
    try:
        return check_expression(node.arguments[0], kinds).name not in ("list", "any")
    except ConditionRefused:
        return False


def is_copy_or_arithmetic(node: Node) -> bool:
    """Return whether the value is empty exactly if one of its names is."""
    return isinstance(node, Name | Constant) or (
        isinstance(node, Arithmetic | Minus) and all(map(is_copy_or_arithmetic, child_nodes(node)))
    )


def required_names(kinds: Mapping[str, Kind], condition: Condition) -> Iterator[tuple[str, ...]]:
    """Yield what a condition reads: groups of names of which at least one must be filled.

    Names that it only tests with `filled` and fields of a list's entries are left out.
    """
    slots = condition.slots_read(kinds)
    for group in _groups(condition.tree):
        names = tuple(name for name in group if name in slots)
        if names and len(names) == len(group):
            yield names


def _groups(node: Node) -> Iterator[tuple[str, ...]]:
    match node:
        case FunctionCall(name="filled"):
            return
        case FunctionCall(name="first_filled", arguments=arguments):
            # A constant among them is a value that is always there.
            if all(isinstance(argument, Name) for argument in arguments):
                yield tuple(argument.name for argument in arguments if isinstance(argument, Name))
        case Name(name=name):
            yield (name,)
        case _:
            for child in child_nodes(node):
                yield from _groups(child)
