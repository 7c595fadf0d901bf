"""The state machine of a gate's decision, as data.

    OPEN ──a──▶ CLAIMED              a  claim: a person holds it for a lease; a supervisor may take it over
    CLAIMED ──b──▶ OPEN              b  release: the holder puts it back, or the lease runs out
    OPEN, CLAIMED ──c──▶ SUBMITTED   c  submit: a person decides, before the deadline
    OPEN, CLAIMED ──d──▶ EXPIRED     d  expire: the deadline passes, or a person with a reason lets it expire
    OPEN, CLAIMED ──e──▶ CANCELLED   e  cancel: a supervisor withdraws it with a reason; the user or the flow may too

The first person who writes in a handed-over chat claims it; handing it back submits it. Where several people must
agree, the first agreement opens the gate again for the next person. Drafts, notes, snoozing and extending leave the
state as it is. The README and `models.sessions.session` use the same letters.
"""

from dataclasses import dataclass
from enum import Enum, auto

from dialogue.desk.access.people import Right
from dialogue.models import HITLSession

State = HITLSession.State


class ClaimRule(Enum):
    """Who may hold the claim when a transition is made.

    FREE_OR_MINE: the session is unclaimed, or the person holds it. MINE: the person holds it. SUPERVISED: as
    FREE_OR_MINE, but a supervisor may ignore another person's claim. ANY: claims do not matter.
    """

    FREE_OR_MINE = auto()
    MINE = auto()
    SUPERVISED = auto()
    ANY = auto()


@dataclass(frozen=True)
class Transition:
    """The stored name of a transition, the right and the claim it needs, and its target (None: the state stays).

    `before_deadline`: not allowed once the deadline has passed. `inbox_event`: what open inboxes are told.
    """

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
"""The transitions that a session's page offers, by name. Not among them: UNSNOOZE, and those of answer links."""
