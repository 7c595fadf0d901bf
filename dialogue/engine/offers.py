"""Offers beside the stack: which flow is meant, which to resume, whether to start afresh."""

from typing import Literal

from dialogue.engine.prompts import resumable
from dialogue.engine.taking_over import PLACE
from dialogue.engine.turn import HowSettled, Settled, Turn


def open_offer(turn: Turn, kind: Literal["clarify", "resume", "restart"], flows: list[str]) -> None:
    """Offer these in place of whatever was offered before."""
    close_offer(turn, "voided")
    turn.memory["asked"] += 1
    turn.memory["offer"] = {"kind": kind, "flows": flows, "visit": turn.memory["asked"]}


def close_offer(turn: Turn, how: HowSettled = "voided", handle: str = "") -> None:
    """Nothing is offered any more."""
    offer = turn.memory.pop("offer", None)
    if offer is not None:
        turn.settled.append(Settled(f"{PLACE}/{offer['kind']}/{offer['visit']}", how, handle))


def offered(turn: Turn) -> str:
    """The kind of the open offer, or ""."""
    return turn.memory["offer"]["kind"] if "offer" in turn.memory else ""


def renew_resume_offer(turn: Turn) -> None:
    """After a flow ended: offer what is still paused, or nothing."""
    if offered(turn) != "resume":
        return
    left = resumable(turn)
    if left != turn.memory["offer"]["flows"]:
        open_offer(turn, "resume", left) if left else close_offer(turn)
