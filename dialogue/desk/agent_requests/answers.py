"""The answer to a request of another system's agent: made when the last of its questions is decided, and sent once."""

from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.forms.agent_answers import asked_pause
from dialogue.desk.forms.choices import NO_ANSWER
from dialogue.desk.forms.refusals import decider_name
from dialogue.desk.sessions.operation import publish_inbox_event
from dialogue.desk.sessions.receipts import receipt_of
from dialogue.dialects.pauses import Decision
from dialogue.dialects.table import write_answer
from dialogue.models import AgentPause, AgentRequest, Conversation, HITLSession
from dialogue.turns import clock

State = HITLSession.State
Delivery = HITLSession.Delivery
Plain = dict[str, Any]

NOT_IN_TIME = "No one answered in time."
WITHDRAWN = "The request was withdrawn."
"""What an agent reads about a question that no person answered; agents read English."""

WAITING = "waiting"


def pauses_of(request: AgentRequest) -> list[AgentPause]:
    """Return the request's questions in their order, with their sessions."""
    rows = request.pauses.select_related("session__decided_by", "session__conversation", "session__release")
    return list(rows.order_by("position"))


def request_view(request: AgentRequest) -> Plain:
    """Return the request as its program reads it: `answer` in the dialect's own shape, and who decided what.

    `state` is waiting, answered, expired, cancelled or withdrawn. The answer is stored the first time that all
    questions are decided.
    """
    pauses = pauses_of(request)
    if request.answer is None and all(row.session.state in HITLSession.FINAL for row in pauses):
        _store_answer(request, pauses)
    receipts = (request.answer or {}).get("receipts") or [None] * len(pauses)
    sessions = [
        {**_decision_view(row.session), "receipt": receipt} for row, receipt in zip(pauses, receipts, strict=True)
    ]
    return {
        "id": request.ref,
        "dialect": request.dialect,
        "state": state_of(request, pauses),
        "answer": (request.answer or {}).get("answer"),
        "sessions": sessions,
    }


def state_of(request: AgentRequest, pauses: list[AgentPause]) -> str:
    """Return the state in one word; of several questions, the one that went worst counts."""
    if request.state == AgentRequest.State.WITHDRAWN:
        return "withdrawn"
    states = {row.session.state for row in pauses}
    if states & {State.OPEN, State.CLAIMED}:
        return WAITING
    words = ((State.CANCELLED, "cancelled"), (State.EXPIRED, "expired"))
    return next((word for state, word in words if state in states), "answered")


def _decision_view(session: HITLSession) -> Plain:
    return {
        "session": session.name,
        "state": session.state,
        "action": session.handle or None,
        "decided_by": decider_name(session) or None,
        "decided_at": session.decided_at.isoformat() if session.decided_at else None,
        "expires_at": session.expires_at.isoformat() if session.expires_at else None,
    }


def _store_answer(request: AgentRequest, pauses: list[AgentPause]) -> None:
    """Write the answer in the dialect's shape, once; a second caller gets the first one's."""
    asked = [asked_pause(row) for row in pauses]
    decisions = [_decision_of(row) for row in pauses]
    answer = {
        "answer": write_answer(request.dialect, request.ask, [question.pause for question in asked], decisions),
        "receipts": [receipt_of(row.session) for row in pauses],
    }
    AgentRequest.objects.filter(pk=request.pk, answer__isnull=True).update(answer=answer, answered_at=clock.now())
    request.refresh_from_db(fields=["answer", "answered_at"])


def _decision_of(row: AgentPause) -> Decision:
    session, asked = row.session, asked_pause(row)
    offered = asked.pause.answer(session.handle)
    values = asked.values_for(session.handle, session.values)
    text = session.reason or ("" if session.state == State.SUBMITTED else _text_without_answer(session))
    stays_open = session.state == State.EXPIRED and session.handle == NO_ANSWER
    return Decision(offered, values, text, decider_name(session), str(session.uid), stays_open)


def _text_without_answer(session: HITLSession) -> str:
    return NOT_IN_TIME if session.state == State.EXPIRED else WITHDRAWN


def mark_delivered(request: AgentRequest, through: str) -> bool:
    """Note that the agent has its answer; False if it had it already."""
    if request.state not in (AgentRequest.State.WAITING, AgentRequest.State.INCIDENT) or request.answer is None:
        return False
    with transaction.atomic():
        lock_thread(request)
        waiting = AgentRequest.objects.filter(
            pk=request.pk, state__in=(AgentRequest.State.WAITING, AgentRequest.State.INCIDENT)
        )
        at = clock.now()
        if waiting.update(state=AgentRequest.State.DELIVERED, delivered_at=at, error="") != 1:
            return False
        move_deliveries(request, Delivery.APPLIED)
        act = Act("request.delivered", "clock", subject=request.ref, facts={"through": through})
        chain.record(request.conversation_id, [act], at, is_locked=True)
    request.state = AgentRequest.State.DELIVERED
    return True


def move_deliveries(request: AgentRequest, delivery: Delivery) -> None:
    """Set how far the decisions of a request have come, and tell the open pages. The caller has a transaction."""
    sessions = sessions_of(request).filter(state__in=HITLSession.FINAL).exclude(delivery=delivery)
    for session in list(sessions):
        sessions_of(request).filter(pk=session.pk).update(delivery=delivery, version=F("version") + 1)
        session.version += 1
        publish_inbox_event(session, "changed", clock.now())


def sessions_of(request: AgentRequest) -> QuerySet[HITLSession]:
    """Return the sessions of a request."""
    return HITLSession.objects.filter(agent_pause__request=request.pk)


def lock_thread(request: AgentRequest) -> None:
    """Lock the conversation of the request's thread, before its sessions are changed."""
    Conversation.objects.select_for_update(of=("self",)).filter(pk=request.conversation_id).values_list("pk").first()
