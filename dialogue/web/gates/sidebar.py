"""What stands beside a gate: notes, tags, priority, invited approvers, a claim that ran out, and the history."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.desk.access.people import Person, Right
from dialogue.desk.forms.refusals import past_of_action
from dialogue.desk.forms.time_elements import time_element
from dialogue.desk.sessions.links import links_of
from dialogue.desk.sessions.triage import tags_of
from dialogue.engine.slots.definitions.labels import words_of_name
from dialogue.models import HITLSession, Notice
from dialogue.web.gates.filters import PRIORITIES

PROGRAMS = frozenset({"", "engine", "clock"})
"""Actors that are no people."""
CLAIM_ACTS = frozenset(
    f"session.{act}" for act in ("claim", "take_over", "release", "claim_returned", "submit", "agree")
)


@dataclass(frozen=True)
class Note:
    """A colleague's note."""

    by: str
    at: datetime | None
    text: str


@dataclass(frozen=True)
class PriorityOption:
    """One choice of the menu."""

    value: int
    label: str
    chosen: bool


@dataclass(frozen=True)
class InvitedApprover:
    """A person outside who was asked by mail; `kind` is good, warm, bad or empty."""

    id: int
    who: str
    role: str
    state: str
    kind: str
    error: str
    closed: bool


@dataclass(frozen=True)
class Sidebar:
    """Everything beside the gate; `may_triage` and `may_supervise` say what this person may change of it."""

    notes: list[Note]
    tags: list[str]
    priorities: list[PriorityOption]
    links: list[InvitedApprover]
    claim_ran_out: bool
    may_triage: bool
    may_supervise: bool
    may_write_notes: bool


def sidebar_of(session: HITLSession, person: Person, history: list[dict[str, Any]]) -> Sidebar:
    """Return the sidebar as this person sees it; `history` is as `session_history` returns it."""
    decides = person.may(Right.DECIDE, session)
    undecided = session.state in HITLSession.UNDECIDED
    return Sidebar(
        notes=[
            Note(line["by"], parse_datetime(line["at"]), line["text"])
            for line in history
            if line["act"] == "session.note" and not line["refused"]
        ],
        tags=tags_of(session),
        priorities=_priority_options(session.priority),
        links=[_invited_approver(link) for link in links_of(session)],
        claim_ran_out=session.state == HITLSession.State.OPEN and _own_claim_ran_out(history, person),
        may_triage=decides and undecided,
        may_supervise=person.may(Right.SUPERVISE, session) and undecided,
        may_write_notes=decides,
    )


def _priority_options(now: int) -> list[PriorityOption]:
    """Return the offered priorities, and the session's own when it is another one."""
    values = sorted({*PRIORITIES, now}, reverse=True)
    return [PriorityOption(value, str(PRIORITIES.get(value, value)), value == now) for value in values]


def _own_claim_ran_out(history: Iterable[dict[str, Any]], person: Person) -> bool:
    """Return whether this person's claim was the last one and ran out."""
    claims = [line for line in history if line["act"] in CLAIM_ACTS and not line["refused"]]
    returned = bool(claims) and claims[-1]["act"] == "session.claim_returned"
    return returned and any(line["by"] == person.name for line in claims[-2:-1])


def _invited_approver(link: dict[str, Any]) -> InvitedApprover:
    state, kind = _mail_state(link)
    return InvitedApprover(
        id=link["id"],
        who=link["name"] or link["to"],
        role=link["role"] or "",
        state=state,
        kind=kind,
        error=link["error"] if link["mail"] == Notice.State.INCIDENT else "",
        closed=link["revoked_at"] is not None,
    )


def _mail_state(link: dict[str, Any]) -> tuple[str, str]:
    """Return the newest known state of the mail, in words, and its tone (good, warm, bad or empty)."""
    if link["revoked_at"]:
        return _with_moment(_("closed %s"), link["revoked_at"]), ""
    if link["undecided_at"]:
        return _with_moment(_("cannot decide this, %s"), link["undecided_at"]), "warm"
    match link["mail"]:
        case Notice.State.SENT:
            return _with_moment(_("sent %s"), link["sent_at"]), "good"
        case Notice.State.INCIDENT:
            return _("could not be sent"), "bad"
        case Notice.State.PENDING if link["attempts"]:
            return _("is tried again, attempt %s failed") % link["attempts"], "warm"
        case Notice.State.PENDING:
            return _("on its way"), ""
        case _:
            return _("not sent any more"), ""


