"""Deciding a session, once: a person's answer, an expiry by hand or by the clock, a cancellation."""

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from django.db import transaction
from django.db.models import F, Q

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Caller
from dialogue.desk.forms import agent_answers, choices, forms, refusals
from dialogue.desk.forms.forms import REASON, InputFormat
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.forms.stored_files import used_files
from dialogue.desk.sessions import agent_decisions, drafts, transitions
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.operation import (
    Operation,
    Outcome,
    Request,
    dry_run,
    lock_conversation_of,
    publish_inbox_event,
    run_operation,
    run_turn_after_commit,
)
from dialogue.engine.language.steps import HumanAction
from dialogue.models import Event, HITLSession, Submission, UploadedFile
from dialogue.turns import clock
from dialogue.turns.accept import Incoming, accept, storable_value
from dialogue.turns.process.crash_points import crash_point

log = logging.getLogger(__name__)

AGREED = "agreed"
"""The code of a submission that agreed while more people are needed."""

_SUCCESS_STATUSES = (200, 201, 202)


@dataclass(frozen=True)
class Answer:
    """A decision as sent: the action's id, the values by field, and the reason where it is not among the values."""

    action: str
    values: Mapping[str, Any] = field(default_factory=dict)
    input_format: InputFormat = InputFormat.JSON
    reason: str = ""

    def digest(self) -> str:
        """The hash that tells a repeated body from another one."""
        body = json.dumps([self.action, dict(self.values), self.reason], sort_keys=True, default=str)
        return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def submit(number: int, caller: Caller, answer: Answer, *, version: int | None = None, key: str = "") -> Outcome:
    """Decide the session. Status 201; 200 for the same key and body again; 202 while another person has to agree.

    Raises InvalidValue, UnknownAction, ReasonRequired, FourEyes, ClaimRequired, KeyReused, and what `run_operation` and
    `Operation.check_all` raise.
    """
    sent = DraftText(answer.values, answer.action)
    request = Request(number, caller, transitions.SUBMIT, version, answer.reason, sent, key, answer.digest())

    def decide(operation: Operation) -> Outcome:
        operation.check_right()
        if is_repeated(operation):
            return Outcome(operation.session, repeated=True)
        action, values, reason = _check_answer(operation, answer)
        if action.approves and _count_agreements(operation.session, action) + 1 < operation.session.people_required:
            return _record_agreement(operation, action, values, reason)
        record_decision(operation, action.id, values, reason, status=201)
        drafts.delete_draft(operation.session, operation.person.id)
        return Outcome(operation.session, 201)

    return run_operation(request, decide)


def check_submit(number: int, caller: Caller, answer: Answer) -> HumanAction:
    """Return the action that `submit` would take for this answer, without changes. Raises what `submit` raises."""
    request = Request(number, caller, transitions.SUBMIT, reason=answer.reason)
    return dry_run(request, lambda operation: _check_answer(operation, answer)[0])


def expire(number: int, caller: Caller, *, reason: str, version: int | None = None) -> Outcome:
    """Let the session expire now, as its deadline would. Raises as `submit` does."""

    def end(operation: Operation) -> Outcome:
        return _end_undecided(operation, operation.session.on_timeout)

    return run_operation(Request(number, caller, transitions.EXPIRE, version, reason), end)


def cancel(number: int, caller: Caller, *, reason: str, version: int | None = None) -> Outcome:
    """Withdraw the session and cancel its flow; for supervisors, with a reason. Raises as `submit` does."""
    return run_operation(
        Request(number, caller, transitions.CANCEL, version, reason), lambda operation: _end_undecided(operation, "")
    )


def expire_due(limit: int = 100) -> int:
    """Expire what is overdue by the database's clock, oldest first, one transaction each; return the number.

    A session that fails is logged and left for the next sweep; the others go on. Running it twice changes nothing.
    """
    overdue = HITLSession.objects.filter(HITLSession.undecided(), expires_at__lte=clock.sql_now())
    numbers = list(overdue.order_by("expires_at", "pk").values_list("pk", flat=True)[:limit])
    return sum(_expire_or_log(number) for number in numbers)


def _check_answer(operation: Operation, answer: Answer) -> tuple[HumanAction, dict[str, Any], str]:
    """Return action, stored values and reason if this person may give the answer now. Raises Refused."""
    operation.check_all()
    _check_people(operation)
    return read_answer(operation.session, answer)


