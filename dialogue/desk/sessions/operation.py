"""Operations on a session: checks, and one conditional update that decides who was first.

Each operation reads and writes in one transaction. The update names the state, the version, the holder and, where the
transition needs it, the deadline by the database's clock. A count other than one means that another person was first;
the operation then starts again with the new row. A refused attempt is stored in a transaction of its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, Q

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Caller, Person, Right, read_caller, visible_sessions
from dialogue.desk.forms import refusals
from dialogue.desk.forms.deadlines import deadline_passed
from dialogue.desk.forms.refusals import Refused, RowChanged
from dialogue.desk.forms.sentences import sentence as _
from dialogue.desk.forms.sentences import source_of
from dialogue.desk.sessions import drafts
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.transitions import SAVE_DRAFT, ClaimRule, Transition
from dialogue.models import AuditEntry, Conversation, HITLSession, InboxEvent, Submission
from dialogue.turns import clock
from dialogue.turns.accept import ConversationOver, storable_value
from dialogue.turns.live import notify
from dialogue.turns.live.inbox import tell_inboxes
from dialogue.turns.process.crash_points import crash_point

Result = TypeVar("Result")
State = HITLSession.State

_STATUSES_WITHOUT_DRAFT = (refusals.NotAllowed.status, refusals.SessionNotFound.status)
"""Refusals of callers who may not see the session's form, so that no draft of theirs is stored."""

MAX_ATTEMPTS = 5
"""How often an operation starts again when the row keeps changing under it."""


@dataclass(frozen=True)
class Request:
    """One attempt on session `number`: the caller, the transition, and what was sent.

    `version` is the version that the caller saw (None: not checked), `key` the idempotency key, and `body_sha256` the
    hash that tells a repeated body from another one.
    """

    number: int
    caller: Caller
    transition: Transition
    version: int | None = None
    reason: str = ""
    draft: DraftText = field(default_factory=DraftText)
    key: str = ""
    body_sha256: str = ""


@dataclass(frozen=True)
class Outcome:
    """The session after the operation, and the HTTP status that every channel answers with."""

    session: HITLSession
    status: int = 200
    repeated: bool = False


