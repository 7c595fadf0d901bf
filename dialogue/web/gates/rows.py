"""One row of the queue, for the page and for the live event that replaces it: the same template, the same facts."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from dialogue.desk.access.people import Person
from dialogue.desk.forms import refusals
from dialogue.desk.forms.choices import REFUSALS, action_of, label_of_handle
from dialogue.desk.sessions.triage import tags_of
from dialogue.models import HITLSession
from dialogue.models.account import display_name
from dialogue.turns import clock
from dialogue.turns.live.values_at_stake import values_in_brief
from dialogue.web.gates.chat_rows import render_chat_row
from dialogue.web.gates.filters import PRIORITIES

VERY_SOON = timedelta(minutes=5)
SOON = timedelta(minutes=30)
State = HITLSession.State


@dataclass(frozen=True)
class Outcome:
    """How a gate ended: a word, and how it looks; `tone` is good, bad or line."""

    words: str
    tone: str
    icon: str


@dataclass(frozen=True)
class GateRow:
    """The facts of a row: `urgency` is bad, warm or empty; `values` tell the gate from others of its kind.

    Once it is over, `outcome` is how, `ended` the word before the time, and `decided` says by whom. Gates of the same
    `form` can be answered together.

    `deadline` is when it should be decided (`due`), and once that has passed (`late`), or comes later, when it expires.

    Lists fetch the sessions' tags beforehand; `priority` is empty for the usual one.
    """

    session: HITLSession
    over: bool
    deadline: datetime | None
    due: bool
    late: bool
    urgency: str
    holder: str
    is_mine: bool
    values: list[str]
    outcome: Outcome
    ended: str
    decided: str
    tags: list[str]
    priority: str
    escalated: bool
    form: str


def row_of(session: HITLSession, person: Person) -> GateRow:
    """Return the row of this session as this person sees it."""
    return _gate_row(session, person.id)


def _gate_row(session: HITLSession, viewer: int | None) -> GateRow:
    now = clock.now()
    holder_id = session.claim_holder_at(now)
    due, expires = session.due_at, session.expires_at
    deadline = due if due and (expires is None or now < due < expires) else expires
    return GateRow(
        session=session,
        over=session.state in HITLSession.FINAL,
        deadline=deadline,
        due=deadline is not None and deadline != session.expires_at,
        late=session.due_at is not None and session.due_at <= now,
        urgency=_urgency(deadline, now),
        holder=display_name(session.assignee) if holder_id and session.assignee else "",
        is_mine=holder_id is not None and holder_id == viewer,
        values=values_in_brief(session),
        outcome=outcome_of(session),
        ended=str(_ENDED.get(State(session.state), _ENDED[State.SUBMITTED])),
        decided=decision_text(session),
        tags=tags_of(session),
        priority=str(PRIORITIES.get(session.priority, session.priority)) if session.priority else "",
        escalated=session.escalated_at is not None and session.state in HITLSession.UNDECIDED,
        form=form_digest(session)[:12],
    )


def render_row(session: HITLSession, viewer: int | None, *, redacted: bool = False) -> str:
    """Render the row as this account sees it; None: as a person who does not hold the session.

    `redacted`: without what was said, for people who check and do not serve.
    """
    if session.kind == HITLSession.Kind.HANDOFF:
        return render_chat_row(session, viewer, redacted=redacted)
    return render_to_string("dialogue/gates/queue/row.html", {"row": _gate_row(session, viewer)})


def form_digest(session: HITLSession) -> str:
    """Digest of what two gates share when one form answers both: fields, actions, and how many must agree."""
    form: Any = [session.schema, session.actions, session.flow, session.step, session.people_required]
    return sha256(json.dumps(form, sort_keys=True, default=str).encode()).hexdigest()


def decision_text(session: HITLSession) -> str:
    """Return who decided and what came of it: "by Olga Petrov", "then: Reject"; "" if there is nothing to say."""
    if session.state == State.EXPIRED and session.handle:
        return _("then: %s") % label_of_handle(session, session.handle)
    winner_name = refusals.decider_name(session)
    return _("by %s") % winner_name if winner_name else ""


def outcome_of(session: HITLSession) -> Outcome:
    """Return how the session ended, in a word and in colour; "" while it is undecided."""
    if session.state == State.EXPIRED:
        return Outcome(_("Expired"), "line", "clock")
    if session.state != State.SUBMITTED:
        return Outcome(_("Withdrawn") if session.state == State.CANCELLED else "", "line", "x")
    words = str(_OUTCOMES.get(session.handle) or label_of_handle(session, session.handle))
    if session.delivery == HITLSession.Delivery.OVERTAKEN:
        return Outcome(_("%s, overtaken") % words, "warm", "warn")
    action = action_of(session, session.handle)
    if action is not None and action.approves:
        return Outcome(words, "good", "check")
    is_refusal = session.handle in REFUSALS or (action is not None and (action.style == "danger" or action.reason))
    return Outcome(words, "bad", "x") if is_refusal else Outcome(words, "line", "check")


def decider_name(session: HITLSession) -> str:
    """Return who ended the session: a person's name, the deadline, or the conversation."""
    winner_name = refusals.decider_name(session)
    if winner_name:
        return winner_name
    return _("Deadline") if session.state == State.EXPIRED else _("Conversation")


def outcome_text(session: HITLSession) -> str:
    """Return the label of the decided action."""
    if session.state == State.CANCELLED:
        what = _("withdrawn")
    else:
        what = label_of_handle(session, session.handle) if session.handle else _("ended")
    overtaken = session.delivery == HITLSession.Delivery.OVERTAKEN
    return _("%s, overtaken") % what if overtaken else what


def decision_channel(session: HITLSession) -> str:
    """Return the channel of the decision in words; "" when no person decided."""
    return str(_CHANNELS.get(session.decided_through, session.decided_through))


def _urgency(deadline: datetime | None, now: datetime) -> str:
    if deadline is None or deadline - now > SOON:
        return ""
    return "bad" if deadline - now <= VERY_SOON else "warm"


_ENDED = {
    State.SUBMITTED: pgettext_lazy("of a gate in a list", "Decided"),
    State.EXPIRED: pgettext_lazy("of a gate in a list", "Expired"),
    State.CANCELLED: pgettext_lazy("of a gate in a list", "Withdrawn"),
}
_OUTCOMES = {
    "approve": pgettext_lazy("outcome of a gate", "Approved"),
    "accept": pgettext_lazy("outcome of a gate", "Accepted"),
    "agree": pgettext_lazy("outcome of a gate", "Agreed"),
    "allow": pgettext_lazy("outcome of a gate", "Allowed"),
    "confirm": pgettext_lazy("outcome of a gate", "Confirmed"),
    "decline": pgettext_lazy("outcome of a gate", "Declined"),
    "deny": pgettext_lazy("outcome of a gate", "Denied"),
    "refuse": pgettext_lazy("outcome of a gate", "Refused"),
    "reject": pgettext_lazy("outcome of a gate", "Rejected"),
    "release": pgettext_lazy("outcome of a gate", "Released"),
}
_CHANNELS = {
    "page": gettext_lazy("in the browser"),
    "bar": gettext_lazy("by the command bar"),
    "api": gettext_lazy("through the API"),
    "mcp": gettext_lazy("by an assistant, through MCP"),
    "terminal": gettext_lazy("in the terminal"),
    "link": gettext_lazy("by mail link"),
    "chat": gettext_lazy("in the chat"),
    "sweep": gettext_lazy("by the clock"),
}
