"""Runners of the steps that wait: for a value, a yes, a decision of staff, or a person in the chat."""

from dialogue.engine.language.compiler import Collect, Confirm, Handoff, Human
from dialogue.engine.stack import corrections
from dialogue.engine.stack.handoff import take_over
from dialogue.engine.stack.slot_access import frame_slot, read_hashes, render_template
from dialogue.engine.stack.turn import await_answer
from dialogue.engine.steps.choosing import is_settled, run_choice
from dialogue.engine.steps.control import StepRun


async def run_collect(step: Collect, run: StepRun) -> str:
    """Ask for the slot unless it holds a value or was skipped. With `force`, a filled slot is asked for too."""
    ref = frame_slot(run.turn, run.frame, step.slot)
    if ref is not None and ref.slot.options_from is not None:
        return await run_choice(step, run, ref)
    if is_settled(step, run):
        return run.go_to(run.next_step(step), wrote=[step.slot])
    return await_answer(run.turn, run.frame, "collect")


async def run_confirm(step: Confirm, run: StepRun) -> str:
    """Ask yes or no about exactly the values shown. A yes to the same values stands after a correction elsewhere."""
    earlier = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None:
        return run.go_to(earlier["to"], reads=earlier.get("reads"))
    if run.frame.get("wait", {}).get("kind") == "change":
        return ""
    return await_answer(run.turn, run.frame, "confirm", read_hashes(run.turn, run.frame, step.message.names))


async def run_human(step: Human, run: StepRun) -> str:
    """Park the flow until staff decide. A decision about the same bound values stands after a correction elsewhere."""
    earlier = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None:
        run.frame.setdefault("bound", {})[step.step] = earlier.get("reads", {})
        return run.go_to(earlier["to"], reads=earlier.get("reads"))
    before = run.frame.get("wait")
    await_answer(run.turn, run.frame, "human", read_hashes(run.turn, run.frame, step.bind))
    run.frame["status"] = "parked"
    if run.frame.get("wait") is not before:
        # A new request: the decision of an earlier one, and what it was bound to, no longer hold.
        run.frame.get("results", {}).pop(step.step, None)
        run.frame.get("bound", {}).pop(step.step, None)
        text = render_template(run.turn, run.frame, step.message) if step.message else None
        run.turn.say("waiting", about=step.step, text=text, flow=run.turn.flow_title(run.frame["flow"]))
    return ""


async def run_handoff(step: Handoff, run: StepRun) -> str:
    """Give the chat to a person."""
    if step.step in run.frame.get("again", {}):
        return run.go_to(run.next_step(step))
    await_answer(run.turn, run.frame, "handoff")
    text = render_template(run.turn, run.frame, step.message) if step.message else None
    take_over(run.turn, text=text, reason=step.queue or "")
    return ""
