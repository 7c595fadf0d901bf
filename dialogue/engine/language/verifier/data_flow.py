"""Which slots are filled when a step begins: on every way to it, or on some way."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.expressions.model import Arithmetic, Minus, Name
from dialogue.engine.language.steps import AnyStep, Assign, Branch, Collect, While
from dialogue.engine.language.verifier.control_flow import Edge, edges_from, written_names
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.language.verifier.value_sets import filled_unless, filled_when

FilledByStep = Mapping[str, frozenset[str]]
BitBySlot = Mapping[str, int]
"""A slot is one bit here: what is known of a long flow's steps is joined many thousand times."""


def filled_slots(step: AnyStep) -> frozenset[str]:
    """What a step fills when it has done its work; what it empties is not among them."""
    if isinstance(step, Assign):
        return frozenset(name for name, value in step.slots.items() if value is not None)
    return written_names(step)


@dataclass(frozen=True)
class _Arrow:
    """What a way makes of the slots that were filled: keeps some, fills some, and computes some from others."""

    target: str
    keeps: int
    fills: int
    computed: tuple[tuple[int, tuple[int, ...]], ...]

    def after(self, filled: int) -> int:
        left = filled & self.keeps | self.fills
        return left | self._computed_from(filled) if self.computed else left

    def _computed_from(self, filled: int) -> int:
        return sum(bit for bit, sources in self.computed if all(filled & each for each in sources))


def filled_before(view: FlowView, *, surely: bool) -> FilledByStep:
    """For each reachable step what is filled before it: surely, on every way, or else perhaps, on some way."""
    steps = {step.step: step for _, step in view.steps_with_paths}
    names = sorted(view.filled_at_start.union(view.filled_by_messages, *map(written_names, steps.values())))
    bits = {name: 1 << place for place, name in enumerate(names)}
    arrows = {name: tuple(_arrows(view, step, bits, surely)) for name, step in steps.items()}
    at_first = view.filled_at_start if surely else view.filled_at_start | view.filled_by_messages
    found = _flooded(arrows, view.flow.steps[0].step, _mask(at_first, bits), surely)
    sets = {mask: frozenset(name for name in names if mask & bits[name]) for mask in set(found.values())}
    return {step: sets[mask] for step, mask in found.items()}


def _flooded(arrows: Mapping[str, tuple[_Arrow, ...]], first: str, start: int, surely: bool) -> dict[str, int]:
    filled, waiting = {first: start}, deque([first])
    while waiting:
        step = waiting.popleft()
        waiting.extend(each for each in _pass_on(arrows[step], filled, filled[step], surely) if each not in waiting)
    return filled


def _pass_on(arrows: tuple[_Arrow, ...], filled: dict[str, int], before: int, surely: bool) -> Iterator[str]:
    """The steps about which there is news."""
    for arrow in arrows:
        after = arrow.after(before)
        known = filled.get(arrow.target, after)
        joined = known & after if surely else known | after
        if filled.get(arrow.target) != joined:
            filled[arrow.target] = joined
            yield arrow.target


def _arrows(view: FlowView, step: AnyStep, bits: BitBySlot, surely: bool) -> Iterator[_Arrow]:
    if isinstance(step, Branch | While):
        yield from (_Arrow(target, ~0, _mask(known, bits), ()) for target, known in _tested(view, step))
        return
    keeps = ~_mask(written_names(step) - filled_slots(step), bits)
    computed = tuple(_computed(step, bits))
    for way in edges_from(view, step):
        if way.target in view.paths:
            yield _Arrow(way.target, keeps, _mask(_adds(view, step, way, surely), bits), computed)


def _tested(view: FlowView, step: Branch | While) -> Iterator[tuple[str, frozenset[str]]]:
    """Where a test leads, each time with the slots that are filled if it leads there."""
    following, passed = view.flow.next_step(step.step), frozenset[str]()
    tests = (
        [(step.condition.tree, step.do[0].step)]
        if isinstance(step, While)
        else [(case.when.tree, case.next) for case in step.cases]
    )
    for test, target in tests:
        if target in view.paths:
            yield target, passed | filled_when(test)
        passed |= filled_unless(test)
    other = (step.otherwise if isinstance(step, Branch) else None) or following
    if other in view.paths:
        yield other, passed


def _adds(view: FlowView, step: AnyStep, way: Edge, surely: bool) -> frozenset[str]:
    """What the step fills, whatever was filled, when it is left on this way; an optional slot may have been skipped."""
    if isinstance(step, Assign):
        return frozenset(name for name, value in step.slots.items() if value is not None and not _sources(value))
    slot = view.slots.get(step.slot) if isinstance(step, Collect) else None
    skipped = slot is not None and not slot.required
    return frozenset() if way.failed or (surely and skipped) else filled_slots(step)


def _computed(step: AnyStep, bits: BitBySlot) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The slots that the step sets to something computed, each with what it is computed from."""
    for name, value in step.slots.items() if isinstance(step, Assign) else ():
        sources = _sources(value)
        if sources:
            yield bits[name], tuple(_mask({each, each.split(".")[0]}, bits) for each in sources)


def _sources(value: object) -> frozenset[str]:
    """What the value is computed from: what is computed from something empty is empty."""
    computed = isinstance(value, Condition) and isinstance(value.tree, Name | Arithmetic | Minus)
    return value.slots if isinstance(value, Condition) and computed else frozenset()


def _mask(names: Iterable[str], bits: BitBySlot) -> int:
    return sum(bits.get(name, 0) for name in set(names))
