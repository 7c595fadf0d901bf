"""Control flow: the edges between steps, unreachable steps, flows that never end, and endless cycles."""

from collections.abc import Iterator, Mapping

from dialogue.engine.language.exits import Exit, default_error_key, exits_of
from dialogue.engine.language.steps import (
    END,
    Action,
    AnyStep,
    Assign,
    Branch,
    Call,
    Collect,
    Confirm,
    ForEach,
    Handoff,
    Human,
    Link,
    Loop,
    Say,
    WaitStep,
    While,
)
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.source.phrases import Phrase


def edges_from(view: FlowView, step: AnyStep) -> tuple[Exit, ...]:
    """Return the exits of a step to existing steps and `end`; of several exits to one target, the first."""
    by_target = {edge.target: edge for edge in reversed(tuple(exits_of(view.flow, step)))}
    return tuple(edge for target, edge in by_target.items() if target == END or target in view.paths)


def is_default_error_exit(view: FlowView, step: AnyStep, edge: Exit) -> bool:
    """Return whether this exit is the flow's own `on_error`, which a turn takes at most once."""
    return edge.kind == "error" and edge.target == view.flow.settings.on_error and default_error_key(step) is not None


def check_control_flow(view: FlowView) -> Iterator[Finding]:
    """Yield unreachable steps, flows that never end, and cycles that run without asking the user anything."""
    edges = {step.step: edges_from(view, step) for _, step in view.steps_with_paths}
    reached = reachable_steps(edges, view.flow.steps[0].step)
    for path, step in view.steps_with_paths:
        if step.step not in reached:
            text = Phrase("no step leads to `{step}`", step=step.step)
            yield view.error("unreachable", (*path, "step"), text, Phrase("Lead to it with `next`, or delete it"))
    yield from _check_exit(view, edges, reached)
    yield from _check_cycles(view, edges, reached)


def reachable_steps(edges: Mapping[str, tuple[Exit, ...]], start: str) -> frozenset[str]:
    """Return the steps that can be reached from this one, itself included."""
    reached, pending = {start}, [start]
    while pending:
        new = {edge.target for edge in edges.get(pending.pop(), ())} - reached
        reached |= new
        pending.extend(new)
    return frozenset(reached)


def _check_exit(view: FlowView, edges: Mapping[str, tuple[Exit, ...]], reached: frozenset[str]) -> Iterator[Finding]:
    leads_to_end = reachable_steps(_reversed_edges(edges), END)
    for path, step in view.steps_with_paths:
        if step.step in reached and step.step not in leads_to_end:
            text = Phrase("the flow never ends after the step `{step}`", step=step.step)
            yield view.error("no_exit", (*path, "step"), text, Phrase("Write next: end in one of the steps"))
            return  # The steps after it have the same problem.


def _reversed_edges(edges: Mapping[str, tuple[Exit, ...]]) -> Mapping[str, tuple[Exit, ...]]:
    """Return the same edges in the opposite direction."""
    reversed_: dict[str, tuple[Exit, ...]] = {}
    for step, outgoing in edges.items():
        for edge in outgoing:
            reversed_[edge.target] = (*reversed_.get(edge.target, ()), Exit(step))
    return reversed_


def _check_cycles(view: FlowView, edges: Mapping[str, tuple[Exit, ...]], reached: frozenset[str]) -> Iterator[Finding]:
    passing = {
        step.step: _passing_edges(view, step, edges) for _, step in view.steps_with_paths if step.step in reached
    }
    cyclic, reported = _prune_dead_ends(passing), set[str]()
    for path, step in view.steps_with_paths:
        cycle = _cycle_through(step.step, cyclic)
        if cycle and not cycle & reported:
            reported |= cycle
            text = Phrase("the flow can run from `{step}` back to it without asking the user anything", step=step.step)
            advice = Phrase(
                "Use a `while`, which has a limit, or ask something in between (a collect with force: true)"
            )
            yield view.error("unbounded_loop", (*path, "step"), text, advice)
    for path, step in view.steps_with_paths:
        if isinstance(step, While) and not _can_end(view, step):
            text = Phrase("nothing in the loop changes what its condition reads")
            advice = Phrase("Set one of its slots inside the loop, or leave the loop with `next`")
            yield view.warning("unbounded_loop", (*path, "condition"), text, advice)


