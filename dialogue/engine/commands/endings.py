"""Ends: of conversations and of flows that were paused too long; and the restart of a conversation."""

from datetime import datetime

from dialogue.engine.commands.offers import close_offer, renew_resume_offer
from dialogue.engine.stack import frames, stack
from dialogue.engine.stack.handoff import conversation_task_key
from dialogue.engine.stack.turn import SettledPause, Turn


def restart_conversation(turn: Turn) -> None:
    """Restart after the user confirmed it: end all flows, forget all slots, and go on with the same conversation.

    An empty stack lets the conversation take the active release at its next turn, so that turn fills the defaults of
    that release.
    """
    close_offer(turn, "answered", "yes")
    _clear_stack(turn)
    turn.memory.update({"slots": {}, "messages": [], "said": [], "restarted": True})
    turn.memory.pop("drafts", None)
    frames.fill_conversation_defaults(turn)
    turn.say("restarted")


def fill_first_defaults(turn: Turn) -> None:
    """Fill the conversation's slots that have a default, in its first turn and in the first one after a restart."""
    restarted = turn.memory.pop("restarted", False)
    if turn.memory["turn"] == 1:
        frames.fill_conversation_defaults(turn)
    elif restarted and not turn.frames:
        given_slots = {name: slot for name, slot in turn.memory["slots"].items() if slot["source"] != "default"}
        turn.memory["slots"] = {}
        frames.fill_conversation_defaults(turn)
        turn.memory["slots"].update(given_slots)


def end_conversation(turn: Turn) -> None:
    """End all flows with everything that they await, and say so."""
    _clear_stack(turn)
    turn.memory["status"] = "done"
    turn.say("session_ended")


def cancel_conversation(turn: Turn) -> None:
    """End the conversation because staff cancelled it."""
    end_conversation(turn)
    turn.memory["status"] = "cancelled"


def _clear_stack(turn: Turn) -> None:
    close_offer(turn, "cancelled")
    handoff = turn.memory.pop("handoff", None)
    if handoff is not None:
        turn.record.settled_pauses.append(SettledPause(conversation_task_key("handoff", handoff["visit"]), "cancelled"))
    for frame in list(turn.frames):
        frames.drop_chain(turn, frame)
    turn.memory.pop("misses", None)


def end_abandoned_flows(turn: Turn) -> None:
    """End the flows that were paused longer than the assistant's `paused_limit`, and say so."""
    limit = turn.settings.paused_limit
    if limit is None:
        return
    for root in reversed(stack.root_frames(turn.frames)):
        last = stack.chain_of(turn.frames, root)[-1]
        if last["status"] == "paused" and turn.now - datetime.fromisoformat(last["since"]) > limit:
            turn.say("dropped", about=root["flow"], flow=frames.root_title(turn, root))
            frames.drop_chain(turn, root)
    renew_resume_offer(turn)
