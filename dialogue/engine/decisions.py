"""What staff decided, or did not in time: the parked flow moves to the top and goes on."""

from dialogue.engine import frames, stack
from dialogue.engine.events import Event
from dialogue.engine.filling import leave
from dialogue.engine.language import Handoff, Human
from dialogue.engine.slot_access import reads_of
from dialogue.engine.state import Frame
from dialogue.engine.taking_over import PLACE, hand_back
from dialogue.engine.turn import Late, Turn


class PauseNotAwaited(LookupError):
    """A decision came for a pause that this conversation does not await."""


def decide(turn: Turn, event: Event) -> None:
    """Take a decision or an expiry into the flow that waits for it; raises PauseNotAwaited."""
    task = str(event["task"])
    if task.startswith(f"{PLACE}/handoff/"):
        return hand_back(turn, _handle(event))
    frame = _frame_waiting(turn, task)
    step = turn.flow_of(frame).step(frame["wait"]["step"])
    if isinstance(step, Handoff):
        hand_back(turn, _handle(event))
    elif isinstance(step, Human):
        _leave(turn, frame, step, event)
        frames.bring_up(turn, frame)
    else:
        raise PauseNotAwaited(task)
    if event["kind"] == "expiry":
        turn.late = Late(step.step, frame["id"], len(turn.messages))


def _frame_waiting(turn: Turn, task: str) -> Frame:
    for frame in turn.frames:
        wait = frame.get("wait")
        if wait is not None and task == f"{frame['id']}/{wait['step']}/{wait['visit']}":
            return frame
    raise PauseNotAwaited(task)


def _handle(event: Event) -> str:
    return "expired" if event["kind"] == "expiry" else "hand_back"


def _leave(turn: Turn, frame: Frame, step: Human, event: Event) -> None:
    late = event["kind"] == "expiry"
    handle = (step.expiry_action or "expired") if late else str(event.get("handle", ""))
    values = dict(event.get("values") or {})
    frame.setdefault("results", {})[step.step] = {**values, "action": handle}
    reads = reads_of(turn, frame, step.bind)
    frame.setdefault("bound", {})[step.step] = reads
    frame["status"] = "active"
    turn.settle(frame, "answered", handle, values)
    leave(turn, frame, _target(turn, frame, step, handle, late=late), reads=reads)


def _target(turn: Turn, frame: Frame, step: Human, handle: str, *, late: bool) -> str:
    chosen = step.expiry_step if late else step.next.get(handle)
    return chosen or turn.flow_of(frame).after(step.step)


def root_of_task(turn: Turn, task: str) -> Frame:
    """The flow that waits at this task; raises PauseNotAwaited."""
    return stack.root_of(turn.frames, _frame_waiting(turn, task))
