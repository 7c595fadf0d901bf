"""Offers beside the stack: which flow is meant, which to resume, whether to restart or to change a value."""

from typing import Any, Literal

from dialogue.engine.stack import stack
from dialogue.engine.stack.handoff import conversation_task_key
from dialogue.engine.stack.pending import paused_flows
from dialogue.engine.stack.turn import PauseEnd, SettledPause, Turn


def open_offer(turn: Turn, kind: Literal["clarify", "resume", "restart", "correction"], flows: list[str]) -> None:
    """Open an offer of this kind. It replaces an offer that is open."""
    close_offer(turn, "voided")
    turn.memory["asked"] += 1
    turn.memory["offer"] = {"kind": kind, "flows": flows, "visit": turn.memory["asked"]}


def offer_correction(turn: Turn, frame: str, slot: str, value: Any) -> None:
    """Ask whether the slot of the frame with this id should hold the value."""
    open_offer(turn, "correction", [])
    turn.memory["offer"] |= {"frame": frame, "slot": slot, "value": value}


def close_outdated_correction(turn: Turn) -> None:
    """Close the question whether to change a value when staff no longer look at it."""
    if open_offer_kind(turn) != "correction":
        return
    frame = stack.find_frame(turn.frames, turn.memory["offer"]["frame"])
    # A called flow may be the one that made the request.
    if frame is None or all(chain_frame["status"] != "parked" for chain_frame in stack.chain_of(turn.frames, frame)):
        close_offer(turn)


def close_offer(turn: Turn, how: PauseEnd = "voided", handle: str = "") -> None:
    """Close the open offer, if there is one, and record how it ended."""
    offer = turn.memory.pop("offer", None)
    if offer is not None:
        turn.record.settled_pauses.append(
            SettledPause(conversation_task_key(offer["kind"], offer["visit"]), how, handle)
        )


def open_offer_kind(turn: Turn) -> str:
    """Return the kind of the open offer, or ""."""
    return turn.memory["offer"]["kind"] if "offer" in turn.memory else ""


def renew_resume_offer(turn: Turn) -> None:
    """Offer the flows that are still paused after a flow ended, or close the offer to resume."""
    if open_offer_kind(turn) != "resume":
        return
    flows = paused_flows(turn)
    if flows != turn.memory["offer"]["flows"]:
        open_offer(turn, "resume", flows) if flows else close_offer(turn)
