"""What follows a decision for another system's agent: its thread waits no longer, and its request is sent again."""

from django.db.models import F

from dialogue.models import AgentRequest, Conversation, HITLSession
from dialogue.turns import clock

Delivery = HITLSession.Delivery


def end_wait(session: HITLSession) -> None:
    """Let the thread be idle when nothing in it waits. The caller has locked the conversation."""
    undecided = HITLSession.objects.filter(conversation=session.conversation_id, state__in=HITLSession.UNDECIDED)
    if not undecided.exists():
        Conversation.objects.filter(pk=session.conversation_id).update(
            state=Conversation.State.IDLE, explicit="idle", outcome=Conversation.Outcome.FINISHED
        )


def end_incident(session: HITLSession, *, resend: bool) -> None:
    """Send the answer of the session's request again, with new attempts, or leave it unsent for good."""
    requests = AgentRequest.objects.filter(pauses__session=session.pk)
    stuck = HITLSession.objects.filter(agent_pause__request__in=requests, delivery=Delivery.INCIDENT)
    if resend:
        requests.update(state=AgentRequest.State.WAITING, attempts=0, due_at=clock.now(), error="")
        stuck.update(delivery=Delivery.PENDING, version=F("version") + 1)
    else:
        requests.update(state=AgentRequest.State.ABANDONED)
        stuck.update(delivery=Delivery.ABANDONED, version=F("version") + 1)
