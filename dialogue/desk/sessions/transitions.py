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


class ClaimRule(Enum):
    """What a claim of somebody else means for a move."""

    FREE_OR_MINE = auto()
    MINE = auto()
    SUPERVISED = auto()
    ANY = auto()


@dataclass(frozen=True)
class Transition:
    """One arrow: who may make it, until when, and where it leads (None: the state stays)."""

    name: str
    right: Right
    claim_rule: ClaimRule
    target: State | None = None
    before_deadline: bool = True
    needs_reason: bool = False
    inbox_event: str = "changed"


CLAIM = Transition("claim", Right.DECIDE, ClaimRule.FREE_OR_MINE, State.CLAIMED, inbox_event="claimed")
RELEASE = Transition("release", Right.DECIDE, ClaimRule.MINE, State.OPEN, before_deadline=False, inbox_event="released")
TAKE_OVER = Transition(
    "take_over", Right.SUPERVISE, ClaimRule.ANY, State.CLAIMED, needs_reason=True, inbox_event="claimed"
)
SAVE_DRAFT = Transition("save_draft", Right.DECIDE, ClaimRule.FREE_OR_MINE)
SNOOZE = Transition("snooze", Right.DECIDE, ClaimRule.FREE_OR_MINE)
UNSNOOZE = Transition("unsnooze", Right.DECIDE, ClaimRule.FREE_OR_MINE)
EXTEND = Transition("extend", Right.SUPERVISE, ClaimRule.ANY)
SUBMIT = Transition("submit", Right.DECIDE, ClaimRule.FREE_OR_MINE, State.SUBMITTED, inbox_event="submitted")
AGREE = Transition("agree", Right.DECIDE, ClaimRule.FREE_OR_MINE, State.OPEN)
EXPIRE = Transition(
    "expire",
    Right.DECIDE,
    ClaimRule.SUPERVISED,
    State.EXPIRED,
    before_deadline=False,
    needs_reason=True,
    inbox_event="expired",
)
CANCEL = Transition(
    "cancel",
    Right.SUPERVISE,
    ClaimRule.ANY,
    State.CANCELLED,
    before_deadline=False,
    needs_reason=True,
    inbox_event="cancelled",
)
SAY = Transition("say", Right.DECIDE, ClaimRule.FREE_OR_MINE, State.CLAIMED, inbox_event="claimed")
SET_SLOTS = Transition("set_slots", Right.DECIDE, ClaimRule.FREE_OR_MINE, State.CLAIMED, inbox_event="claimed")
HAND_BACK = Transition("hand_back", Right.DECIDE, ClaimRule.FREE_OR_MINE, State.SUBMITTED, inbox_event="submitted")
PRIORITISE = Transition("prioritise", Right.DECIDE, ClaimRule.ANY)
TAG = Transition("tag", Right.DECIDE, ClaimRule.ANY)
NOTE = Transition("note", Right.DECIDE, ClaimRule.ANY, before_deadline=False)
RETRY = Transition("retry", Right.DELIVER, ClaimRule.ANY, before_deadline=False)
ABANDON = Transition("abandon", Right.DELIVER, ClaimRule.ANY, before_deadline=False)

UNDECIDED = Transition("undecided", Right.DECIDE, ClaimRule.ANY)
RESEND_LINK = Transition("resend_link", Right.SUPERVISE, ClaimRule.ANY)
REVOKE_LINK = Transition("revoke_link", Right.SUPERVISE, ClaimRule.ANY, before_deadline=False)

TRANSITIONS = {
    transition.name: transition
    for transition in (
        *(CLAIM, RELEASE, TAKE_OVER, SAVE_DRAFT, SNOOZE, EXTEND),
        *(SUBMIT, AGREE, EXPIRE, CANCEL),
        *(SAY, SET_SLOTS, HAND_BACK, PRIORITISE, TAG, NOTE, RETRY, ABANDON),
    )
}
"""The moves that a session's own page offers; a snooze is ended where one can be made, and links have their own."""