def read_answer(session: HITLSession, answer: Answer) -> tuple[HumanAction, dict[str, Any], str]:
    """Return the action, the stored values and the reason of an answer.

    Raises UnknownAction, InvalidValue, ReasonRequired.
    """
    action = _chosen_action(session, answer.action)
    try:
        values = forms.read_values(session, answer.values, answer.input_format, drafts.answers_of(session))
    except refusals.InvalidValue as refused:
        raise _with_missing_reason(session, action, answer, refused) from None
    forms.check_needed(session, action, values)
    if session.is_from_agent:
        agent_answers.check_agent_answer(session, action, values)
    reason = str(answer.reason or values.get(REASON) or answer.values.get(REASON) or "").strip()
    if action.reason and not reason:
        raise refusals.ReasonRequired(_reason_needed_text(action), session=session)
    return action, values, reason


def _with_missing_reason(
    session: HITLSession, action: HumanAction, answer: Answer, refused: refusals.InvalidValue
) -> refusals.InvalidValue:
    """Return the refusal with the missing reason beside the wrong values, so that both are told at once."""
    typed = answer.reason or answer.values.get(REASON) or drafts.answers_of(session).get(REASON) or ""
    is_told = any(field.name == REASON for field in refused.fields)
    if not action.reason or str(typed).strip() or is_told:
        return refused
    reference = next((field.reference for field in forms.fields_of(session) if field.name == REASON), "")
    missing = refusals.WrongField(REASON, reference, "required", _reason_needed_text(action), "")
    return forms.wrong_values(session, [*refused.fields, missing])


def _reason_needed_text(action: HumanAction) -> str:
    return _("“%(label)s” needs a reason.") % {"label": choices.label_of(action)}


def _end_undecided(operation: Operation, handle: str) -> Outcome:
    operation.check_all()
    record_decision(operation, handle, {}, operation.request.reason, status=200)
    return Outcome(operation.session)


def record_decision(operation: Operation, handle: str, values: dict[str, Any], reason: str, status: int) -> None:
    """Write decision, submission, audit entry and the conversation's event, in the caller's transaction.

    Raises RowChanged when another decision was first.
    """
    operation.update(
        decided_by=operation.person.account,
        decided_as=operation.person.name,
        decided_at=operation.at,
        decided_through=operation.request.caller.through,
        handle=handle,
        values=storable_value(values),
        reason=storable_value(reason),
        delivery=HITLSession.Delivery.PENDING,
    )
    if used := used_files(values):
        UploadedFile.objects.filter(pk__in=used, used_at=None).update(used_at=operation.at)
    _record_submission(operation, handle, values, reason, status=status)
    operation.publish({"action": handle}, {"values": storable_value(values), "reason": storable_value(reason)})
    _send_event(operation.session)
    crash_point("C2")


def _record_submission(
    operation: Operation, action: str, values: dict[str, Any], reason: str, *, status: int, code: str = ""
) -> None:
    Submission.objects.create(
        session=operation.session,
        accepted=code != AGREED,
        operation=operation.request.transition.name,
        by_id=operation.person.account,
        link_id=operation.request.caller.link,
        through=operation.request.caller.through,
        action=action,
        values=storable_value(values),
        reason=storable_value(reason),
        idempotency_key=operation.request.key,
        body_sha256=operation.request.body_sha256,
        status=status,
        code=code,
        at=operation.at,
    )


_DELIVERED_AS = {
    HITLSession.State.SUBMITTED: Event.Kind.DECISION,
    HITLSession.State.EXPIRED: Event.Kind.EXPIRY,
    HITLSession.State.CANCELLED: Event.Kind.CANCEL,
}


def _send_event(session: HITLSession) -> None:
    """Accept the conversation's event for the decision, and run its turn after the commit.

    The decision for another system's agent has no turn: it is sent when all questions of its request are decided.
    """
    if session.is_from_agent:
        agent_decisions.end_wait(session)
        return
    # A handed-over chat goes back to the bot, whether the operator hands it back or a supervisor cancels it.
    usual_kind = _DELIVERED_AS[HITLSession.State(session.state)]
    handed_over = session.kind == HITLSession.Kind.HANDOFF
    kind = Event.Kind.HAND_BACK if handed_over and usual_kind != Event.Kind.EXPIRY else usual_kind
    payload = {"session": str(session.uid), "task": session.task_key}
    if kind == Event.Kind.CANCEL:
        payload["reason"] = session.reason
    if kind == Event.Kind.HAND_BACK:
        payload["by"] = session.decided_as
    # Random, because a client that could guess the id might take it first with a message of its own.
    client_id = f"session:{session.uid}:{token_hex(8)}"
    accept(session.conversation_id, Incoming(kind, client_id, payload, session=session))
    run_turn_after_commit(session)


