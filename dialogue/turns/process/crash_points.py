"""The named places where a process can die, and what holds when it does.

`fault("A6")` is a look at one variable and nothing more: only a campaign sets a trap, in a process that it starts
itself. Nothing from outside can.
"""

from collections.abc import Callable

POINTS = {
    "A1": ("a message came in and is not stored", "nothing was acknowledged: the client sends it again"),
    "A2": ("an event is stored and not acknowledged", "the same id again gives the first answer"),
    "A3": ("an event is acknowledged, its turn has not begun", "the event is due in the database: the sweep finds it"),
    "A4": ("a message was understood, and that is not kept", "the turn never happened: it is run again"),
    "A5": ("a message was understood, the flow has not run", "the turn never happened: it is run again"),
    "A6": ("a turn's graph has ended, nothing is written", "the turn never happened: action results are found again"),
    "A6s": ("lines are stored with an action's start, nobody was rung", "clients catch up; the re-run repeats none"),
    "A7": ("a turn is committed, nobody was rung", "clients catch up by number"),
    "B2": ("in the commit, between checkpoint and sessions", "both are one transaction: neither is there"),
    "B3": ("a mail is taken from the outbox and not sent", "another attempt follows, with the same id"),
    "B3s": ("a mail is sent and not marked as sent", "it goes out once more, with the same id"),
    "B7": ("everything of a turn is written, not committed", "nobody was told, nothing is there"),
    "C2": ("a decision is written, not committed", "the gate is as it was: the same answer may be sent again"),
    "C3": ("a decision is committed, its answer is lost", "the same key again gives the first answer"),
    "C4": ("a decision is committed, its turn has not begun", "its event is in the same commit: the sweep finds it"),
    "C5": ("the engine has heard a decision, the commit is not done", "a re-run hears the same decision again"),
    "D1": ("a gate was found overdue and is not expired", "the next sweep finds it"),
    "D6": ("a gate is expired, its turn has not begun", "its event is in the same commit"),
    "E1": ("a release is stored, the assistant does not point to it", "both are one transaction: neither is there"),
    "F1": ("an action is intended, not begun", "it is run again"),
    "F2": ("an action is marked as running", "repeated when it may be, else a person is asked whether it happened"),
    "F3": ("an action has answered, its result is not stored", "as F2"),
    "F4": ("an action's result is stored, the turn is not committed", "the re-run is given it, and calls nothing"),
}
"""Every point: where the process ends there, and what holds all the same."""

Trap = Callable[[str], None]

_trap: Trap | None = None


def crash_point(point: str) -> None:
    """Pass one of `POINTS`; where a campaign has set a trap, the process may end here."""
    if _trap is not None:
        _trap(point)


def set_trap(trap: Trap | None) -> None:
    """Let `trap` see every point that this process passes; for campaigns."""
    global _trap  # noqa: PLW0603 - one process, one trap
    _trap = trap
