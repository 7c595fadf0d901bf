"""Handoff: while a person has the chat, the bot is silent."""

from dialogue.engine.language.compiler import Handoff
from dialogue.engine.stack import stack
from dialogue.engine.stack.filling import leave_step
from dialogue.engine.stack.state import Frame
from dialogue.engine.stack.timers import announce_timeout
from dialogue.engine.stack.turn import SettledPause, Turn

CONVERSATION_NODE = "conversation"
"""Takes the place of a frame's id in pauses of the conversation itself."""


def conversation_task_key(kind: str, visit: int) -> str:
    """Return the key of a pause of the conversation itself: a handoff, or an offer of this kind."""
    return f"{CONVERSATION_NODE}/{kind}/{visit}"


def take_over(turn: Turn, *, text: str | None = None, reason: str = "", alone: bool = False) -> None:
    """Ask for a person, and be silent from then on. `alone`: say nothing else in this turn."""
    if alone:
        turn.record.messages = []
    turn.say("handoff", text=text)
    turn.memory["asked"] += 1
    top = turn.top
    flow = stack.root_of(turn.frames, top)["flow"] if top else ""
    since = turn.now.isoformat()
    turn.memory["handoff"] = {"visit": turn.memory["asked"], "flow": flow, "reason": reason, "since": since}
    turn.memory.pop("misses", None)


def handoff_frame(turn: Turn) -> Frame | None:
    """Return the frame whose handoff step gave the chat to a person, or None."""
    return next((frame for frame in turn.frames if frame.get("wait", {}).get("kind") == "handoff"), None)


def hand_back(turn: Turn, handle: str = "hand_back") -> None:
    """Give the chat back to the bot. The flow goes on where it waited, or after its handoff step."""
    handoff = turn.memory.pop("handoff", None)
    frame = handoff_frame(turn)
    if frame is not None:
        step = turn.step_of(frame)
        assert isinstance(step, Handoff)
        turn.settle_wait(frame, "answered", handle)
        timeout_step = step.on_timeout if handle == "expired" else None
        leave_step(turn, frame, timeout_step or turn.flow_of(frame).next_step(step.step))
    elif handoff is not None:
        turn.record.settled_pauses.append(
            SettledPause(conversation_task_key("handoff", handoff["visit"]), "answered", handle)
        )
    turn.handed_back = frame is not None or handoff is not None
    for stack_frame in turn.frames:
        turn.touch(stack_frame)
        if step_id := stack_frame.pop("timed_out", ""):
            announce_timeout(turn, stack_frame, step_id)
