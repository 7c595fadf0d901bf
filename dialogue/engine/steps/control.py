"""The steps of a flow: one runner a type. A runner leads the frame on, or leaves it waiting.

Each gives the step to go on at, or "" when the flow stands still: it waits, it is over, or another one runs above it.
"""

from dataclasses import dataclass

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.language.compiler import END, Assign, Branch, Call, Flow, Link, Say, Step, While
from dialogue.engine.ports.sinks import Button
from dialogue.engine.slots.values import untyped
from dialogue.engine.stack import corrections, frames
from dialogue.engine.stack.filling import Origin, leave
from dialogue.engine.stack.slot_access import evaluated, holds, reads_of, rendered
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.turn import Turn
from dialogue.engine.stack.waits import await_answer


@dataclass(frozen=True)
class Run:
    """A frame that runs in a turn."""

    turn: Turn
    frame: Frame

    def go(self, target: str, *, reads: dict[str, str] | None = None, wrote: list[str] | None = None) -> str:
        """The step is done; go on at the target, if it is a step."""
        leave(self.turn, self.frame, target, reads=reads, wrote=wrote)
        return "" if target == END else target

    def after(self, step: Step) -> str:
        """Where the step leads when nothing else is said."""
        return self.turn.flow_of(self.frame).after(step.step)


_FLOW = Origin("flow", quiet=True)


def give_up(run: Run, key: str) -> str:
    """End the flow with a word."""
    frames.fail(run.turn, run.frame, key)
    return ""


async def run_say(step: Say, run: Run) -> str:
    """Say it; with `ack`, wait until it was acknowledged. What was said before a correction is not said again."""
    if step.step in run.frame.get("again", {}):
        return run.go(run.after(step))
    if step.ack:
        return await_answer(run.turn, run.frame, "inform")
    buttons = tuple(Button(each.value, each.label.into(run.turn.language)) for each in step.buttons)
    run.turn.say("say", about=step.step, text=rendered(run.turn, run.frame, step.message), buttons=buttons)
    return run.go(run.after(step))


async def run_branch(step: Branch, run: Run) -> str:
    """Take the first case that holds; what was chosen before a correction elsewhere stands."""
    stands = corrections.still_stands(run.turn, run.frame, step.step)
    if stands is not None:
        return run.go(stands["to"], reads=stands.get("reads"))
    reads = reads_of(run.turn, run.frame, {name for case in step.cases for name in case.when.slots})
    chosen = next((case.next for case in step.cases if holds(run.turn, run.frame, case.when)), step.otherwise)
    return _choose(run, step, chosen or run.after(step), reads)


async def run_while(step: While, run: Run) -> str:
    """Go into the loop while the condition holds, at most `max_iterations` times."""
    stands = corrections.still_stands(run.turn, run.frame, step.step)
    if stands is not None:
        return run.go(stands["to"], reads=stands.get("reads"))
    reads = reads_of(run.turn, run.frame, step.condition.slots)
    if not holds(run.turn, run.frame, step.condition):
        run.frame.get("loops", {}).pop(step.step, None)
        return _choose(run, step, run.after(step), reads)
    if not _goes_on(run.frame, step) and _iterations(run.frame, step) > step.max_iterations:
        return give_up(run, "loop_limit")
    return _choose(run, step, step.do[0].step, reads)


def _goes_on(frame: Frame, step: While) -> bool:
    """Whether this is no new round, but the one in which something was corrected."""
    before = frame.get("again", {}).get(step.step)
    return before is not None and before["to"] == step.do[0].step


def _iterations(frame: Frame, step: While) -> int:
    loops = frame.setdefault("loops", {})
    loops[step.step] = loops.get(step.step, 0) + 1
    return loops[step.step]


def _choose(run: Run, step: Branch | While, target: str, reads: dict[str, str]) -> str:
    before = run.frame.get("again", {}).get(step.step)
    if before is not None and before["to"] != target:
        corrections.leave_arm(run.turn, run.frame, target)
    return run.go(target, reads=reads)


async def run_set(step: Assign, run: Run) -> str:
    """Assign what the expressions give; after a correction only what has to be computed anew."""
    stands = corrections.still_stands(run.turn, run.frame, step.step)
    if stands is not None:
        return run.go(run.after(step), reads=stands.get("reads"), wrote=stands.get("wrote"))
    reads = reads_of(run.turn, run.frame, {name for each in step.slots.values() for name in _names(each)})
    for name, each in step.slots.items():
        if not frames.write(run.turn, run.frame, name, _given(run, each), _FLOW):
            return give_up(run, "action_failed")
    return run.go(run.after(step), reads=reads, wrote=list(step.slots))


def _names(assigned: object) -> frozenset[str]:
    return assigned.slots if isinstance(assigned, Condition) else frozenset()


def _given(run: Run, assigned: object) -> object:
    return untyped(evaluated(run.turn, run.frame, assigned)) if isinstance(assigned, Condition) else assigned


async def run_call(step: Call, run: Run) -> str:
    """Begin the other flow above this one; it returns by `frames.finish`."""
    turn, flow = run.turn, run.turn.assistant.flows[step.flow]
    stands = corrections.still_stands(turn, run.frame, step.step)
    if stands is not None:
        return run.go(stands["to"], reads=stands.get("reads"), wrote=stands.get("wrote"))
    if not frames.has_room(turn):
        return give_up(run, "too_many_flows")
    if not frames.may_start(turn, flow):
        return _refuse(run, flow)
    child = frames.begin(turn, flow)
    for name, expression in step.inputs.items():
        frames.write(turn, child, name, untyped(evaluated(turn, run.frame, expression)), _FLOW)
    reads = reads_of(turn, run.frame, {name for each in step.inputs.values() for name in each.slots})
    frames.call(turn, run.frame, child, reads)
    return ""


def _refuse(run: Run, flow: Flow) -> str:
    frames.refuse(run.turn, flow)
    frames.give_up(run.turn, run.frame)
    return ""


async def run_link(step: Link, run: Run) -> str:
    """The other flow takes this one's place."""
    flow = run.turn.assistant.flows[step.flow]
    if not frames.may_start(run.turn, flow):
        return _refuse(run, flow)
    frames.link(run.turn, run.frame, frames.begin(run.turn, flow))
    return ""
