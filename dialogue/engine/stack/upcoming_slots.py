"""The slots that a flow will still ask for, as far as that is certain now."""

from collections.abc import Iterator

from dialogue.engine.expressions.conditions import ExpressionTooCostly
from dialogue.engine.language.compiler import (
    END,
    Action,
    AnyStep,
    Assign,
    Branch,
    Call,
    Collect,
    Flow,
    ForEach,
    Say,
    While,
)
from dialogue.engine.stack import stack
from dialogue.engine.stack.loops.rounds import loop_state
from dialogue.engine.stack.slot_access import SlotRef, condition_holds, evaluate, frame_slot, is_filled, is_skipped
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn


def upcoming_slots(turn: Turn, root: Frame) -> list[SlotRef]:
    """Return the empty slots of the flow and of what it has called, once each, in the order of their questions.

    The search ends before a step at which a person decides, and before a branch that depends on an empty slot.
    """
    chain = reversed(stack.chain_of(turn.frames, root))
    refs = {(frame["id"], ref.name): ref for frame in chain for ref in _upcoming_in_frame(turn, frame)}
    return list(refs.values())


def _upcoming_in_frame(turn: Turn, frame: Frame) -> Iterator[SlotRef]:
    flow, step_id, visited = turn.flow_of(frame), frame["step"], set[str]()
    unknown: set[str] = set()  # slots that are empty, or that a step on the way will change
    while step_id and step_id != END and step_id not in visited:
        visited.add(step_id)
        step = flow.step(step_id)
        if (
            isinstance(step, Collect)
            and step.slot not in unknown
            and not (is_filled(turn, frame, step.slot) or is_skipped(turn, frame, step.slot))
        ):
            unknown.add(step.slot)
            ref = frame_slot(turn, frame, step.slot)
            if ref is not None and (ref.slot.required or len(visited) == 1):
                yield ref
        try:
            step_id = _certain_next_step(turn, frame, flow, step, unknown)
        except ExpressionTooCostly:
            return  # reported when the step runs


def _certain_next_step(turn: Turn, frame: Frame, flow: Flow, step: AnyStep, unknown: set[str]) -> str:
    """Return the next step on the way, or "" where it is not certain."""
    match step:
        case Branch():
            return _branch_target(turn, frame, flow, step, unknown)
        case While():
            if unknown & step.condition.names_read:
                return ""
            return step.do[0].step if condition_holds(turn, frame, step.condition) else flow.next_step(step.step)
        case ForEach():
            return _first_step_of_round(turn, frame, flow, step, unknown)
        case Action() | Assign() | Call() | Collect() | Say():
            unknown |= _written_slots(step)
            return flow.next_step(step.step)
        case _:
            return ""


def _first_step_of_round(turn: Turn, frame: Frame, flow: Flow, step: ForEach, unknown: set[str]) -> str:
    """Return where a loop that is ahead leads. After an open round, the search ends: the next one asks the same."""
    state = loop_state(frame, step.step)
    if unknown & step.entries.names_read or (state is not None and state["open"]):
        return ""
    return step.do[0].step if evaluate(turn, frame, step.entries) else flow.next_step(step.step)


def _branch_target(turn: Turn, frame: Frame, flow: Flow, step: Branch, unknown: set[str]) -> str:
    if any(unknown & case.when.names_read for case in step.cases):
        return ""
    chosen = next((case.next for case in step.cases if condition_holds(turn, frame, case.when)), step.otherwise)
    return flow.resolve_target(step.step, chosen) if chosen else flow.next_step(step.step)


def _written_slots(step: AnyStep) -> set[str]:
    match step:
        case Action():
            return set(step.outputs.values())
        case Assign():
            return set(step.slots)
        case Call():
            return set(step.outputs)
        case _:
            return set()
