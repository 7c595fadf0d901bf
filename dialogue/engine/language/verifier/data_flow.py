"""Data flow: which slots are filled when a step begins, on every path to it or on some path."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dialogue.engine.expressions.conditions import Condition, with_slots
from dialogue.engine.language.exits import Exit
from dialogue.engine.language.steps import AnyStep, Assign, Branch, Call, Collect, ForEach, While
from dialogue.engine.language.verifier.control_flow import edges_from, written_names
from dialogue.engine.language.verifier.emptiness import empty_sources, is_copy_or_arithmetic
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.language.verifier.value_sets import filled_unless, filled_when

FilledByStep = Mapping[str, frozenset[str]]
BitBySlot = Mapping[str, int]
"""Each slot is one bit of an int: the analysis joins the sets of a long flow many thousand times."""
_IsFilled = Callable[[int], bool]
"""Whether a computed value is filled, given the slots that are."""


def filled_slots(step: AnyStep) -> frozenset[str]:
    """Return the slots that a step fills after it has done its work, without those that it empties."""
    if isinstance(step, Assign):
        return frozenset(name for name, value in step.slots.items() if value is not None)
    return written_names(step)


@dataclass(frozen=True)
class _Transfer:
    """How an edge changes the set of filled slots: it keeps some, fills some, and computes some from others."""

    target: str
    keeps: int
    fills: int
    computed: tuple[tuple[int, "_IsFilled"], ...]

    def apply(self, filled: int) -> int:
        """Return the slots that are filled after the edge."""
        result = filled & self.keeps | self.fills
        for bit, is_filled in self.computed:
            if is_filled(filled):
                result |= bit
        return result


def filled_before(view: FlowView, *, surely: bool) -> FilledByStep:
    """Return the slots filled before each reachable step: on every path (`surely`), or on at least one path."""
    steps = {step.step: step for _, step in view.steps_with_paths}
    names = sorted(view.filled_at_start.union(view.filled_by_messages, *map(written_names, steps.values())))
    bits = {name: 1 << index for index, name in enumerate(names)}
    transfers = {name: tuple(_transfers_of(view, step, bits, surely)) for name, step in steps.items()}
    start = view.filled_at_start if surely else view.filled_at_start | view.filled_by_messages
    masks = _propagate(transfers, view.flow.steps[0].step, _bit_mask(start, bits), surely)
    # Few different masks occur, so each is turned into names only once.
    names_by_mask = {mask: frozenset(name for name in names if mask & bits[name]) for mask in set(masks.values())}
    return {step: names_by_mask[mask] for step, mask in masks.items()}


def _propagate(transfers: Mapping[str, tuple[_Transfer, ...]], first: str, start: int, surely: bool) -> dict[str, int]:
    filled, pending = {first: start}, deque([first])
    # A worklist algorithm: a step is visited again until the slots before it no longer change. It ends, because the
    # sets only shrink (surely) or only grow.
    while pending:
        step = pending.popleft()
        before = filled[step]
        for transfer in transfers[step]:
            after = transfer.apply(before)
            current = filled.get(transfer.target, after)
            joined = current & after if surely else current | after
            if filled.get(transfer.target) != joined:
                filled[transfer.target] = joined
                if transfer.target not in pending:
                    pending.append(transfer.target)
    return filled


def _transfers_of(view: FlowView, step: AnyStep, bits: BitBySlot, surely: bool) -> Iterator[_Transfer]:
    if isinstance(step, Branch | While):
        yield from (_Transfer(target, ~0, _bit_mask(tested, bits), ()) for target, tested in _test_targets(view, step))
        return
    if isinstance(step, ForEach):
        yield from _transfers_of_rounds(view, step, bits)
        return
    # What a step writes but does not fill, it empties.
    keeps = ~_bit_mask(written_names(step) - filled_slots(step), bits)
    computed = tuple(_computed_slots(view, step, bits, surely))
    for edge in edges_from(view, step):
        if edge.target in view.paths:
            yield _Transfer(
                edge.target,
                keeps,
                _bit_mask(_added_slots(view, step, edge, surely), bits),
                () if edge.failed else computed,
            )


def _transfers_of_rounds(view: FlowView, step: ForEach, bits: BitBySlot) -> Iterator[_Transfer]:
    """Yield the edges into a round, where the item is known and the slots of a round are empty, and out of the loop."""
    defaults = {name for name in step.per_item if name in view.slots and view.slots[name].default is not None}
    emptied = _bit_mask({*step.per_item, step.item}, bits)
    # The lists are emptied at the start of the loop, and an empty list is a value.
    gathered = _bit_mask(step.gather, bits)
    yield _Transfer(step.do[0].step, ~emptied, gathered | _bit_mask({step.item, *defaults}, bits), ())
    following = view.flow.next_step(step.step)
    if following in view.paths:
        yield _Transfer(following, ~emptied, gathered, ())


def _test_targets(view: FlowView, step: Branch | While) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each target of a test with the slots that are filled if the test leads there."""
    following, earlier = view.flow.next_step(step.step), frozenset[str]()
    tests = (
        [(step.condition.tree, step.do[0].step)]
        if isinstance(step, While)
        else [(case.when.tree, view.flow.resolve_target(step.step, case.next)) for case in step.cases]
    )
    for test, target in tests:
        if target in view.paths:
            yield target, earlier | filled_when(test)
        # The next case is tested only where this one does not hold.
        earlier |= filled_unless(test)
    other = (step.otherwise if isinstance(step, Branch) else None) or following
    if other in view.paths:
        yield other, earlier


def _added_slots(view: FlowView, step: AnyStep, edge: Exit, surely: bool) -> frozenset[str]:
    """Return what the step fills on this edge, whatever was filled before; an optional slot may have been skipped."""
    if isinstance(step, Assign) and not edge.failed:
        return frozenset(name for name, value in step.slots.items() if value is not None and not _may_be_empty(value))
    if isinstance(step, Call) and step.result and surely and step.result not in view.tested_slots:
        # A called flow that was cancelled or has failed gives nothing back, and no branch looks at that.
        return frozenset({step.result})
    slot = view.slots.get(step.slot) if isinstance(step, Collect) else None
    skipped = slot is not None and not slot.required
    return frozenset() if edge.failed or (surely and skipped) else filled_slots(step)


def _computed_slots(view: FlowView, step: AnyStep, bits: BitBySlot, surely: bool) -> Iterator[tuple[int, _IsFilled]]:
    """Yield the slots that the step sets to a computed value, each with the test whether that value is filled."""
    for name, value in step.slots.items() if isinstance(step, Assign) else ():
        if isinstance(value, Condition) and _may_be_empty(value):
            yield bits[name], _filled_test(view, value, bits, surely)


def _may_be_empty(value: object) -> bool:
    """Return whether the value is computed from slots so that it is empty if they are."""
    return isinstance(value, Condition) and bool(empty_sources(value.tree, {}, lambda name: False))


def _filled_test(view: FlowView, value: Condition, bits: BitBySlot, surely: bool) -> _IsFilled:
    masks = {name: _bit_mask(with_slots((name,)), bits) for name in value.slots}
    if is_copy_or_arithmetic(value.tree):
        sources = tuple(masks.values())
        return lambda filled: all(filled & source for source in sources)
    return lambda filled: (
        not empty_sources(value.tree, view.kinds, lambda name: bool(filled & masks.get(name, 0)), surely=surely)
    )


def _bit_mask(names: Iterable[str], bits: BitBySlot) -> int:
    return sum(bits.get(name, 0) for name in set(names))
