"""Timers of a frame's pause: when they are set, and which moment is next."""

from datetime import UTC, datetime

from dialogue.engine.language.compiler import END, Collect, WaitStep
from dialogue.engine.ports.timers import TimerName, TimerRequest
from dialogue.engine.stack.state import Frame, Wait, wait_key
from dialogue.engine.stack.turn import PendingExpiry, Turn


def set_timer(turn: Turn, frame: Frame, name: TimerName, at: datetime) -> None:
    """Set a timer of the frame's open pause, which must be new in this turn."""
    wait = frame["wait"]
    wait.setdefault("timers", {})[name] = at.astimezone(UTC).isoformat()
    turn.record.timers.append(TimerRequest(wait_key(frame, wait), name, at))


def ends_at(wait: Wait) -> str:
    """Return the moment, as ISO 8601, at which the pause ends in any case; "" when there is none."""
    timers = wait.get("timers", {})
    return timers.get("due") or timers.get("timeout", "")


def frame_with_timer(turn: Turn, task: str, name: str) -> Frame | None:
    """Return the frame whose open pause has this key and still has this timer, or None."""
    for frame in turn.frames:
        wait = frame.get("wait")
        if wait is not None and name in wait.get("timers", {}) and wait_key(frame, wait) == task:
            return frame
    return None


def announce_timeout(turn: Turn, frame: Frame, step: str) -> None:
    """Say that the step's time limit passed, unless the path that follows says something itself.

    While a person has the chat, the announcement waits until the chat is handed back.
    """
    response = "timed_out" if isinstance(turn.flow_of(frame).step(step), Collect | WaitStep) else "expired"
    if "handoff" in turn.memory:
        frame["timed_out"] = step
    elif frame["step"] == END:  # a flow that has ended is not run, so nothing else is said
        turn.say(response, about=step, flow=turn.flow_title(frame["flow"]))
    else:
        turn.pending_expiry = PendingExpiry(step, frame["id"], len(turn.record.messages), response)
