"""Sessions as JSON: a summary for lists, and the details with form, values, actions and history."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db.models import Q

from dialogue.audit.chain import CONSOLE
from dialogue.desk.access.people import Person, Right
from dialogue.desk.access.redaction import SEEN_IN_FULL, redactor_for, shows_in_full
from dialogue.desk.forms import choices, forms
from dialogue.desk.forms.action_preview import Consequence, consequences_of, display_value, program_line, redact_value
from dialogue.desk.forms.overtaking import overtaking_of
from dialogue.desk.forms.refusals import decider_name, decision_sentence
from dialogue.desk.forms.sentences import in_reader_language
from dialogue.desk.sessions import drafts, transitions
from dialogue.desk.sessions.links import links_of
from dialogue.desk.sessions.transitions import ClaimRule, Transition
from dialogue.desk.sessions.triage import tags_of
from dialogue.engine.slots.display import redacted_json
from dialogue.models import AuditDetail, AuditEntry, HITLSession, Submission
from dialogue.models.account import display_name
from dialogue.turns import clock
from dialogue.turns.live.serializers import listed_title, redacted_record

Plain = dict[str, Any]
State = HITLSession.State


def session_summary(session: HITLSession) -> Plain:
    """Return a session as one row of a list, with times in ISO 8601."""
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
        "claimed_until": _iso_or_none(session.claimed_until),
        "opened_at": _iso_or_none(session.opened_at),
        "due_at": _iso_or_none(session.due_at),
        "expires_at": _iso_or_none(session.expires_at),
        "follow_up_at": _iso_or_none(session.follow_up_at),
        "decided_by": decider_name(session) or None,
        "decided_at": _iso_or_none(session.decided_at),
    }


def session_details(session: HITLSession, person: Person) -> Plain:
    """Return the summary with form, fields, values, actions, links, decision and history, as this person may see them.

    If the person sees sensitive values in full, an audit entry is written.
    """
    unmasked, redactor = shows_in_full(session, person), redactor_for(person, session.conversation)
    outcomes = consequences_of(session, unmasked=unmasked, redactor=redactor, names_actions=True)
    return {
        **session_summary(session),
        "title": redactor(session.title),
        "message": "" if choices.asks_about_unknown_outcome(session) else redactor(session.message),
        "error": redactor(session.message) if choices.asks_about_unknown_outcome(session) else "",
        "release": session.release.number,
        "form": session.schema,
        "fields": list(_fields_json(session, unmasked, redactor)),
        "values": [_shown_value_json(entry, unmasked) for entry in session.shown],
        "actions": [_action_json(session, action, outcomes) for action in choices.actions_of(session)],
        "on_timeout": _expiry_json(session, outcomes),
        "allowed": allowed_operations(session, person),
        "four_eyes": session.four_eyes,
        "claim_required": session.claim_required,
        "people_required": session.people_required,
        "escalation": _escalation_json(session),
        "links": links_of(session),
        "decision": _decision_json(session, unmasked, redactor),
        "overtaken": overtaking.plain() if (overtaking := overtaking_of(session)) else None,
        "draft": drafts.draft_of(session, person.id).plain(),
        "history": session_history(session, redactor),
    }


def allowed_operations(session: HITLSession, person: Person) -> list[str]:
    """Return the names of the operations that would succeed now."""
    now = clock.now()
    return [
        transition.name
        for transition in transitions.TRANSITIONS.values()
        if transition is not transitions.AGREE and _is_open(transition, session, person, now)
    ]


def session_history(session: HITLSession, redactor: Callable[[str], str]) -> list[Plain]:
    """Return what was done to the session and what was refused, in order of time; views are in the audit trail only.

    Each line is {at, by, act, refused, text, action}. `redactor` is applied to the texts; see `redactor_for`.
    """
    done = (
        AuditEntry.objects.filter(subject=session.name)
        .exclude(chain=CONSOLE)
        .exclude(act=SEEN_IN_FULL)
        .order_by("number")
    )
    details = dict(AuditDetail.objects.filter(entry__subject=session.name).values_list("entry_id", "text"))
    acts = [_act_json(entry, details.get(entry.pk)) for entry in done]
    refused = session.submissions.filter(accepted=False, status__gte=400).select_related("by").order_by("pk")
    if session.decided_by_id:  # a draft that arrived after its own answer is stored, but is no act of a person
        late = Q(operation=transitions.SAVE_DRAFT.name, code="already_submitted", by=session.decided_by_id)
        refused = refused.exclude(late)
    lines = sorted([*acts, *map(_attempt_json, refused)], key=lambda line: str(line["at"]))
    return [{**line, "text": redactor(line["text"])} for line in lines]


def _is_open(transition: Transition, session: HITLSession, person: Person, now: datetime) -> bool:
    if not person.may(transition.right, session):
        return False
    if transition is transitions.NOTE:
        return True
    if transition.right is Right.DELIVER:
        return session.delivery == HITLSession.Delivery.INCIDENT
    late = session.expires_at is not None and session.expires_at <= now
    if session.state in HITLSession.FINAL or (transition.before_deadline and late):
        return False
    return _claim_allows(transition, session, person, now) and _people_allow(transition, session, person, now)


def _claim_allows(transition: Transition, session: HITLSession, person: Person, now: datetime) -> bool:
    holder = session.claim_holder_at(now)
    is_own, is_others = holder == person.id, holder not in (None, person.id)
    match transition.claim_rule:
        case ClaimRule.FREE_OR_MINE:
            return not is_others
        case ClaimRule.MINE:
            return is_own
        case ClaimRule.SUPERVISED:
            return not is_others or person.may(Right.SUPERVISE, session)
        case ClaimRule.ANY:
            return True


def _people_allow(transition: Transition, session: HITLSession, person: Person, now: datetime) -> bool:
    if transition in (transitions.SAY, transitions.SET_SLOTS, transitions.HAND_BACK):
        return session.kind == HITLSession.Kind.HANDOFF
    if transition is not transitions.SUBMIT:
        return True
    if session.kind == HITLSession.Kind.HANDOFF:
        return False
    is_asker = session.four_eyes and session.conversation.user_id == person.id
    return not is_asker and (session.claim_holder_at(now) == person.id or not session.claim_required)


def _fields_json(session: HITLSession, unmasked: bool, redactor: Callable[[str], str]) -> Iterable[Plain]:
    answers = drafts.answers_of(session) if session.state in HITLSession.UNDECIDED else session.values
    for field in forms.fields_of(session):
        value = answers.get(field.name)
        hidden = field.slot.sensitive and not unmasked and value is not None
        value = value if unmasked or field.slot.sensitive else redacted_json(field.slot, value)
        yield {
            "gate": field.reference,
            "name": field.name,
            "type": field.slot.type,
            "description": str(field.slot.description or ""),
            "required": field.slot.required,
            "answered": field.name in answers,
            "value": redact_value(str(value)) if hidden else redacted_record(value, redactor),
        }


def _shown_value_json(entry: Plain, unmasked: bool) -> Plain:
    value = entry.get("value")
    hidden = entry.get("sensitive") and not unmasked and value is not None
    return {
        **{name: part for name, part in entry.items() if name != "masked"},
        "value": redact_value(str(value)) if hidden else value if unmasked else entry.get("masked", entry).get("value"),
        "shown": display_value(entry, unmasked=unmasked),
    }


def _action_json(session: HITLSession, action: Any, outcomes: dict[str, Consequence]) -> Plain:
    outcome = outcomes.get(action.id)
    return {
        "id": action.id,
        "label": choices.label_of(action),
        "style": action.style,
        "reason": bool(action.reason),
        "next": outcome.next if outcome else None,
        "consequence": program_line(session, action.id, outcome) if outcome else "",
        "inputs": outcome.inputs if outcome else {},
    }


def _expiry_json(session: HITLSession, outcomes: dict[str, Consequence]) -> Plain | None:
    outcome = outcomes.get("")
    if not session.on_timeout:
        return None
    return {
        "id": session.on_timeout,
        "label": choices.label_of_handle(session, session.on_timeout),
        "consequence": program_line(session, session.on_timeout, outcome) if outcome else "",
    }


def _escalation_json(session: HITLSession) -> Plain | None:
    """Return the role that may act too, from when on, and when that happened."""
    if session.escalates_to is None:
        return None
    return {
        "role": session.escalates_to.name,
        "at": _iso_or_none(session.escalates_at),
        "happened_at": _iso_or_none(session.escalated_at),
    }


def decision_json(session: HITLSession, redactor: Callable[[str], str]) -> Plain | None:
    """Return a decision `{action, values, reason, by, at, through, text}` for other systems, with sensitive values
    masked; None while the session is undecided."""
    return _decision_json(session, unmasked=False, redactor=redactor)


def _decision_json(session: HITLSession, unmasked: bool, redactor: Callable[[str], str]) -> Plain | None:
    if session.state not in HITLSession.FINAL:
        return None
    submitted = session.state == State.SUBMITTED
    return {
        "action": session.handle or None,
        "values": {
            field["name"]: field["value"] for field in _fields_json(session, unmasked, redactor) if field["answered"]
        },
        "reason": redactor(session.reason),
        "by": decider_name(session) or None,
        "at": _iso_or_none(session.decided_at),
        "through": session.decided_through,
        "text": decision_sentence(session) if submitted else "",
    }


def _act_json(entry: AuditEntry, detail: Any) -> Plain:
    reason = detail.get("reason") or detail.get("text", "") if isinstance(detail, dict) else ""
    reason = reason or ", ".join(entry.facts.get("slots", ()))
    line = {"at": entry.at.isoformat(), "by": entry.actor, "act": entry.act, "refused": False, "text": reason}
    return {**line, "action": entry.facts.get("action")}


def _attempt_json(attempt: Submission) -> Plain:
    who = display_name(attempt.by) if attempt.by else ""
    act = f"session.{attempt.operation}"
    return {
        "at": attempt.at.isoformat(),
        "by": who,
        "act": act,
        "refused": True,
        "text": in_reader_language(attempt.sentence) if attempt.sentence else attempt.detail,
        "action": None,
    }


def _iso_or_none(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