@dataclass
class Operation:
    """A request in progress: the person and the session as read in the open transaction, at the time `at`."""

    request: Request
    person: Person
    session: HITLSession
    at: datetime

    @property
    def deadline_passed(self) -> bool:
        return deadline_passed(self.session, self.at)

    @property
    def is_held_by_other(self) -> bool:
        return self.session.claim_holder_at(self.at) not in (None, self.person.id)

    @property
    def is_held_by_caller(self) -> bool:
        return self.session.claim_holder_at(self.at) == self.person.id

    def check_all(self) -> None:
        """Check right, state, deadline, holder, version and reason, in this order.

        Raises NotAllowed, AlreadySubmitted, GateExpired, GateCancelled, ClaimedByOther, NotClaimHolder, NotClaimed,
        StaleVersion, ReasonRequired.
        """
        self.check_right()
        self._check_state()
        self._check_holder()
        self.check_version()
        if self.request.transition.needs_reason and not self.request.reason.strip():
            raise refusals.ReasonRequired(_("Please give a reason."), session=self.session)

    def check_right(self) -> None:
        """Raise NotAllowed unless the person has the transition's right to this session."""
        if not self.person.may(self.request.transition.right, self.session):
            raise refusals.NotAllowed(_("You are not allowed to do this."), session=self.session)

    def update(self, **changes: Any) -> None:
        """Run the conditional update with the transition's new state. Raises RowChanged if the row has changed."""
        row, move = self.session, self.request.transition
        if move.target is not None:
            changes["state"] = move.target
        where = HITLSession.objects.filter(
            pk=row.pk, state=row.state, version=row.version, assignee=row.assignee_id, delivery=row.delivery
        )
        if move.before_deadline:
            where = where.filter(Q(expires_at__isnull=True) | Q(expires_at__gt=clock.sql_now()))
        if where.update(version=F("version") + 1, **changes) != 1:
            raise RowChanged(row.pk)
        row.refresh_from_db()

    def publish(self, facts: dict[str, Any] | None = None, detail: dict[str, Any] | None = None) -> None:
        """Write the audit entry and the inbox event; after the commit, notify the open pages.

        `facts` stay in the audit chain; `detail` holds personal text and goes when the conversation is erased.
        """
        publish_inbox_event(self.session, self.request.transition.inbox_event, self.at)
        self.record(facts, detail)

    def record(self, facts: dict[str, Any] | None = None, detail: dict[str, Any] | None = None) -> None:
        """Write the audit entry alone."""
        caller = self.request.caller
        token = {"token": caller.token} if caller.token else {}
        all_facts = {"through": caller.through, **token, "version": self.session.version, **(facts or {})}
        act = Act(
            f"session.{self.request.transition.name}",
            self.person.name,
            self.person.account,
            self.session.name,
            all_facts,
            detail,
        )
        chain.record(self.session.conversation_id, [act], self.at)

    def _check_state(self) -> None:
        match State(self.session.state):
            case State.SUBMITTED:
                raise refusals.already_submitted(self.session)
            case State.EXPIRED:
                raise refusals.gate_expired(self.session)
            case State.CANCELLED:
                raise refusals.gate_cancelled(self.session)
            case State.OPEN | State.CLAIMED:
                if self.request.transition.before_deadline and self.deadline_passed:
                    raise refusals.gate_expired(self.session)

    def _check_holder(self) -> None:
        match self.request.transition.claim_rule:
            case ClaimRule.FREE_OR_MINE:
                if self.is_held_by_other:
                    raise refusals.claimed_by_other(self.session)
            case ClaimRule.MINE:
                self._check_own_claim()
            case ClaimRule.SUPERVISED:
                if self.is_held_by_other and not self.person.may(Right.SUPERVISE, self.session):
                    raise refusals.NotAllowed(str(refusals.claimed_by_other(self.session)), session=self.session)
            case ClaimRule.ANY:
                pass

    def _check_own_claim(self) -> None:
        if self.is_held_by_other:
            raise refusals.NotClaimHolder(str(refusals.claimed_by_other(self.session)), session=self.session)
        if not self.is_held_by_caller:
            raise refusals.NotClaimed(_("%s is not claimed. Claim it first.") % self.session.name, session=self.session)

    def check_version(self) -> None:
        """Raise StaleVersion if the caller saw another version than the current one."""
        version = self.request.version
        if version is not None and version != self.session.version:
            raise refusals.stale_version(self.session, version)


def run_operation(request: Request, work: Callable[[Operation], Result]) -> Result:
    """Run `work` on the session in one transaction, and return its result.

    Raises the subclass of Refused that `work` raises, after it was stored as a refused attempt; SessionNotFound for a
    session that the caller may not see, StaleVersion when the row changed `MAX_ATTEMPTS` times, AccountClosed.
    """
    try:
        outcome = _run_with_retries(request, work)
        crash_point("C3")
        return outcome
    except Refused as refused:
        _record_refusal(request, refused)
        raise


def dry_run(request: Request, work: Callable[[Operation], Result]) -> Result:
    """Return what `work` returns for the session as it is. `work` must write nothing; a refusal is not stored.

    Raises Refused, SessionNotFound, AccountClosed.
    """
    person = read_caller(request.caller)
    session = visible_sessions(person).filter(pk=request.number).first()
    if session is None:
        raise refusals.SessionNotFound(request.number)
    return work(Operation(request, person, session, clock.now()))