def _passing_edges(view: FlowView, step: AnyStep, edges: Mapping[str, tuple[Exit, ...]]) -> tuple[Exit, ...]:
    """Return the edges that can be followed without a question to anyone. A loop limits those into its own body."""
    if isinstance(step, Collect):
        asks = _waits_for_person(view, step)
        # Without options, or when their source fails, nothing is asked. Other failures come after the question.
        return tuple(
            edge
            for edge in edges[step.step]
            if (edge.kind in ("empty", "error") or not (asks or edge.failed))
            and not is_default_error_exit(view, step, edge)
        )
    if _waits_for_person(view, step):
        return ()
    if isinstance(step, Loop):
        return tuple(edge for edge in edges[step.step] if edge.target != step.do[0].step)
    return tuple(edge for edge in edges[step.step] if not is_default_error_exit(view, step, edge))


def _waits_for_person(view: FlowView, step: AnyStep) -> bool:
    match step:
        case Confirm() | Human() | Handoff():
            return True
        case Say(ack=ack):
            return ack
        case Collect(force=force, slot=slot):
            # Without force a second round finds the slot filled, unless the flow empties it.
            return force or slot in _emptied_slots(view)
        case WaitStep(until=until):
            # A moment that has passed already does not stop the flow.
            return until is None
        case Action() | Assign() | Branch() | While() | ForEach() | Call() | Link():
            return False


def _emptied_slots(view: FlowView) -> frozenset[str]:
    assigned = (step.slots.items() for _, step in view.steps_with_paths if isinstance(step, Assign))
    return frozenset(name for items in assigned for name, value in items if value is None)


def _prune_dead_ends(edges: Mapping[str, tuple[Exit, ...]]) -> Mapping[str, tuple[Exit, ...]]:
    """Return the cycles and what leads to them: steps without an outgoing edge are removed until none is left."""
    # Steps outside of cycles are removed first, because the search for cycles takes quadratic time.
    remaining, incoming = dict(edges), _reversed_edges(edges)
    dead_ends = [step for step in {*incoming, *edges} if not edges.get(step)]
    while dead_ends:
        dead_end = dead_ends.pop()
        remaining.pop(dead_end, None)
        for edge in incoming.get(dead_end, ()):
            remaining[edge.target] = tuple(
                other for other in remaining.get(edge.target, ()) if other.target != dead_end
            )
            if not remaining[edge.target]:
                dead_ends.append(edge.target)
    return remaining


def _cycle_through(start: str, edges: Mapping[str, tuple[Exit, ...]]) -> frozenset[str]:
    """Return the steps on cycles through this one; none if no path leads back."""
    if start not in edges:
        return frozenset()
    reachable = frozenset().union(*(reachable_steps(edges, edge.target) for edge in edges[start]))
    if start not in reachable:
        return frozenset()
    return frozenset(step for step in reachable if start in reachable_steps(edges, step))


def _can_end(view: FlowView, loop: While) -> bool:
    loop_path = view.paths[loop.step]
    body = [step for path, step in view.steps_with_paths if path[: len(loop_path)] == loop_path and path != loop_path]
    inside = {step.step for step in body} | {loop.step}
    leaves = any(edge.target not in inside for step in body for edge in edges_from(view, step))
    names = frozenset().union(*(written_names(step) for step in body if not _asks_nothing(view, loop, step)))
    return leaves or bool(loop.condition.names_read & names)


def _asks_nothing(view: FlowView, loop: While, step: AnyStep) -> bool:
    """Return whether a question of the loop asks nothing, because the loop only runs while its slot is filled."""
    if not isinstance(step, Collect) or _waits_for_person(view, step):
        return False
    return f"filled({step.slot})" not in str(loop.condition).replace(" ", "")


def written_names(step: AnyStep) -> frozenset[str]:
    """Return the names that are filled, or may change, after the step has done its work."""
    match step:
        case Collect(slot=slot):
            return frozenset({slot})
        case Assign(slots=slots):
            return frozenset(slots)
        case Action(outputs=outputs) | WaitStep(outputs=outputs):
            return frozenset(outputs.values())
        case Call(outputs=outputs, result=result):
            return frozenset((*outputs, *([result] if result else ())))
        case ForEach(item=item, gather=gather):
            return frozenset({item, *gather})
        case Human():
            return frozenset(f"{step.step}.{name}" for name in ("action", "reason", *step.form))
        case Say() | Confirm() | Branch() | While() | Link() | Handoff():
            return frozenset()
