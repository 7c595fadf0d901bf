"""The state machine of a session's decision, as data.

    OPEN ──a──▶ CLAIMED          a  claim: somebody takes it on, for the length of a lease; take over does it by force
    CLAIMED ──b──▶ OPEN          b  release: the holder puts it back
    OPEN, CLAIMED ──c──▶ SUBMITTED   c  submit: a person decides, before the deadline
    OPEN, CLAIMED ──d──▶ EXPIRED     d  expire: the clock decides, or a person who gives a reason
    OPEN, CLAIMED ──e──▶ CANCELLED   e  cancel: a supervisor withdraws it and says why

A handed-over chat is claimed by whoever first writes in it, and submitted by handing it back.

Where several people must agree, the first who agrees opens it again for the next one. Drafts, notes, snoozing and
extending leave the state as it is.
"""

from dataclasses import dataclass
from enum import Enum, auto

from dialogue.desk.access.people import Right
from dialogue.models import HITLSession

State = HITLSession.State


class Hold(Enum):
    """What a claim of somebody else means for a move."""

    FREE_OR_MINE = auto()
    MINE = auto()
    SUPERVISED = auto()
    ANY = auto()


@dataclass(frozen=True)
class Move:
    """One arrow: who may make it, until when, and where it leads (None: the state stays)."""

    name: str
    right: Right
    hold: Hold
    to: State | None = None
    in_time: bool = True
    reason: bool = False
    event: str = "changed"


CLAIM = Move("claim", Right.DECIDE, Hold.FREE_OR_MINE, State.CLAIMED, event="claimed")
RELEASE = Move("release", Right.DECIDE, Hold.MINE, State.OPEN, in_time=False, event="released")
TAKE_OVER = Move("take_over", Right.SUPERVISE, Hold.ANY, State.CLAIMED, reason=True, event="claimed")
SAVE_DRAFT = Move("save_draft", Right.DECIDE, Hold.FREE_OR_MINE)
SNOOZE = Move("snooze", Right.DECIDE, Hold.FREE_OR_MINE)
UNSNOOZE = Move("unsnooze", Right.DECIDE, Hold.FREE_OR_MINE)
EXTEND = Move("extend", Right.SUPERVISE, Hold.ANY)
SUBMIT = Move("submit", Right.DECIDE, Hold.FREE_OR_MINE, State.SUBMITTED, event="submitted")
AGREE = Move("agree", Right.DECIDE, Hold.FREE_OR_MINE, State.OPEN)
EXPIRE = Move("expire", Right.DECIDE, Hold.SUPERVISED, State.EXPIRED, in_time=False, reason=True, event="expired")
CANCEL = Move("cancel", Right.SUPERVISE, Hold.ANY, State.CANCELLED, in_time=False, reason=True, event="cancelled")
SAY = Move("say", Right.DECIDE, Hold.FREE_OR_MINE, State.CLAIMED, event="claimed")
SET_SLOTS = Move("set_slots", Right.DECIDE, Hold.FREE_OR_MINE, State.CLAIMED, event="claimed")
HAND_BACK = Move("hand_back", Right.DECIDE, Hold.FREE_OR_MINE, State.SUBMITTED, event="submitted")
PRIORITISE = Move("prioritise", Right.DECIDE, Hold.ANY)
TAG = Move("tag", Right.DECIDE, Hold.ANY)
NOTE = Move("note", Right.DECIDE, Hold.ANY, in_time=False)
RETRY = Move("retry", Right.DELIVER, Hold.ANY, in_time=False)
ABANDON = Move("abandon", Right.DELIVER, Hold.ANY, in_time=False)

UNDECIDED = Move("undecided", Right.DECIDE, Hold.ANY)
RESEND_LINK = Move("resend_link", Right.SUPERVISE, Hold.ANY)
REVOKE_LINK = Move("revoke_link", Right.SUPERVISE, Hold.ANY, in_time=False)

MOVES = {
    move.name: move
    for move in (
        *(CLAIM, RELEASE, TAKE_OVER, SAVE_DRAFT, SNOOZE, EXTEND),
        *(SUBMIT, AGREE, EXPIRE, CANCEL),
        *(SAY, SET_SLOTS, HAND_BACK, PRIORITISE, TAG, NOTE, RETRY, ABANDON),
    )
}
"""The moves that a session's own page offers; a snooze is ended where one can be made, and links have their own."""