def is_repeated(operation: Operation) -> bool:
    """Whether the same person already submitted the same body with this key. Raises KeyReused for another body."""
    if not operation.request.key:
        return False
    earlier = operation.session.submissions.filter(
        idempotency_key=operation.request.key,
        by=operation.person.account,
        link=operation.request.caller.link,
        status__in=_SUCCESS_STATUSES,
    ).first()
    if earlier is not None and earlier.body_sha256 != operation.request.body_sha256:
        raise refusals.key_reused(operation.session)
    return earlier is not None


def _check_people(operation: Operation) -> None:
    session = operation.session
    if session.four_eyes and session.conversation.user_id == operation.person.id:
        detail = _("You asked for this yourself; another person has to decide.")
        raise refusals.FourEyes(detail, session=session)
    if session.people_required > 1 and _agreements(session).filter(_same_person(operation)).exists():
        raise refusals.FourEyes(_("You agreed already; a second person is needed."), session=session)
    if session.claim_required and not operation.is_held_by_caller and operation.request.caller.link is None:
        raise refusals.ClaimRequired(_("Claim %s first, then answer it.") % session.name, session=session)


def _chosen_action(session: HITLSession, id_or_label: str) -> HumanAction:
    action = choices.action_of(session, id_or_label) if id_or_label else choices.only_action(session)
    if action is None:
        offered = ", ".join(offered_action.id for offered_action in choices.actions_of(session))
        raise refusals.UnknownAction(_unknown_action(id_or_label, offered), session=session)
    return action


def _unknown_action(id_or_label: str, offered: str) -> str:
    if not id_or_label:
        return _("Choose an action: %(offered)s.") % {"offered": offered}
    facts = {"action": forms.quote_value(id_or_label), "offered": offered}
    return _("“%(action)s” is not an available action. Choose: %(offered)s.") % facts


def _same_person(operation: Operation) -> Q:
    """Submissions of this person, by their account or their answer link."""
    by_account = Q(by=operation.person.account) if operation.person.account else Q(pk__in=[])
    return by_account | Q(link=operation.request.caller.link) if operation.request.caller.link else by_account


def _agreements(session: HITLSession) -> Any:
    return session.submissions.filter(code=AGREED)


def _count_agreements(session: HITLSession, action: HumanAction) -> int:
    people = _agreements(session).filter(action=action.id).values("by", "link").distinct()
    return int(people.count())


def _record_agreement(operation: Operation, action: HumanAction, values: dict[str, Any], reason: str) -> Outcome:
    """Record one of several agreements, and open the session again for the next person."""
    operation.request = Request(**{**vars(operation.request), "transition": transitions.AGREE})
    operation.update(assignee=None, claimed_until=None)
    _record_submission(operation, action.id, values, reason, status=202, code=AGREED)
    operation.publish({"action": action.id}, {"values": storable_value(values), "reason": storable_value(reason)})
    drafts.delete_draft(operation.session, operation.person.id)
    return Outcome(operation.session, 202)


def _expire_or_log(number: int) -> bool:
    crash_point("D1")
    try:
        expired = _expire_session(number)
    except Exception:
        log.exception("g%s could not be expired; the next sweep tries again", number)
        return False
    crash_point("D6")
    return expired


@transaction.atomic
def _expire_session(number: int) -> bool:
    """Expire the session if it is still undecided; False when a person decided at the last moment."""
    lock_conversation_of(number)
    at = clock.now()
    overdue = HITLSession.objects.filter(pk=number, state__in=HITLSession.UNDECIDED, expires_at__lte=clock.sql_now())
    expired = overdue.update(
        state=HITLSession.State.EXPIRED,
        version=F("version") + 1,
        decided_at=at,
        decided_through="sweep",
        handle=F("on_timeout"),
        delivery=HITLSession.Delivery.PENDING,
    )
    if expired != 1:
        return False
    session = HITLSession.objects.select_related("conversation").get(pk=number)
    publish_inbox_event(session, transitions.EXPIRE.inbox_event, at)
    act = Act("session.expire", "clock", subject=session.name, facts={"action": session.handle, "through": "sweep"})
    chain.record(session.conversation_id, [act], at)
    _send_event(session)
    return True
