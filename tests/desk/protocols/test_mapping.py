"""Other dialects at the gate: every word of the table, with payloads in their published shapes."""

from typing import Any

import pytest

from dialogue.desk.protocols.incoming import READERS, ReplyRefused
from dialogue.desk.protocols.mapping import MEANINGS, AgentProtocol, submit_reply
from dialogue.desk.protocols.outgoing import interrupt_in
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Caller
from dialogue.models import AuditEntry, HITLSession
from tests.support.transfers import ACTIONS, Opener

pytestmark = [pytest.mark.django_db, pytest.mark.database]

LANGCHAIN: dict[str, Any] = {
    "approve": {"decisions": [{"type": "approve"}]},
    "edit": {"decisions": [{"type": "edit", "edited_action": {"name": "approval", "args": {"daily_limit": 9000}}}]},
    "reject": {"decisions": [{"type": "reject", "message": "not plausible"}]},
    "respond": {"decisions": [{"type": "respond", "message": "ask the branch first"}]},
}
AGENT_INBOX: dict[str, Any] = {
    "accept": [{"type": "accept", "args": {"action": "approval", "args": {"amount": "8450.00"}}}],
    "edit": [{"type": "edit", "args": {"action": "approval", "args": {"amount": "8450.00", "daily_limit": "9000"}}}],
    "response": [{"type": "response", "args": "ask the branch first"}],
    "ignore": [{"type": "ignore", "args": None}],
}
AG_UI: dict[str, Any] = {
    "approved": {"status": "resolved", "payload": {"approved": True}},
    "edited": {"status": "resolved", "payload": {"approved": True, "editedArgs": {"daily_limit": 9000}}},
    "denied": {"status": "resolved", "payload": {"approved": False, "reason": "not plausible"}},
    "action": {"status": "resolved", "payload": {"action": "reject", "reason": "not plausible"}},
    "cancelled": {"status": "cancelled"},
}

# word: status, state, handle, values, reason
OUTCOMES: dict[tuple[AgentProtocol, str], tuple[int, str, str, dict[str, Any], str]] = {
    (AgentProtocol.LANGCHAIN, "approve"): (201, "submitted", "approve", {}, ""),
    (AgentProtocol.LANGCHAIN, "edit"): (201, "submitted", "approve", {"daily_limit": 9000}, ""),
    (AgentProtocol.LANGCHAIN, "reject"): (201, "submitted", "reject", {}, "not plausible"),
    (AgentProtocol.LANGCHAIN, "respond"): (201, "submitted", "reject", {}, "ask the branch first"),
    (AgentProtocol.AGENT_INBOX, "accept"): (201, "submitted", "approve", {}, ""),
    (AgentProtocol.AGENT_INBOX, "edit"): (201, "submitted", "approve", {"daily_limit": 9000}, ""),
    (AgentProtocol.AGENT_INBOX, "response"): (201, "submitted", "reject", {}, "ask the branch first"),
    (AgentProtocol.AGENT_INBOX, "ignore"): (200, "open", "", {}, ""),
    (AgentProtocol.AG_UI, "approved"): (201, "submitted", "approve", {}, ""),
    (AgentProtocol.AG_UI, "edited"): (201, "submitted", "approve", {"daily_limit": 9000}, ""),
    (AgentProtocol.AG_UI, "denied"): (201, "submitted", "reject", {}, "not plausible"),
    (AgentProtocol.AG_UI, "action"): (201, "submitted", "reject", {}, "not plausible"),
    (AgentProtocol.AG_UI, "cancelled"): (200, "open", "", {}, ""),
}


def payload(dialect: AgentProtocol, word: str, session: HITLSession) -> Any:
    """The word as a client of that dialect sends it."""
    match dialect:
        case AgentProtocol.LANGCHAIN:
            return LANGCHAIN[word]
        case AgentProtocol.AGENT_INBOX:
            return AGENT_INBOX[word]
        case AgentProtocol.AG_UI:
            entry = {"interruptId": str(session.uid), **AG_UI[word]}
            rest: dict[str, Any] = {"state": {}, "messages": [], "tools": [], "context": [], "forwardedProps": {}}
            return {"threadId": str(session.conversation_id), "runId": "run-2", "resume": [entry], **rest}


def answered(dialect: AgentProtocol, body: Any, session: HITLSession, caller: Caller) -> service.Outcome:
    return submit_reply(dialect, session.pk, caller, READERS[dialect.value](body))


