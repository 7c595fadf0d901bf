"""Runners of the steps that need neither an answer nor an action: say, branch, while, set, call, link.

A runner returns the id of the next step, or "" when the flow waits, has ended, or another flow runs above it.
"""

from dataclasses import dataclass

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.compiler import END, Assign, Branch, Call, Link, Say, Step, While
from dialogue.engine.language.message_parts import EntryButtons
from dialogue.engine.ports.sinks import Button
from dialogue.engine.slots.values import json_value
from dialogue.engine.stack import corrections, frames
from dialogue.engine.stack.failures import NOT_ALLOWED, end_failed, fail_call, fail_step
from dialogue.engine.stack.filling import Origin, leave_step
from dialogue.engine.stack.message_content import entry_buttons, message_content
from dialogue.engine.stack.slot_access import condition_holds, evaluate, read_hashes, render_template
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn, await_answer


@dataclass(frozen=True)
class StepRun:
    """A frame that runs in a turn."""

    turn: Turn
    frame: Frame

    def go_to(self, target: str, *, reads: dict[str, str] | None = None, wrote: list[str] | None = None) -> str:
        """Leave the step for the target. Return the target, or "" for the end of the flow."""
        step = leave_step(self.turn, self.frame, target, reads=reads, wrote=wrote)
        return "" if step == END else step

    def next_step(self, step: Step) -> str:
        """Return where the step leads when it names no other target."""
        return self.turn.flow_of(self.frame).next_step(step.step)


_FLOW = Origin("flow", quiet=True)


async def run_say(step: Say, run: StepRun) -> str:
    """Say the message; with `ack`, wait for the acknowledgement. After a correction it is not said again."""
    if step.step in run.frame.get("again", {}):
        return run.go_to(run.next_step(step))
    if step.ack:
        return await_answer(run.turn, run.frame, "inform")
    content = message_content(run.turn, run.frame, step, render_template(run.turn, run.frame, step.message))
    buttons = _say_buttons(step, run)
    run.turn.say("say", about=step.step, text=content.text, buttons=buttons, parts=content.parts)
    return run.go_to(run.next_step(step))


def _say_buttons(step: Say, run: StepRun) -> tuple[Button, ...]:
    if isinstance(step.buttons, EntryButtons):
        return entry_buttons(run.turn, run.frame, step.buttons)
    return tuple(Button(button.value, button.label.in_language(run.turn.language)) for button in step.buttons)


async def run_branch(step: Branch, run: StepRun) -> str:
    """Take the first case that holds. After a correction an unaffected choice stands."""
    earlier = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None:
        return run.go_to(earlier["to"], reads=earlier.get("reads"))
    reads = read_hashes(run.turn, run.frame, {name for case in step.cases for name in case.when.slots})
    chosen = next((case.next for case in step.cases if condition_holds(run.turn, run.frame, case.when)), step.otherwise)
    return _go_to_chosen(run, step, chosen or run.next_step(step), reads)


async def run_while(step: While, run: StepRun) -> str:
    """Go into the loop while the condition holds, at most `max_iterations` times."""
    earlier = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None:
        return run.go_to(earlier["to"], reads=earlier.get("reads"))
    reads = read_hashes(run.turn, run.frame, step.condition.slots)
    if not condition_holds(run.turn, run.frame, step.condition):
        run.frame.get("loops", {}).pop(step.step, None)
        return _go_to_chosen(run, step, run.next_step(step), reads)
    if not _repeats_corrected_round(run.frame, step) and _count_iteration(run.frame, step) > step.max_iterations:
        return end_failed(run.turn, run.frame, "loop_limit")
    return _go_to_chosen(run, step, step.do[0].step, reads)


def _repeats_corrected_round(frame: Frame, step: While) -> bool:
    """Whether this is the round in which something was corrected, and not a new one."""
    before = frame.get("again", {}).get(step.step)
    return before is not None and before["to"] == step.do[0].step


def _count_iteration(frame: Frame, step: While) -> int:
    loops = frame.setdefault("loops", {})
    loops[step.step] = loops.get(step.step, 0) + 1
    return loops[step.step]


def _go_to_chosen(run: StepRun, step: Branch | While, target: str, reads: dict[str, str]) -> str:
    before = run.frame.get("again", {}).get(step.step)
    if before is not None and before["to"] != target:
        corrections.abandon_arm(run.turn, run.frame, target)
    return run.go_to(target, reads=reads)


async def run_set(step: Assign, run: StepRun) -> str:
    """Assign the values of the expressions. After a correction an unaffected assignment is not repeated."""
    earlier = corrections.unchanged_result(run.turn, run.frame, step.step)
    if earlier is not None:
        return run.go_to(run.next_step(step), reads=earlier.get("reads"), wrote=earlier.get("wrote"))
    expressions = [assigned for assigned in step.slots.values() if isinstance(assigned, Condition)]
    reads = read_hashes(run.turn, run.frame, {name for expression in expressions for name in expression.slots})
    for name, assigned in step.slots.items():
        is_expression = isinstance(assigned, Condition)
        value = json_value(evaluate(run.turn, run.frame, assigned)) if is_expression else assigned
        if not frames.write_slot(run.turn, run.frame, name, value, _FLOW):
            return fail_step(run.turn, run.frame, reads=reads)
    return run.go_to(run.next_step(step), reads=reads, wrote=list(step.slots))


async def run_call(step: Call, run: StepRun) -> str:
    """Start the other flow above this one. `frames.finish` returns from it."""
    turn, flow = run.turn, run.turn.catalogue.flows[step.flow]
    earlier = corrections.unchanged_result(turn, run.frame, step.step)
    if earlier is not None:
        return run.go_to(earlier["to"], reads=earlier.get("reads"), wrote=earlier.get("wrote"))
    if not frames.may_call(turn, run.frame):
        return fail_call(turn, run.frame, step, "too_many_flows")
    if not frames.may_start(turn, flow):
        frames.say_not_allowed(turn, flow)
        return fail_call(turn, run.frame, step, NOT_ALLOWED)
    child = frames.new_flow_frame(turn, flow)
    for name, expression in step.inputs.items():
        frames.write_slot(turn, child, name, json_value(evaluate(turn, run.frame, expression)), _FLOW)
    reads = read_hashes(turn, run.frame, {name for value in step.inputs.values() for name in value.slots})
    frames.call(turn, run.frame, child, reads)
    return ""


async def run_link(step: Link, run: StepRun) -> str:
    """Replace this flow by the other one."""
    flow = run.turn.catalogue.flows[step.flow]
    if not frames.may_start(run.turn, flow):
        frames.say_not_allowed(run.turn, flow)
        return end_failed(run.turn, run.frame, NOT_ALLOWED)
    frames.link(run.turn, run.frame, frames.new_flow_frame(run.turn, flow))
    return ""
