"""Opening and keeping what a frame awaits."""

from typing import Literal

from dialogue.engine.stack.state import Frame, Wait
from dialogue.engine.stack.turn import Turn

Kind = Literal["collect", "confirm", "inform", "change", "human", "handoff"]


def await_answer(turn: Turn, frame: Frame, kind: Kind, reads: dict[str, str] | None = None) -> str:
    """Wait at the frame's step. The same question about the same values is the same pause; any other is a new one,
    and voids what was awaited before. Gives "": the flow stands still."""
    if not _is_awaited(frame, kind, reads):
        open_new_wait(turn, frame, kind, reads)
    return ""


def _is_awaited(frame: Frame, kind: Kind, reads: dict[str, str] | None) -> bool:
    wait = frame.get("wait")
    same = wait is not None and wait["step"] == frame["step"] and wait["kind"] == kind
    return same and wait is not None and wait.get("reads", {}) == (reads or {})


def open_new_wait(turn: Turn, frame: Frame, kind: Kind, reads: dict[str, str] | None = None) -> None:
    """A new pause at the frame's step, with its own visit."""
    turn.settle_wait(frame, "voided")
    wait: Wait = {"kind": kind, "step": frame["step"], "visit": count_visit(frame)}
    if reads:
        wait["reads"] = reads
    frame["wait"] = wait


def count_visit(frame: Frame) -> int:
    """Count one more visit of the frame's step."""
    visits = frame["visits"]
    visits[frame["step"]] = visits.get(frame["step"], 0) + 1
    return visits[frame["step"]]
