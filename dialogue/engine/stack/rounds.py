"""Rounds: a flow that comes back to a step that it has passed begins anew from there.

What the last round did is done with: a value that is given now corrects nothing of it, and an approval of it covers
nothing of the new one.
"""

from collections.abc import Collection, Iterator

from dialogue.engine.language.compiler import (
    END,
    AnyStep,
    Flow,
    While,
)
from dialogue.engine.language.exits import exits_of
from dialogue.engine.stack.state import Frame


def begin_new_round(flow: Flow, frame: Frame, target: str) -> None:
    """Forget the last round if the frame returns to a step of its path."""
    place = next((place for place, passed in enumerate(frame["path"]) if passed["step"] == target), None)
    if place is None:
        return
    frame["path"] = frame["path"][:place]
    forget_round(flow, frame, target)


def forget_round(flow: Flow, frame: Frame, target: str) -> None:
    """What was done on the ways from the step back to itself is done with."""
    if not frame.get("again") and not frame.get("bound"):
        return
    for step in _circle(flow, target):
        frame.get("again", {}).pop(step, None)
        frame.get("bound", {}).pop(step, None)


def steps_ahead(flow: Flow, target: str, passed: Collection[str]) -> set[str]:
    """The target and every step that can follow it in this round: without going over one that was `passed`."""
    return {target, *_reachable(flow, target, passed)} if target != END else set()


def _circle(flow: Flow, start: str) -> set[str]:
    """The steps on the ways from a step back to itself, itself included."""
    return {start} | {step for step in _reachable(flow, start) if start in _reachable(flow, step)}


def _reachable(flow: Flow, start: str, passed: Collection[str] = ()) -> set[str]:
    """Every step that can follow, the start itself only by a loop. A loop that was passed is only left."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for target in _exits(flow, flow.step(todo.pop()), passed):
            if target != END and target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


def _exits(flow: Flow, step: AnyStep, passed: Collection[str]) -> Iterator[str]:
    if step.step not in passed:
        yield from exits_of(flow, step)
    elif isinstance(step, While):
        yield flow.next_step(step.step)
