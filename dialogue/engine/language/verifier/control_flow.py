"""Ways through a flow: which step leads to which, what nothing leads to, what never ends, what turns in circles."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dialogue.engine.language.steps import (
    END,
    Action,
    AnyStep,
    Assign,
    Branch,
    Call,
    Collect,
    Confirm,
    Handoff,
    Human,
    Link,
    Say,
    While,
)
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView


@dataclass(frozen=True)
class Edge:
    """An arrow to a step; `failed` when the step before it did not do its work."""

    target: str
    failed: bool = False


def edges_from(view: FlowView, step: AnyStep) -> tuple[Edge, ...]:
    """Every arrow out of a step, known targets and `end` only."""
    found = {way.target: way for way in reversed(tuple(_ways(view, step)))}
    return tuple(way for target, way in found.items() if target == END or target in view.paths)


def _ways(view: FlowView, step: AnyStep) -> Iterator[Edge]:
    following = view.flow.next_step(step.step)
    match step:
        case Link():
            yield Edge(END)
        case Branch(cases=cases, otherwise=otherwise):
            yield from (Edge(case.next) for case in cases)
            yield Edge(otherwise or following)
        case While(do=do):
            yield from (Edge(do[0].step), Edge(following))
        case Confirm(on_confirm=on_confirm, on_deny=on_deny):
            yield Edge(on_confirm or following)
            yield from _failing(on_deny)
            yield from (Edge(answer.next) for answer in step.further_answers if answer.next)
        case Human():
            yield from _decided(step, following)
        case Collect(on_failure=elsewhere) | Action(on_error=elsewhere) | Handoff(on_timeout=elsewhere):
            yield Edge(following)
            yield from _failing(elsewhere)
        case Say() | Assign() | Call():
            yield Edge(following)


def _failing(target: str | None) -> Iterator[Edge]:
    if target:
        yield Edge(target, failed=True)


def _decided(step: Human, following: str) -> Iterator[Edge]:
    for action in step.actions:
        yield Edge(step.next.get(action.id, following))
    yield Edge(step.expiry_step or following)


def check_control_flow(view: FlowView) -> Iterator[Finding]:
    """Unreachable steps, a flow that never ends, and circles in which nobody is asked anything."""
    ways = {step.step: edges_from(view, step) for _, step in view.steps_with_paths}
    reached = reachable_steps(ways, view.flow.steps[0].step)
    for path, step in view.steps_with_paths:
        if step.step not in reached:
            text = f"nothing leads to the step `{step.step}`"
            yield view.error("unreachable", (*path, "step"), text, "Lead to it with `next`, or take it out")
    yield from _check_exit(view, ways, reached)
    yield from _check_circles(view, ways, reached)


def reachable_steps(ways: Mapping[str, tuple[Edge, ...]], start: str) -> frozenset[str]:
    """The steps that can be reached from this one, itself included."""
    seen, waiting = {start}, [start]
    while waiting:
        new = {way.target for way in ways.get(waiting.pop(), ())} - seen
        seen |= new
        waiting.extend(new)
    return frozenset(seen)


def _check_exit(view: FlowView, ways: Mapping[str, tuple[Edge, ...]], reached: frozenset[str]) -> Iterator[Finding]:
    leaving = _leading_to_end(ways)
    for path, step in view.steps_with_paths:
        if step.step in reached and step.step not in leaving:
            text = f"from the step `{step.step}` on, the flow never ends"
            yield view.error("no_exit", (*path, "step"), text, "Give one of the steps next: end")
            return


def _leading_to_end(ways: Mapping[str, tuple[Edge, ...]]) -> frozenset[str]:
    return reachable_steps(_turned(ways), END)


def _turned(ways: Mapping[str, tuple[Edge, ...]]) -> Mapping[str, tuple[Edge, ...]]:
    """The same arrows the other way round."""
    turned: dict[str, tuple[Edge, ...]] = {}
    for step, arrows in ways.items():
        for way in arrows:
            turned[way.target] = (*turned.get(way.target, ()), Edge(step))
    return turned


def _check_circles(view: FlowView, ways: Mapping[str, tuple[Edge, ...]], reached: frozenset[str]) -> Iterator[Finding]:
    straight = {
        step.step: _without_waiting(view, step, ways) for _, step in view.steps_with_paths if step.step in reached
    }
    turning, told = _turning(straight), set[str]()
    for path, step in view.steps_with_paths:
        circle = _circle_through(step.step, turning)
        if circle and not circle & told:
            told |= circle
            text = f"the flow can turn from `{step.step}` back to it without asking anybody anything"
            advice = "Use a `while`, which has a limit, or ask something on the way (a collect with force: true)"
            yield view.error("unbounded_loop", (*path, "step"), text, advice)
    for path, step in view.steps_with_paths:
        if isinstance(step, While) and not _can_change(view, step):
            text = "nothing in the loop changes what its condition reads"
            advice = "Set one of its slots inside the loop, or leave the loop with `next`"
            yield view.warning("unbounded_loop", (*path, "condition"), text, advice)


def _without_waiting(view: FlowView, step: AnyStep, ways: Mapping[str, tuple[Edge, ...]]) -> tuple[Edge, ...]:
    """The arrows that can be gone without anybody being asked; those into a `while` body are counted by it."""
    if _waits(view, step):
        return ()
    if isinstance(step, While):
        return tuple(way for way in ways[step.step] if way.target != step.do[0].step)
    if isinstance(step, Collect):
        return tuple(way for way in ways[step.step] if not way.failed)
    return ways[step.step]


def _waits(view: FlowView, step: AnyStep) -> bool:
    match step:
        case Confirm() | Human() | Handoff():
            return True
        case Say(ack=ack):
            return ack
        case Collect(force=force, slot=slot):
            return force or slot in _emptied(view)
        case Action() | Assign() | Branch() | While() | Call() | Link():
            return False


def _emptied(view: FlowView) -> frozenset[str]:
    assigned = (step.slots.items() for _, step in view.steps_with_paths if isinstance(step, Assign))
    return frozenset(name for items in assigned for name, value in items if value is None)


def _turning(ways: Mapping[str, tuple[Edge, ...]]) -> Mapping[str, tuple[Edge, ...]]:
    """Circles and what leads to them: all that is left when steps without an arrow are taken out again and again."""
    left, turned = dict(ways), _turned(ways)
    waiting = [step for step in {*turned, *ways} if not ways.get(step)]
    while waiting:
        gone = waiting.pop()
        left.pop(gone, None)
        for way in turned.get(gone, ()):
            left[way.target] = tuple(each for each in left.get(way.target, ()) if each.target != gone)
            if not left[way.target]:
                waiting.append(way.target)
    return left


def _circle_through(start: str, ways: Mapping[str, tuple[Edge, ...]]) -> frozenset[str]:
    """The steps on circles through this one; none when no way leads back."""
    if start not in ways:
        return frozenset()
    ahead = frozenset().union(*(reachable_steps(ways, way.target) for way in ways[start]))
    if start not in ahead:
        return frozenset()
    return frozenset(each for each in ahead if start in reachable_steps(ways, each))


def _can_change(view: FlowView, loop: While) -> bool:
    own = view.paths[loop.step]
    body = [step for path, step in view.steps_with_paths if path[: len(own)] == own and path != own]
    inside = {step.step for step in body} | {loop.step}
    leaves = any(way.target not in inside for step in body for way in edges_from(view, step))
    written = frozenset().union(*(written_names(step) for step in body if not _passes(view, loop, step)))
    return leaves or bool(loop.condition.slots & written)


def _passes(view: FlowView, loop: While, step: AnyStep) -> bool:
    """Whether a question of the loop asks nothing: its slot has to be filled for the loop to turn."""
    if not isinstance(step, Collect) or _waits(view, step):
        return False
    return f"filled({step.slot})" not in str(loop.condition).replace(" ", "")


def written_names(step: AnyStep) -> frozenset[str]:
    """The names that are filled, or may be changed, when the step has done its work."""
    match step:
        case Collect(slot=slot):
            return frozenset({slot})
        case Assign(slots=slots):
            return frozenset(slots)
        case Action(outputs=outputs):
            return frozenset(outputs.values())
        case Call(outputs=outputs):
            return frozenset(outputs)
        case Human():
            return frozenset(f"{step.step}.{name}" for name in ("action", "reason", *step.form))
        case Say() | Confirm() | Branch() | While() | Link() | Handoff():
            return frozenset()
