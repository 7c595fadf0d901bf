"""A session as programs and pages are told it: in short for lists, and whole with form, values, actions and history."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db.models import Q

from dialogue.audit.chain import CONSOLE
from dialogue.desk.access.people import Person, Right
from dialogue.desk.access.redaction import SEEN_IN_FULL, redactor_for, shows_in_full
from dialogue.desk.forms import choices, forms
from dialogue.desk.forms.action_preview import Consequence, consequences_of, display_value, preview_line, redact_value
from dialogue.desk.forms.overtaking import overtaking_of
from dialogue.desk.forms.refusals import decider_name, decision_sentence
from dialogue.desk.sessions import drafts, transitions
from dialogue.desk.sessions.links import links_of
from dialogue.desk.sessions.transitions import ClaimRule, Transition
from dialogue.desk.sessions.triage import tags_of
from dialogue.models import AuditDetail, AuditEntry, HITLSession, Submission
from dialogue.models.account import display_name
from dialogue.turns import clock
from dialogue.turns.live.serializers import listed_title, redacted_record

Plain = dict[str, Any]
State = HITLSession.State


def session_summary(session: HITLSession) -> Plain:
    """One row of a list."""
    return {
        "number": session.number,
        "name": session.name,
        "state": session.state,
        "delivery": session.delivery,
        "version": session.version,
        "kind": session.kind,
        "audience": session.audience,
        "title": listed_title(session),
        "conversation": str(session.conversation_id),
        "customer": session.conversation.customer,
        "test": session.conversation.test,
        "flow": session.flow,
        "step": session.step,
        "group": session.group.name if session.group else None,
        "queue": session.queue or None,
        "priority": session.priority,
        "tags": tags_of(session),
        "assignee": display_name(session.assignee)
        if session.assignee and session.claim_holder_at(clock.now())
        else None,
        "claimed_until": _moment(session.claimed_until),
        "opened_at": _moment(session.opened_at),
        "due_at": _moment(session.due_at),
        "expires_at": _moment(session.expires_at),
        "follow_up_at": _moment(session.follow_up_at),
        "decided_by": decider_name(session) or None,
        "decided_at": _moment(session.decided_at),
    }


def session_details(session: HITLSession, person: Person) -> Plain:
    """The whole session, as this person may see it."""
    unmasked, veil = shows_in_full(session, person), redactor_for(person, session.conversation)
    outcomes = consequences_of(session, unmasked=unmasked, veil=veil)
    return {
        **session_summary(session),
        "title": veil(session.title),
        "message": "" if choices.asks_about_unknown_outcome(session) else veil(session.message),
        "error": veil(session.message) if choices.asks_about_unknown_outcome(session) else "",
        "release": session.release.number,
        "form": session.schema,
        "fields": list(_fields(session, unmasked, veil)),
        "values": [_shown(entry, unmasked) for entry in session.shown],
        "actions": [_action(session, action, outcomes) for action in choices.actions_of(session)],
        "on_timeout": _expiry(session, outcomes),
        "allowed": allowed_operations(session, person),
        "four_eyes": session.four_eyes,
        "claim_required": session.claim_required,
        "people_required": session.people_required,
        "escalation": _escalation(session),
        "links": links_of(session),
        "decision": _decision(session, unmasked, veil),
        "overtaken": overtaking.plain() if (overtaking := overtaking_of(session)) else None,
        "draft": drafts.draft_of(session, person.id).plain(),
        "history": session_history(session, veil),
    }


def allowed_operations(session: HITLSession, person: Person) -> list[str]:
    """The operations that would go through now, by name."""
    now = clock.now()
    return [
        move.name
        for move in transitions.TRANSITIONS.values()
        if move is not transitions.AGREE and _open(move, session, person, now)
    ]


def session_history(session: HITLSession, veil: Callable[[str], str]) -> list[Plain]:
    """What was done to the session, and what was refused, in the order of time; who only looked is in the audit.

    `veil` is what its texts go through, as `veil_for` has it.
    """
    done = (
        AuditEntry.objects.filter(subject=session.name)
        .exclude(chain=CONSOLE)
        .exclude(act=SEEN_IN_FULL)
        .order_by("number")
    )
    details = dict(AuditDetail.objects.filter(entry__subject=session.name).values_list("entry_id", "text"))
    acts = [_act(entry, details.get(entry.pk)) for entry in done]
    refused = session.submissions.filter(accepted=False, status__gte=400).select_related("by").order_by("pk")
    if session.decided_by_id:  # a draft that came after its own answer is on record, and nothing that anybody did
        late = Q(operation=transitions.SAVE_DRAFT.name, code="already_submitted", by=session.decided_by_id)
        refused = refused.exclude(late)
    lines = sorted([*acts, *map(_attempt, refused)], key=lambda line: str(line["at"]))
    return [{**line, "text": veil(line["text"])} for line in lines]


def _open(move: Transition, session: HITLSession, person: Person, now: datetime) -> bool:
    if not person.may(move.right, session):
        return False
    if move is transitions.NOTE:
        return True
    if move.right is Right.DELIVER:
        return session.delivery == HITLSession.Delivery.INCIDENT
    late = session.expires_at is not None and session.expires_at <= now
    if session.state in HITLSession.FINAL or (move.before_deadline and late):
        return False
    return _hold_allows(move, session, person, now) and _people_allow(move, session, person, now)


def _hold_allows(move: Transition, session: HITLSession, person: Person, now: datetime) -> bool:
    holder = session.claim_holder_at(now)
    mine, taken = holder == person.id, holder not in (None, person.id)
    match move.claim_rule:
        case ClaimRule.FREE_OR_MINE:
            return not taken
        case ClaimRule.MINE:
            return mine
        case ClaimRule.SUPERVISED:
            return not taken or person.may(Right.SUPERVISE, session)
        case ClaimRule.ANY:
            return True


def _people_allow(move: Transition, session: HITLSession, person: Person, now: datetime) -> bool:
    if move in (transitions.SAY, transitions.SET_SLOTS, transitions.HAND_BACK):
        return session.kind == HITLSession.Kind.HANDOFF
    if move is not transitions.SUBMIT:
        return True
    if session.kind == HITLSession.Kind.HANDOFF:
        return False
    asked = session.four_eyes and session.conversation.user_id == person.id
    return not asked and (session.claim_holder_at(now) == person.id or not session.claim_required)


def _fields(session: HITLSession, unmasked: bool, veil: Callable[[str], str]) -> Iterable[Plain]:
    answers = drafts.answers_of(session) if session.state in HITLSession.UNDECIDED else session.values
    for field in forms.fields_of(session):
        value = answers.get(field.name)
        hidden = field.slot.sensitive and not unmasked and value is not None
        yield {
            "gate": field.reference,
            "name": field.name,
            "type": field.slot.type,
            "description": str(field.slot.description or ""),
            "required": field.slot.required,
            "answered": field.name in answers,
            "value": redact_value(str(value)) if hidden else redacted_record(value, veil),
        }


def _shown(entry: Plain, unmasked: bool) -> Plain:
    value = entry.get("value")
    hidden = entry.get("sensitive") and not unmasked and value is not None
    return {
        **entry,
        "value": redact_value(str(value)) if hidden else value,
        "shown": display_value(entry, unmasked=unmasked),
    }


def _action(session: HITLSession, action: Any, outcomes: dict[str, Consequence]) -> Plain:
    outcome = outcomes.get(action.id)
    return {
        "id": action.id,
        "label": choices.label_of(action),
        "style": action.style,
        "reason": bool(action.reason),
        "next": outcome.next if outcome else None,
        "consequence": preview_line(session, action.id, outcome) if outcome else "",
        "inputs": outcome.inputs if outcome else {},
    }


def _expiry(session: HITLSession, outcomes: dict[str, Consequence]) -> Plain | None:
    outcome = outcomes.get("")
    if not session.on_timeout:
        return None
    return {
        "id": session.on_timeout,
        "label": choices.label_of_handle(session, session.on_timeout),
        "consequence": preview_line(session, session.on_timeout, outcome) if outcome else "",
    }


def _escalation(session: HITLSession) -> Plain | None:
    """Who may act too, and from when on; `happened_at` once they may."""
    if session.escalates_to is None:
        return None
    return {
        "role": session.escalates_to.name,
        "at": _moment(session.escalates_at),
        "happened_at": _moment(session.escalated_at),
    }


def _decision(session: HITLSession, unmasked: bool, veil: Callable[[str], str]) -> Plain | None:
    if session.state not in HITLSession.FINAL:
        return None
    submitted = session.state == State.SUBMITTED
    return {
        "action": session.handle or None,
        "values": {field["name"]: field["value"] for field in _fields(session, unmasked, veil) if field["answered"]},
        "reason": veil(session.reason),
        "by": decider_name(session) or None,
        "at": _moment(session.decided_at),
        "through": session.decided_through,
        "text": decision_sentence(session) if submitted else "",
    }


def _act(entry: AuditEntry, detail: Any) -> Plain:
    reason = detail.get("reason") or detail.get("text", "") if isinstance(detail, dict) else ""
    reason = reason or ", ".join(entry.facts.get("slots", ()))
    line = {"at": entry.at.isoformat(), "by": entry.actor, "act": entry.act, "refused": False, "text": reason}
    return {**line, "action": entry.facts.get("action")}


def _attempt(attempt: Submission) -> Plain:
    who = display_name(attempt.by) if attempt.by else ""
    act = f"session.{attempt.operation}"
    return {
        "at": attempt.at.isoformat(),
        "by": who,
        "act": act,
        "refused": True,
        "text": attempt.detail,
        "action": None,
    }


def _moment(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
