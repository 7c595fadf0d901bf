"""Withdraw a request: the agent needs its answer no more, so its open gates close."""

from django.db import transaction
from django.db.models import F

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Person
from dialogue.desk.agent_requests.answers import WITHDRAWN, sessions_of
from dialogue.desk.sessions.agent_decisions import end_wait
from dialogue.desk.sessions.operation import publish_inbox_event
from dialogue.models import AgentRequest, Conversation, HITLSession
from dialogue.turns import clock


class NotWaiting(Exception):
    """The request was decided or delivered before; it cannot be withdrawn any more."""


@transaction.atomic
def withdraw_request(person: Person, request: AgentRequest) -> None:
    """Cancel the open gates of a request. Withdrawn a second time, it stays as it is.

    Raises NotWaiting when every question is decided.
    """
    conversation = Conversation.objects.select_for_update(of=("self",)).get(pk=request.conversation_id)
    request.refresh_from_db(fields=["state"])
    if request.state == AgentRequest.State.WITHDRAWN:
        return
    open_sessions = sessions_of(request).filter(state__in=HITLSession.UNDECIDED)
    if not open_sessions.exists() or request.state != AgentRequest.State.WAITING:
        raise NotWaiting(request.ref)
    at = clock.now()
    acts = []
    for session in list(open_sessions):
        changes = {"state": HITLSession.State.CANCELLED, "delivery": HITLSession.Delivery.APPLIED}
        open_sessions.filter(pk=session.pk).update(
            **changes,
            version=F("version") + 1,
            decided_at=at,
            decided_by=person.account,
            decided_as=person.name,
            decided_through="api",
            reason=WITHDRAWN,
        )
        session.version += 1
        publish_inbox_event(session, "cancelled", at)
        acts.append(Act("session.cancelled", person.name, person.account, session.name, {"reason": "withdrawn"}))
        end_wait(session)
    # Decisions that were made before are known to no agent: they stay on record as overtaken.
    unheard = sessions_of(request).filter(delivery__in=HITLSession.UNHEARD)
    unheard.update(delivery=HITLSession.Delivery.OVERTAKEN, version=F("version") + 1)
    AgentRequest.objects.filter(pk=request.pk).update(state=AgentRequest.State.WITHDRAWN)
    chain.record(conversation.pk, acts, at, is_locked=True)
