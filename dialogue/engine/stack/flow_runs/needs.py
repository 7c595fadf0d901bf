"""Needs: the flows that run before another one, because a slot that it needs is empty."""

from dialogue.engine.language.compiler import Collect
from dialogue.engine.stack import frames, stack
from dialogue.engine.stack.failures import NOT_ALLOWED, end_failed
from dialogue.engine.stack.filling import Origin
from dialogue.engine.stack.flow_runs.several_runs import run_title
from dialogue.engine.stack.slot_access import is_filled, value_of
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn
from dialogue.engine.stack.unknown_outcomes import awaits_outcome

_FLOW = Origin("flow", quiet=True)


def call_needed_flow(turn: Turn, frame: Frame) -> bool:
    """Call the flow of the first need that is not met. Return whether the frame has to stop for it.

    Needs are looked at when a flow begins, and again after the user took a needed value back.
    """
    flow = turn.flow_of(frame)
    if not flow.needs or frame.get("needs_met") or _may_not_stop(turn, frame):
        return False
    missing = next((name for name in flow.needs if not is_filled(turn, frame, name)), "")
    if not missing:
        frame["needs_met"] = True
        return False
    needed = turn.catalogue.flows[flow.needs[missing]]
    if not frames.may_start(turn, needed):
        frames.say_not_allowed(turn, needed)
        end_failed(turn, frame, NOT_ALLOWED)
    elif not frames.may_call(turn, frame):
        end_failed(turn, frame, "too_many_flows")
    else:
        turn.settle_wait(frame, "voided")
        called = frames.new_flow_frame(turn, needed)
        frames.call(turn, frame, called, {}, need=missing)
        if turn.top is not called:
            # The flow waited for staff below another one.
            frames.pause(turn, called)
    return True


def _may_not_stop(turn: Turn, frame: Frame) -> bool:
    """Whether a person has the chat, or finds out whether an action happened: the flow stays where it is."""
    return frame.get("wait", {}).get("kind") == "handoff" or awaits_outcome(turn, frame)


def is_superfluous(turn: Turn, frame: Frame) -> bool:
    """Whether the frame was called for a need that another value of the message has met before it began."""
    need = frame.get("caller", {}).get("need")
    caller = stack.find_frame(turn.frames, frame["caller"]["frame"]) if need else None
    return caller is not None and not frame["path"] and is_filled(turn, caller, str(need))


def return_from_need(turn: Turn, caller: Frame, called: Frame) -> None:
    """Go on with the caller of a flow that has ended; without the needed value it ends too."""
    need = called["caller"]["need"]
    caller["status"] = "active"
    if need in turn.flow_of(caller).slots:
        frames.write_slot(turn, caller, need, value_of(turn, called, need), _FLOW)
    else:
        _remember_sources(turn, called, need)
    turn.touch(caller)
    if not is_filled(turn, caller, need):
        return end_without_need(turn, caller, called["flow"])
    turn.record.steps.append({"flow": caller["flow"], "step": need_name(need), "to": caller["step"]})
    return None


def need_name(slot: str) -> str:
    """Return how the need for a slot is called where steps are listed: in the path of a turn, and in the graph."""
    return f"needs.{slot}"


def _remember_sources(turn: Turn, called: Frame, need: str) -> None:
    """Remember which slots of the conversation the flow asked for: a correction of one of them concerns the need."""
    flow = turn.flow_of(called)
    steps = [flow.step(path_step["step"]) for path_step in called["path"]]
    asked = {step.slot for step in steps if isinstance(step, Collect)} & turn.assistant.slots.keys() - {need}
    if asked:
        turn.memory.setdefault("need_sources", {})[need] = sorted(asked)


def end_without_need(turn: Turn, frame: Frame, needed_flow: str) -> None:
    """End a flow whose need is not met, and say so. What was planned behind it with the same need ends as well."""
    root = stack.root_of(turn.frames, frame)
    planned = [other for other in turn.frames if other["status"] == "planned" and _needs(turn, other, needed_flow)]
    titles = dict.fromkeys(run_title(turn, ended) for ended in (root, *reversed(planned)))
    for other in planned:
        frames.drop_chain(turn, other)
    end_failed(
        turn, frame, "need_not_met", about=frame["flow"], flow=", ".join(titles), need=turn.flow_title(needed_flow)
    )


def _needs(turn: Turn, frame: Frame, needed_flow: str) -> bool:
    needs = turn.flow_of(frame).needs
    return any(flow == needed_flow and not is_filled(turn, frame, name) for name, flow in needs.items())
