"""Requests of other systems' agents, for tests of what becomes of them."""

from datetime import timedelta
from typing import Any

from dialogue.desk.access.people import read_person
from dialogue.desk.agent_requests.opening import NewRequest, digest_of, open_request
from dialogue.models import AgentRequest, HITLSession
from tests.support.transfers import person

CALL = {
    "name": "issue_refund",
    "args": {"amount": 420.0, "order_id": "W4120331"},
    "description": "May I refund the boat cover in full?\n\nThe photo shows a **tear**.",
}


def agent_request(**changes: Any) -> AgentRequest:
    """Open a request of the agent “refunds”; `changes` are fields of `NewRequest`."""
    facts: dict[str, Any] = {
        "ref": "r-1",
        "dialect": "langchain",
        "ask": {"action_requests": [CALL]},
        "source": "refunds",
        "thread": "th_7d21c9",
        "timeout": timedelta(minutes=30),
        "on_timeout": "reject",
        "details": {
            "run": "run_58e0",
            "link": "https://agents.example/th_7d21c9",
            "context": ["customer: The cover came torn.", "No speaker here."],
        },
        **changes,
    }
    digest = digest_of({name: str(value) for name, value in facts.items()})
    asker = read_person(person("agent", "Agent").pk)
    return open_request(asker, NewRequest(**facts, body_sha256=digest))[0]


def agent_gate(**changes: Any) -> HITLSession:
    """Open a request with one question, and return its gate."""
    return HITLSession.objects.get(agent_pause__request=agent_request(**changes))