def publish_inbox_event(session: HITLSession, kind: str, at: datetime) -> None:
    """Write the row that open inboxes read, and after the commit notify them and the conversation's pages."""
    tell_inboxes([InboxEvent(session=session, kind=kind, version=session.version, at=at)])
    transaction.on_commit(notify.notify_inbox, robust=True)
    transaction.on_commit(partial(notify.notify_conversation, session.conversation_id), robust=True)


def lock_conversation_of(number: int) -> None:
    """Lock the conversation of this session, before the session itself is read or changed.

    A turn's commit takes its locks in the same order, so that it cannot deadlock with an operation.
    """
    conversation = HITLSession.objects.filter(pk=number).values("conversation")
    Conversation.objects.select_for_update(of=("self",)).filter(pk__in=conversation).values_list("pk").first()


def run_turn_after_commit(session: HITLSession) -> None:
    """Run the conversation's turn after the commit."""
    from dialogue.turns import runner  # the engine is loaded when something is decided, not at start

    transaction.on_commit(partial(crash_point, "C4"))
    transaction.on_commit(partial(runner.wake_conversation, session.conversation_id), robust=True)


def _run_with_retries(request: Request, work: Callable[[Operation], Result]) -> Result:
    for _attempt in range(MAX_ATTEMPTS):
        try:
            with transaction.atomic():
                return work(_begin_operation(request))
        except RowChanged:
            continue
        except ConversationOver:
            raise refusals.conversation_over(request.number) from None
    raise refusals.StaleVersion(_("g%s keeps changing. Please look again.") % request.number)


def _begin_operation(request: Request) -> Operation:
    lock_conversation_of(request.number)
    person = read_caller(request.caller)
    session = visible_sessions(person).filter(pk=request.number).first()
    if session is None:
        raise refusals.SessionNotFound(request.number)
    return Operation(request, person, session, clock.now())


def _record_refusal(request: Request, refused: Refused) -> None:
    """Store who tried what, and why it was refused; what was typed stays as that person's draft."""
    at = clock.now()
    with transaction.atomic():
        session = HITLSession.objects.filter(pk=request.number).first()
        if session is None:
            return
        Submission.objects.create(
            session=session,
            accepted=False,
            operation=request.transition.name,
            by_id=request.caller.user or None,
            link_id=request.caller.link,
            through=request.caller.through,
            action=storable_value(request.draft.action)[:64],
            values=storable_value(dict(request.draft.values)),
            reason=storable_value(request.reason),
            idempotency_key=storable_value(request.key)[:200],
            body_sha256=request.body_sha256,
            status=refused.status,
            code=refused.code,
            contested=_is_contested(request, session, refused),
            detail=storable_value(refused.on_record),
            sentence=storable_value(source_of(refused.on_record)),
            at=at,
        )
        if (request.draft.values or request.draft.action) and refused.status not in _STATUSES_WITHOUT_DRAFT:
            if request.caller.user and not _is_late_draft(request, session):
                drafts.store_draft(session, request.caller.user, request.draft, at)
            refused.draft = request.draft.plain()


def _is_late_draft(request: Request, session: HITLSession) -> bool:
    """Whether a draft arrived after the same person's answer: a click on a button sends the field's draft beside it."""
    return (
        request.transition is SAVE_DRAFT and bool(request.caller.user) and session.decided_by_id == request.caller.user
    )


def _is_contested(request: Request, session: HITLSession, refused: Refused) -> bool:
    """Whether another person was faster; an earlier request of the same person does not count."""
    match refused:
        case refusals.ClaimedByOther():
            return True
        case refusals.AlreadySubmitted():
            by_account = Q(by=request.caller.user or None, by__isnull=False)
            by_link = Q(link=request.caller.link, link__isnull=False)
            return not session.submissions.filter(by_account | by_link, accepted=True).exists()
        case refusals.StaleVersion() if request.version is not None:
            changes = AuditEntry.objects.filter(subject=session.name, facts__version__gt=request.version)
            return changes.exclude(actor_id=request.caller.user or None).exclude(actor="clock").exists()
        case _:
            return False