def refusal(dialect: AgentProtocol, body: Any, session: HITLSession, caller: Caller) -> service.Refused:
    with pytest.raises(service.Refused) as refused:
        answered(dialect, body, session, caller)
    return refused.value


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        (
            AgentProtocol.LANGCHAIN,
            {"decisions": [{"type": "edit", "edited_action": {"name": "send_money", "args": {}}}]},
        ),
        (AgentProtocol.AGENT_INBOX, [{"type": "edit", "args": {"action": "send_money", "args": {}}}]),
        (AgentProtocol.AGENT_INBOX, [{"type": "accept", "args": {"action": "send_money", "args": {}}}]),
    ],
)
def test_an_answer_that_names_another_action_decides_nothing(
    dialect: AgentProtocol, body: Any, session: HITLSession, olga: Caller
):
    refused = refusal(dialect, body, session, olga)

    session.refresh_from_db()
    assert (refused.status, refused.code, session.state) == (422, "unknown_action", "open")
    assert "“send_money”" in refused.detail and "approval" in refused.detail


def test_the_table_of_outcomes_has_every_word():
    assert set(OUTCOMES) == set(MEANINGS)


@pytest.mark.parametrize(("dialect", "word"), OUTCOMES)
def test_each_word_does_what_it_means(dialect: AgentProtocol, word: str, session: HITLSession, olga: Caller):
    status, state, handle, values, reason = OUTCOMES[dialect, word]

    outcome = answered(dialect, payload(dialect, word, session), session, olga)

    session.refresh_from_db()
    found = {name: value for name, value in session.values.items() if value is not None}
    assert (outcome.status, session.state, session.handle, session.reason) == (status, state, handle, reason)
    assert {name: value for name, value in found.items() if name != "reason"} == values


def test_leaving_it_alone_is_on_record(session: HITLSession, olga: Caller):
    answered(AgentProtocol.AGENT_INBOX, AGENT_INBOX["ignore"], session, olga)

    assert AuditEntry.objects.get().act == "session.note"


@pytest.mark.parametrize("dialect", [AgentProtocol.LANGCHAIN, AgentProtocol.AGENT_INBOX])
def test_what_the_gate_shows_cannot_be_edited(dialect: AgentProtocol, session: HITLSession, olga: Caller):
    args = {"amount": "9.00"}
    action = {"action": "approval", "name": "approval", "args": args}
    langchain = {"decisions": [{"type": "edit", "edited_action": action}]}
    body = langchain if dialect is AgentProtocol.LANGCHAIN else [{"type": "edit", "args": action}]

    refused = refusal(dialect, body, session, olga)

    session.refresh_from_db()
    assert (refused.status, refused.fields[0].name, session.state) == (422, "amount", "open")


def test_agent_inbox_sends_null_and_lists_as_they_would_be_typed(session: HITLSession, olga: Caller):
    HITLSession.objects.filter(pk=session.pk).update(shown=[{"name": "tags", "value": ["a", "b"]}])
    args = {"tags": ["a", "b"], "beneficiary": None, "daily_limit": None}

    outcome = answered(
        AgentProtocol.AGENT_INBOX, [{"type": "edit", "args": {"action": "approval", "args": args}}], session, olga
    )

    assert (outcome.status, outcome.session.values["daily_limit"]) == (201, None)


def test_a_wrong_value_is_refused_as_everywhere(session: HITLSession, olga: Caller):
    action = {"name": "approval", "args": {"daily_limit": "9000"}}

    refused = refusal(
        AgentProtocol.LANGCHAIN, {"decisions": [{"type": "edit", "edited_action": action}]}, session, olga
    )

    assert (refused.code, refused.fields[0].name) == ("invalid_value", "daily_limit")


def test_a_gate_without_a_refusing_action_offers_no_refusal(open_session: Opener, olga: Caller):
    session = open_session(actions=ACTIONS[:1])

    refused = refusal(AgentProtocol.LANGCHAIN, LANGCHAIN["reject"], session, olga)

    assert refused.code == "unknown_action"
    assert "Choose: approve, edit." in refused.detail


def test_a_resume_of_another_interrupt_is_refused(open_session: Opener, olga: Caller):
    mine, other = open_session(), open_session()

    refused = refusal(AgentProtocol.AG_UI, payload(AgentProtocol.AG_UI, "approved", other), mine, olga)

    assert refused.status == 422


