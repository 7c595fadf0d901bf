"""Named crash points: where the process can end, and what holds after it.

`crash_point("A6")` reads one variable. Only a campaign sets a trap, in a process that it starts itself; requests cannot
set one.
"""

from collections.abc import Callable

POINTS = {
    "A1": ("a message has arrived and is not stored", "no acknowledgement was sent: the client sends it again"),
    "A2": ("an event is stored and not acknowledged", "a retry with the same id gets the first answer"),
    "A3": ("an event is acknowledged, its turn has not begun", "the event is due in the database: the sweep runs it"),
    "A4": ("a message was understood, the result is not stored", "the turn was not committed: it runs again"),
    "A5": ("a message was understood, the flow has not run", "the turn was not committed: it runs again"),
    "A6": (
        "a turn's graph has ended, its commit has not begun",
        "the turn was not committed: it runs again with the stored action results",
    ),
    "A6s": (
        "lines are stored with an action's start, clients are not notified",
        "clients catch up; the re-run repeats no line",
    ),
    "A7": ("a turn is committed, clients are not notified", "clients catch up by number"),
    "B2": ("in the commit, between checkpoint and sessions", "both are in one transaction: neither is stored"),
    "B3": ("a mail is claimed in the outbox and not sent", "another attempt follows, with the same id"),
    "B3s": ("a mail is sent and not marked as sent", "it is sent again, with the same id"),
    "B7": ("all rows of a turn are written, not committed", "clients were not notified, and the rows are rolled back"),
    "G1": (
        "several conversations' changes are written, their shared commit has not begun",
        "all are rolled back: messages are sent again, turns run again",
    ),
    "G2": ("the shared commit is done, no caller was told", "as A2 and A7 for each of them"),
    "C2": ("a decision is written, not committed", "the gate is unchanged: the same answer may be sent again"),
    "C3": ("a decision is committed, its answer is lost", "a retry with the same key gets the first answer"),
    "C4": ("a decision is committed, its turn has not begun", "its event is in the same commit: the sweep runs it"),
    "C5": ("the engine has applied a decision, the commit is not done", "a re-run applies the same decision again"),
    "D1": ("the sweep read an overdue gate and has not expired it", "the next sweep expires it"),
    "D6": ("a gate is expired, its turn has not begun", "its event is in the same commit"),
    "W1": ("a webhook's delivery is claimed and not sent", "another attempt follows, with the same id"),
    "W2": ("a webhook's delivery is sent and not marked as sent", "it is sent again, with the same id"),
    "N1": ("a channel's message is stored, its acknowledgement is lost", "the channel sends it again: it counts once"),
    "N2": ("a channel's line is claimed and not sent", "another attempt follows, with the same id"),
    "N3": ("a channel's line is sent and not marked as sent", "this one message is sent again, with the same id"),
    "T1": ("the sweep read a due timer and has not fired it", "the next sweep fires it"),
    "T2": ("a timer is fired, not committed", "the timer is unchanged: the next sweep fires it"),
    "T3": ("a timer is fired, its turn has not begun", "its event is in the same commit"),
    "U1": ("a file has a row, its content is not stored", "a retry stores another one; the row goes after a day"),
    "U2": ("a file's content is stored, its row does not name it", "a retry stores another one; both go after a day"),
    "U3": ("a file is stored, its event is not", "a retry uses this file; without a retry it goes after a day"),
    "U4": ("a file's event is written, not committed", "it is rolled back: a retry uses this file"),
    "U5": ("an unused file's content is deleted, its row is not", "the row is there: the next sweep deletes it"),
    "U6": (
        "rows of files are deleted, their content is not",
        "the commit listed the content: the sweep deletes it",
    ),
    "U7": ("a file of a form is stored, its answer is lost", "a retry gets this file; unused it goes after a day"),
    "E1": ("a release is stored, the assistant does not point to it", "both are in one transaction: neither is stored"),
    "F1": ("an action is recorded as intended, not begun", "it runs again"),
    "F2": (
        "an action is marked as running",
        "it is repeated if it is idempotent, else a person is asked whether it happened",
    ),
    "F3": ("an action has answered, its result is not stored", "as F2"),
    "F4": (
        "an action's result is stored, the turn is not committed",
        "the re-run uses the stored result and does not call the action",
    ),
    "R1": ("an agent's request is written, not committed", "it is rolled back: the same request opens it again"),
    "R2": (
        "an agent's request is stored, its acknowledgement is lost",
        "a retry with the same id gets the first answer",
    ),
    "R3": ("an agent's answer is claimed for its callback, not sent", "another attempt follows, under the same id"),
    "R4": ("an agent's answer is sent to its callback, not marked", "it is sent again, the same, under the same id"),
    "R5": ("an agent's call has read its answer, it is not marked", "the next call reads the same answer"),
    "R6": ("an agent's answer is marked as read, its response is lost", "the next call reads the same answer"),
}
"""Each point: (state in which the process ends, what holds afterwards)."""

AGENT_POINTS = frozenset({"R1", "R2", "R3", "R4", "R5", "R6"})
"""Points that only requests of other systems' agents pass."""

CHANNEL_POINTS = frozenset({"N1", "N2", "N3"})
"""Points that only messages through channels pass."""

SHARED_COMMIT_POINTS = frozenset({"G1", "G2"})
"""Points of commits that several conversations share, which only SQLite has."""

Trap = Callable[[str], None]

_trap: Trap | None = None


def crash_point(point: str) -> None:
    """Mark one of `POINTS`. A trap of a campaign may end the process here."""
    if _trap is not None:
        _trap(point)


def set_trap(trap: Trap | None) -> None:
    """Call `trap` at every crash point of this process; for campaigns."""
    global _trap  # noqa: PLW0603 - one process, one trap
    _trap = trap
