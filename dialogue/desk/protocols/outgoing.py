"""Gates as requests in other protocols: AG-UI's interrupt, LangChain's request, agent-inbox's interrupt."""

from collections.abc import Callable
from typing import Any

from dialogue.desk.forms import choices
from dialogue.desk.protocols.mapping import AgentProtocol, args_of, offer_of, words_of
from dialogue.dialects.pauses import Meaning
from dialogue.models import HITLSession
from dialogue.turns.live.serializers import listed_title

Plain = dict[str, Any]


def interrupt_in(protocol: AgentProtocol, session: HITLSession) -> Any:
    """Return the gate in the protocol's published shape."""
    return _WRITERS[protocol](session)


def _ag_ui_event(session: HITLSession) -> Plain:
    """Return the RUN_FINISHED event of a run that waits for this gate."""
    interrupt = {
        "id": str(session.uid),
        "reason": "confirmation",
        "message": listed_title(session),
        "responseSchema": _response_schema(session),
        "metadata": {"gate": session.name, "version": session.version, "values": args_of(session)},
    }
    if session.expires_at:
        interrupt["expiresAt"] = session.expires_at.isoformat()
    return {
        "type": "RUN_FINISHED",
        "threadId": str(session.conversation_id),
        "runId": str(session.uid),
        "outcome": {"type": "interrupt", "interrupts": [interrupt]},
    }


def _response_schema(session: HITLSession) -> Plain:
    actions = [action.id for action in choices.actions_of(session)]
    properties = {"action": {"enum": actions}, "values": session.schema or {"type": "object"}}
    return {
        "type": "object",
        "properties": {**properties, "reason": {"type": "string"}},
        "required": ["action"],
        "additionalProperties": False,
    }


def _langchain_request(session: HITLSession) -> Plain:
    offer = offer_of(session)
    request = {"name": session.step, "args": args_of(session), "description": listed_title(session)}
    config: Plain = {"action_name": session.step, "allowed_decisions": words_of(AgentProtocol.LANGCHAIN, offer)}
    if Meaning.EDIT in offer.meanings:
        config["args_schema"] = session.schema
    return {"action_requests": [request], "review_configs": [config]}


def _agent_inbox_request(session: HITLSession) -> list[Plain]:
    offer = offer_of(session)
    allowed = words_of(AgentProtocol.AGENT_INBOX, offer)
    words = {"ignore": "allow_ignore", "response": "allow_respond", "edit": "allow_edit", "accept": "allow_accept"}
    args = {**args_of(session), **dict.fromkeys(offer.names, "")}
    return [
        {
            "action_request": {"action": session.step, "args": args},
            "config": {name: word in allowed for word, name in words.items()},
            "description": listed_title(session),
        }
    ]


_WRITERS: dict[AgentProtocol, Callable[[HITLSession], Any]] = {
    AgentProtocol.AG_UI: _ag_ui_event,
    AgentProtocol.LANGCHAIN: _langchain_request,
    AgentProtocol.AGENT_INBOX: _agent_inbox_request,
}