def test_the_second_is_told_in_every_dialect(session: HITLSession, olga: Caller, oscar: Caller):
    answered(AgentProtocol.LANGCHAIN, LANGCHAIN["approve"], session, olga)

    deciding = [place for place, outcome in OUTCOMES.items() if outcome[1] == "submitted"]
    codes = {refusal(each, payload(each, word, session), session, oscar).code for each, word in deciding}

    assert codes == {"already_submitted"}


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("langchain", {"decisions": []}),
        ("langchain", {"decisions": [{"type": "approve"}, {"type": "approve"}]}),
        ("langchain", {"decisions": [{"type": "accept"}]}),
        ("langchain", {"decisions": [{"type": "respond"}]}),
        ("langchain", "approve"),
        ("agent-inbox", [{"type": "edit", "args": "9000"}]),
        ("agent-inbox", [{"type": "response", "args": None}]),
        ("agent-inbox", []),
        ("ag-ui", {"threadId": "x", "resume": []}),
        ("ag-ui", {"threadId": "x", "resume": [{"interruptId": "i", "status": "done"}]}),
        ("ag-ui", {"threadId": "x", "resume": [{"interruptId": "i", "status": "resolved"}]}),
        ("ag-ui", None),
    ],
)
def test_what_is_not_in_the_published_shape_is_told_where(name: str, body: Any):
    with pytest.raises(ReplyRefused, match=r"^\S+: ."):
        READERS[name](body)


def test_langchain_is_asked_in_its_shape(session: HITLSession):
    asked = interrupt_in(AgentProtocol.LANGCHAIN, session)

    assert asked["action_requests"] == [
        {"name": "approval", "args": {"amount": "8450.00", "iban": "•••• 3000"}, "description": "Approve transfer"}
    ]
    (config,) = asked["review_configs"]
    assert config["action_name"] == "approval"
    assert config["allowed_decisions"] == ["approve", "edit", "reject", "respond"]
    assert set(config["args_schema"]["properties"]) == {"daily_limit", "reason"}


def test_agent_inbox_is_asked_in_its_shape(open_session: Opener):
    (asked,) = interrupt_in(AgentProtocol.AGENT_INBOX, open_session(schema={}))

    assert set(asked) == {"action_request", "config", "description"}
    assert asked["config"] == {"allow_ignore": True, "allow_respond": True, "allow_edit": False, "allow_accept": True}


def test_ag_ui_is_asked_in_its_shape(session: HITLSession):
    asked = interrupt_in(AgentProtocol.AG_UI, session)

    (interrupt,) = asked["outcome"]["interrupts"]
    assert (asked["type"], asked["outcome"]["type"]) == ("RUN_FINISHED", "interrupt")
    assert asked["threadId"] == str(session.conversation_id)
    assert (interrupt["id"], interrupt["reason"]) == (str(session.uid), "confirmation")
    assert interrupt["responseSchema"]["properties"]["action"] == {"enum": ["approve", "reject"]}
    assert session.expires_at and interrupt["expiresAt"] == session.expires_at.isoformat()
    assert "DE89370400440532013000" not in str(asked)


@pytest.mark.parametrize(
    ("others", "handle"),
    [(["ask_branch", "escalate"], ""), (["escalate", "reject"], "reject"), (["escalate"], "escalate")],
)
def test_of_several_actions_a_refusal_means_the_one_that_is_named_for_it_or_none(
    others: list[str], handle: str, open_session: Opener, olga: Caller
):
    session = open_session(actions=[ACTIONS[0], *({"id": each, "label": each} for each in others)])

    if handle:
        answered(AgentProtocol.LANGCHAIN, LANGCHAIN["reject"], session, olga)
    else:
        assert refusal(AgentProtocol.LANGCHAIN, LANGCHAIN["reject"], session, olga).code == "unknown_action"

    session.refresh_from_db()
    assert session.handle == handle


def test_of_two_actions_that_agree_an_approval_means_neither(open_session: Opener, olga: Caller):
    session = open_session(actions=[ACTIONS[0], {"id": "approve_half", "label": "Half", "style": "primary"}])

    refused = refusal(AgentProtocol.LANGCHAIN, LANGCHAIN["approve"], session, olga)

    session.refresh_from_db()
    assert (refused.code, session.state) == ("unknown_action", "open")
