"""How conversations, and flows that were left too long, come to an end."""

from datetime import datetime

from dialogue.engine import frames, stack
from dialogue.engine.offers import close_offer, renew_resume_offer
from dialogue.engine.taking_over import PLACE
from dialogue.engine.turn import Settled, Turn


def start_afresh(turn: Turn) -> None:
    """The user wants to begin anew: everything ends, and the conversation's slots are forgotten."""
    close_offer(turn, "answered", "yes")
    end_conversation(turn)
    turn.memory["slots"] = {}
    frames.give_defaults(turn)


def end_conversation(turn: Turn) -> None:
    """End all flows with all that they await, and say so."""
    _clear_stack(turn)
    turn.memory["status"] = "done"
    turn.say("session_ended")


def cancel_conversation(turn: Turn) -> None:
    """Staff ended the conversation."""
    end_conversation(turn)
    turn.memory["status"] = "cancelled"


def _clear_stack(turn: Turn) -> None:
    close_offer(turn, "cancelled")
    taken = turn.memory.pop("handoff", None)
    if taken is not None:
        turn.settled.append(Settled(f"{PLACE}/handoff/{taken['visit']}", "cancelled"))
    for frame in list(turn.frames):
        frames.drop_chain(turn, frame)
    turn.memory.pop("misses", None)


def drop_forgotten(turn: Turn) -> None:
    """End the flows that were left paused longer than their assistant allows, with a word."""
    limit = turn.settings.paused_limit
    if limit is None:
        return
    for root in reversed(stack.roots(turn.frames)):
        last = stack.chain_of(turn.frames, root)[-1]
        if last["status"] == "paused" and turn.now - datetime.fromisoformat(last["since"]) > limit:
            turn.say("dropped", about=root["flow"], flow=frames.title_of(turn, root))
            frames.drop_chain(turn, root)
    renew_resume_offer(turn)