def _with_moment(words: str, moment: str) -> SafeString:
    """The words with a moment, stored in ISO 8601, in place of their `%s`."""
    at = parse_datetime(moment)
    return format_html(words.replace("%s", "{}"), time_element(at) if at else "")


@dataclass(frozen=True)
class HistoryLine:
    """One line of the history."""

    at: datetime | None
    text: str
    refused: bool


def history_lines(lines: list[dict[str, Any]], person: Person) -> list[HistoryLine]:
    """Put the lines of a session's history (as `session_history` returns them) into words."""
    return [_history_line(line, person) for line in lines]


def _history_line(line: dict[str, Any], person: Person) -> HistoryLine:
    is_own, at = line["by"] == person.name, parse_datetime(line["at"])
    who = _("You") if is_own else line["by"]
    if line["refused"]:
        return HistoryLine(at, _refused_text(line, who, is_own=is_own), True)
    done = _done_text(line)
    text = _("%(who)s %(done)s") % {"who": who, "done": done} if who not in PROGRAMS else done[:1].upper() + done[1:]
    return HistoryLine(at, f"{text}, “{line['text']}”" if line["text"] else text, False)


def _done_text(line: dict[str, Any]) -> str:
    """Return what was done in words; of an act without words of its own, its name without signs."""
    act, action = line["act"].removeprefix("session."), line["action"] or ""
    if act == "submit" and action:
        return past_of_action(action) or _("chose “%s”") % words_of_name(action)
    return str(_ACT_TEXTS.get(act) or act.replace(".", " ").replace("_", " "))


def _refused_text(line: dict[str, Any], who: str, *, is_own: bool) -> str:
    if is_own and line["act"] == "session.submit":
        return str(_("Your answer was not accepted: %s") % line["text"])
    return _("%(who)s tried something that was not accepted: %(why)s") % {"who": who, "why": line["text"]}


_ACT_TEXTS = {
    "opened": gettext_lazy("Asked"),
    "claim": gettext_lazy("claimed it"),
    "release": gettext_lazy("gave it back"),
    "claim_returned": gettext_lazy("Claim ran out"),
    "take_over": gettext_lazy("took it over"),
    "save_draft": gettext_lazy("saved a draft"),
    "snooze": gettext_lazy("snoozed it"),
    "unsnooze": gettext_lazy("put it back into the queue"),
    "extend": gettext_lazy("moved the deadline"),
    "submit": gettext_lazy("decided"),
    "agree": gettext_lazy("agreed"),
    "expire": gettext_lazy("let it expire"),
    "cancel": gettext_lazy("withdrew it"),
    "cancelled": gettext_lazy("Withdrawn"),
    "note": gettext_lazy("wrote a note"),
    "prioritise": gettext_lazy("changed the priority"),
    "tag": gettext_lazy("changed the tags"),
    "escalated": gettext_lazy("Waited too long: another role may act too"),
    "undecided": gettext_lazy("cannot decide this"),
    "resend_link": gettext_lazy("sent the mail link again"),
    "revoke_link": gettext_lazy("closed the mail link"),
    "link.made": gettext_lazy("Asked by mail"),
    "link.sent": gettext_lazy("Mail link sent"),
    "link.incident": gettext_lazy("The mail link could not be sent"),
    "retry": gettext_lazy("had it delivered again"),
    "abandon": gettext_lazy("gave the delivery up"),
    "say": gettext_lazy("wrote to the customer"),
    "set_slots": gettext_lazy("set values"),
    "hand_back": gettext_lazy("handed the chat back"),
    "left": gettext_lazy("The customer went back to the bot"),
    "overtaken": gettext_lazy("Overtaken: the customer was faster, and the decision was not carried out"),
    "orphaned": gettext_lazy("The decision found no open question"),
}
