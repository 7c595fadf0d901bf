"""Runners of the steps that wait: for a value, a yes, a decision of staff, a person in the chat, a time or an event."""

from datetime import date, datetime, time

from dialogue.engine.language.compiler import Collect, Confirm, Handoff, Human, WaitStep
from dialogue.engine.stack import corrections
from dialogue.engine.stack.computed_settings import limit_hashes
from dialogue.engine.stack.failures import fail_step
from dialogue.engine.stack.filling import forget_outdated
from dialogue.engine.stack.handoff import take_over
from dialogue.engine.stack.slot_access import SlotRef, evaluate, frame_slot, read_hashes, render_template
from dialogue.engine.stack.timers import set_timer
from dialogue.engine.stack.turn import await_answer
from dialogue.engine.steps.choosing import is_settled, load_form_options, run_choice
from dialogue.engine.steps.control import StepRun


async def run_collect(step: Collect, run: StepRun) -> str:
    """Ask for the slot unless it holds a value or was skipped. With `force`, a filled slot is asked for too."""
    before, ref = run.frame.get("wait"), frame_slot(run.turn, run.frame, step.slot)
    if ref is not None and ref.slot.options_from is not None:
        target = await run_choice(step, run, ref)
    elif _is_settled(step, run, ref):
        reads = limit_hashes(run.turn, run.frame, ref.slot) if ref else None
        target = run.go_to(run.next_step(step), reads=reads, wrote=[step.slot])
    else:
        target = await_answer(run.turn, run.frame, "collect")
    if "wait" in run.frame and run.frame["wait"] is not before:
        _set_timers_of_question(step, run)
    return target


def _is_settled(step: Collect, run: StepRun, ref: SlotRef | None) -> bool:
    if ref is not None and ref.slot.is_computed:
        forget_outdated(run.turn, run.frame, ref)
    return is_settled(step, run)


def _set_timers_of_question(step: Collect, run: StepRun) -> None:
    if step.reminder is not None:
        set_timer(run.turn, run.frame, "reminder", run.turn.now + step.reminder.after)
    if step.timeout is not None:
        set_timer(run.turn, run.frame, "timeout", run.turn.now + step.timeout)


async def run_confirm(step: Confirm, run: StepRun) -> str:
    """Ask yes or no about exactly the values shown. A yes to the same values stands after a correction elsewhere."""
    earlier = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None:
        return run.go_to(earlier["to"], reads=earlier.get("reads"))
    if run.frame.get("wait", {}).get("kind") == "change":
        return ""
    return await_answer(run.turn, run.frame, "confirm", read_hashes(run.turn, run.frame, step.displayed_names))


async def run_human(step: Human, run: StepRun) -> str:
    """Park the flow until staff decide. A decision about the same bound values stands after a correction elsewhere."""
    earlier = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None:
        run.frame.setdefault("bound", {})[step.step] = earlier.get("reads", {})
        return run.go_to(earlier["to"], reads=earlier.get("reads"))
    if not await load_form_options(step, run):
        return fail_step(run.turn, run.frame)
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


async def run_wait(step: WaitStep, run: StepRun) -> str:
    """Park the flow until its time or its event comes. After a correction elsewhere a wait that is over stays over."""
    earlier = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None:
        return run.go_to(earlier["to"], reads=earlier.get("reads"), wrote=earlier.get("wrote"))
    expressions = (*step.match.values(), *((step.until,) if step.until else ()))
    reads = read_hashes(run.turn, run.frame, {name for expression in expressions for name in expression.slots})
    end = _end_of_wait(step, run)
    if step.event is None and (end is None or end <= run.turn.now):
        return run.go_to(run.next_step(step), reads=reads)
    before = run.frame.get("wait")
    await_answer(run.turn, run.frame, "wait", reads)
    run.frame["status"] = "parked"
    if run.frame.get("wait") is not before:
        _begin_wait(step, run, end)
    return ""


def _begin_wait(step: WaitStep, run: StepRun, end: datetime | None) -> None:
    wait = run.frame["wait"]
    if step.event is not None:
        wait["event"] = step.event
    if end is not None:
        set_timer(run.turn, run.frame, "due" if step.event is None else "timeout", end)
    if step.message is not None:
        run.turn.say("waiting", about=step.step, text=render_template(run.turn, run.frame, step.message))


def _end_of_wait(step: WaitStep, run: StepRun) -> datetime | None:
    """Return the moment at which the wait ends in any case, or None."""
    if step.until is None:
        duration = step.delay or step.timeout
        return run.turn.now + duration if duration else None
    moment = evaluate(run.turn, run.frame, step.until)
    if isinstance(moment, date) and not isinstance(moment, datetime):
        return datetime.combine(moment, time.min, run.turn.now.tzinfo)
    if not isinstance(moment, datetime):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=run.turn.now.tzinfo)
