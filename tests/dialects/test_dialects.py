"""Each dialect: what is read from a question in the framework's own shape, and what it gets back."""

import json
from typing import Any, NamedTuple

import pytest

from dialogue.dialects.pauses import WITHOUT_CONSENT, AskRefused, Decision, Meaning, Pause
from dialogue.dialects.table import DIALECTS, read_ask, write_answer

LATE = "No one answered in time."

MAIL = {"name": "send_mail", "args": {"to": "ana@example.com", "copies": 2}, "description": "Send **this**?"}
REFUND = {"name": "refund", "args": {"amount": 420.0}}
APPROVE_OR_REJECT = {"action_name": "refund", "allowed_decisions": ["approve", "reject"]}
BATCH = {"action_requests": [MAIL, REFUND], "review_configs": [APPROVE_OR_REJECT]}
ONE_DECISION = {
    "anyOf": [
        {"type": "object", "properties": {"type": {"const": "approve"}}},
        {"type": "object", "properties": {"type": {"const": "reject"}}},
    ]
}
TOOL_APPROVAL = {
    "type": "tool_approval",
    "tool_call_id": "call_1",
    "name": "refund",
    "args": {"amount": 5},
    "response_schema": ONE_DECISION,
}
INBOX = {
    "action_request": {"action": "refund", "args": {"amount": "5"}},
    "config": {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True},
    "description": "Refund?",
}
AG_UI = {
    "type": "RUN_FINISHED",
    "threadId": "t1",
    "runId": "r1",
    "outcome": {
        "type": "interrupt",
        "interrupts": [
            {"id": "i1", "reason": "tool_call", "message": "Delete it?", "toolCallId": "c1"},
            {"id": "i2", "reason": "input", "responseSchema": {"type": "string"}, "expiresAt": "2026-11-24T00:00:00Z"},
        ],
    },
}
OPENAI = {
    "$schemaVersion": "1.21",
    "current_step": {
        "type": "next_step_interruption",
        "data": {
            "interruptions": [
                {
                    "type": "tool_approval_item",
                    "raw_item": {"call_id": "call_9", "name": "refund", "arguments": '{"amount": 5}'},
                    "agent": {"name": "clerk"},
                }
            ]
        },
    },
}
PYDANTIC = {
    "approvals": [{"tool_name": "refund", "args": {"amount": 5}, "tool_call_id": "c1"}],
    "calls": [{"tool_name": "ask_user", "args": '{"question": "Which colour?"}', "tool_call_id": "c2"}],
    "metadata": {},
}
CREW = {
    "flow_id": "f-1",
    "flow_class": "crews.Tickets",
    "method_name": "review",
    "method_output": "Ticket 7 is closed.",
    "message": "Reopen the ticket?",
    "emit": ["approved", "rejected", "needs_revision"],
    "default_outcome": "needs_revision",
}
FRAMEWORK = {
    "type": "function_approval_request",
    "id": "a1",
    "function_call": {"type": "function_call", "call_id": "c1", "name": "refund", "arguments": '{"amount": 5}'},
    "user_input_request": True,
}
ADK = {
    "content": {
        "parts": [
            {"text": "One moment."},
            {
                "functionCall": {
                    "id": "adk-1",
                    "name": "adk_request_confirmation",
                    "args": {
                        "originalFunctionCall": {"id": "o1", "name": "refund", "args": {"amount": 5}},
                        "toolConfirmation": {"hint": "Refund 5?", "confirmed": False},
                    },
                }
            },
            {"functionCall": {"id": "adk-2", "name": "adk_request_input", "args": {"message": "Which warehouse?"}}},
        ]
    }
}
WAREHOUSE = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ELICITATION = {"mode": "form", "message": "Which warehouse?", "requestedSchema": WAREHOUSE}
MCP = {
    "resultType": "input_required",
    "inputRequests": {
        "k1": {"method": "elicitation/create", "params": ELICITATION},
        "k2": {
            "method": "elicitation/create",
            "params": {"mode": "url", "message": "Sign in", "url": "https://x.example"},
        },
    },
    "requestState": "opaque",
}
A2A = {
    "id": "task-1",
    "contextId": "ctx-1",
    "status": {
        "state": "TASK_STATE_INPUT_REQUIRED",
        "message": {"role": "ROLE_AGENT", "parts": [{"text": "Which size?"}, {"data": {"sizes": ["S", "M"]}}]},
    },
}
PLAIN = {"question": "Ship it?", "actions": ["yes", {"id": "stop", "label": "Hold it back", "style": "danger"}]}


class Case(NamedTuple):
    """A question, what each pause offers, an answer for each as (id, values, text), and what is sent back."""

    dialect: str
    ask: Any
    offers: list[list[str]]
    answers: list[tuple[str, dict[str, Any], str]]
    sent: Any


ALL_FOUR = ["approve", "edit", "reject", "respond"]
EDITED = {"to": "ana@example.com", "copies": 1}
CASES = [
    Case(
        "langchain",
        BATCH,
        [ALL_FOUR, ["approve", "reject"]],
        [("edit", EDITED, ""), ("reject", {}, "Too much.")],
        {
            "decisions": [
                {"type": "edit", "edited_action": {"name": "send_mail", "args": EDITED}},
                {"type": "reject", "message": "Too much."},
            ]
        },
    ),
    Case(
        "langchain",
        {"action_requests": [MAIL]},
        [ALL_FOUR],
        [("respond", {}, "Ask again")],
        {"decisions": [{"type": "respond", "message": "Ask again"}]},
    ),
    Case("langchain-call", TOOL_APPROVAL, [["approve", "reject"]], [("approve", {}, "")], {"type": "approve"}),
    Case(
        "agent-inbox",
        [INBOX],
        [["approve", "edit", "respond", "ignore"]],
        [("edit", {"amount": "4"}, "")],
        [{"type": "edit", "args": {"action": "refund", "args": {"amount": "4"}}}],
    ),
    Case("agent-inbox", INBOX, [["approve", "edit", "respond", "ignore"]], [("ignore", {}, "")],
         [{"type": "ignore", "args": None}]),
    Case(
        "langgraph",
        {"interrupts": {"task-1": [{"id": "i1", "value": BATCH}], "task-2": [{"id": "i2", "value": "Go on?"}]}},
        [ALL_FOUR, ["approve", "reject"], ["answer"]],
        [("approve", {}, ""), ("approve", {}, ""), ("answer", {"answer": {"go": True}}, "")],
        {"i1": {"decisions": [{"type": "approve"}, {"type": "approve"}]}, "i2": {"go": True}},
    ),
    Case(
        "langgraph",
        {"id": "i1", "value": {"question": "How many?"}, "response_schema": {"type": "integer"}},
        [["answer"]],
        [("answer", {"answer": 3}, "")],
        {"i1": 3},
    ),
    Case("langgraph", [{"id": "i1", "value": [INBOX]}], [["approve", "edit", "respond", "ignore"]],
         [("approve", {}, "")], {"i1": [{"type": "accept", "args": None}]}),
    Case("langgraph", [{"id": "i1", "value": TOOL_APPROVAL}], [["approve", "reject"]],
         [("reject", {}, "No")], {"i1": {"type": "reject", "message": "No"}}),
    Case(
        "ag-ui",
        AG_UI,
        [["approve", "reject", "cancel"], ["answer", "cancel"]],
        [("approve", {}, ""), ("answer", {"answer": "blue"}, "")],
        {
            "resume": [
                {"interruptId": "i1", "status": "resolved", "payload": {"approved": True}},
                {"interruptId": "i2", "status": "resolved", "payload": "blue"},
            ]
        },
    ),
    Case(
        "openai-agents",
        OPENAI,
        [["approve", "reject"]],
        [("reject", {}, "No")],
        {"decisions": [{"call_id": "call_9", "type": "reject", "rejection_message": "No"}]},
    ),
    Case(
        "pydantic-ai",
        PYDANTIC,
        [["approve", "edit", "reject"], ["answer"]],
        [("edit", {"amount": 4}, ""), ("answer", {"answer": "blue"}, "")],
        {
            "approvals": {"c1": {"kind": "tool-approved", "override_args": {"amount": 4}}},
            "calls": {"c2": "blue"},
            "metadata": {},
            "answered_by": {"c1": "Olga", "c2": "Olga"},
        },
    ),
    Case("crewai", CREW, [["approved", "rejected", "needs_revision"]], [("needs_revision", {}, "")],
         {"flow_id": "f-1", "feedback": "needs_revision"}),
    Case("crewai", {**CREW, "emit": None}, [["respond"]], [("respond", {}, "Reopen it")],
         {"flow_id": "f-1", "feedback": "Reopen it"}),
    Case(
        "agent-framework",
        FRAMEWORK,
        [["approve", "reject"]],
        [("approve", {}, "")],
        {
            "type": "function_approval_response",
            "id": "a1",
            "approved": True,
            "function_call": FRAMEWORK["function_call"],
        },
    ),
    Case("agent-framework", [{"type": "request_info", "request_id": "q1", "data": {"question": "Which?"}}],
         [["answer"]], [("answer", {"answer": "B"}, "")], [{"request_id": "q1", "response": "B"}]),
    Case(
        "adk",
        ADK,
        [["approve", "reject"], ["answer"]],
        [("reject", {}, ""), ("answer", {"answer": "Valencia"}, "")],
        [
            {"id": "adk-1", "name": "adk_request_confirmation", "response": {"confirmed": False}},
            {"id": "adk-2", "name": "adk_request_input", "response": {"result": "Valencia"}},
        ],
    ),
    Case(
        "mcp",
        MCP,
        [["answer", "decline", "cancel"], ["accept", "decline", "cancel"]],
        [("answer", {"name": "Valencia"}, ""), ("decline", {}, "")],
        {
            "inputResponses": {
                "k1": {"action": "accept", "content": {"name": "Valencia"}},
                "k2": {"action": "decline"},
            },
            "requestState": "opaque",
        },
    ),
    Case("mcp", {"method": "elicitation/create", "params": ELICITATION}, [["answer", "decline", "cancel"]],
         [("cancel", {}, "")], {"action": "cancel"}),
    Case(
        "a2a",
        A2A,
        [["respond"]],
        [("respond", {}, "M")],
        {
            "message": {
                "messageId": "d0",
                "taskId": "task-1",
                "contextId": "ctx-1",
                "role": "ROLE_USER",
                "parts": [{"text": "M"}],
            }
        },
    ),
    Case("plain", PLAIN, [["yes", "stop"]], [("stop", {}, "Wait")], {"action": "stop", "values": {}, "reason": "Wait"}),
    Case("plain", {"question": "Which?", "form": WAREHOUSE}, [["answer"]], [("answer", {"name": "B"}, "")],
         {"action": "answer", "values": {"name": "B"}}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.dialect)
def test_a_question_offers_its_answers_and_gets_one_in_its_own_shape(case):
    pauses = read_ask(case.dialect, case.ask)

    assert [[answer.id for answer in pause.answers] for pause in pauses] == case.offers
    assert json.loads(json.dumps(write_answer(case.dialect, case.ask, pauses, decided(pauses, case)))) == case.sent


def test_every_dialect_has_a_case():
    assert {case.dialect for case in CASES} == set(DIALECTS)


EXPIRED = {
    "langchain": {"decisions": [{"type": "reject", "message": LATE}] * 2},
    "langchain-call": {"type": "reject", "message": LATE},
    "agent-inbox": [{"type": "ignore", "args": None}],
    "openai-agents": {"decisions": [{"call_id": "call_9", "type": "reject", "rejection_message": LATE}]},
    "crewai": {"flow_id": "f-1", "feedback": "rejected"},
    "mcp": {"inputResponses": {"k1": {"action": "decline"}, "k2": {"action": "decline"}}, "requestState": "opaque"},
    "a2a": None,
    "plain": {"action": "stop", "values": {}, "reason": LATE},
}


@pytest.mark.parametrize("dialect", EXPIRED)
def test_a_question_that_nobody_answers_is_refused_where_the_dialect_can_say_so(dialect):
    ask = next(case.ask for case in CASES if case.dialect == dialect)
    pauses = read_ask(dialect, ask)

    sent = write_answer(dialect, ask, pauses, [Decision(None, text=LATE) for _ in pauses])

    assert sent == EXPIRED[dialect]
    assert "approve" not in json.dumps(sent)


def test_an_interrupt_without_an_answer_is_left_out_of_the_map():
    ask = [{"id": "i1", "value": "Go on?"}, {"id": "i2", "value": "And then?"}]
    pauses = read_ask("langgraph", ask)

    sent = write_answer("langgraph", ask, pauses, [Decision(None), Decision(pauses[1].answers[0], {"answer": 1})])

    assert sent == {"i2": 1}


def test_a_call_shows_its_name_its_arguments_and_a_form_of_their_types():
    (mail, refund) = read_ask("langchain", BATCH)

    assert mail.question == "Send **this**?"
    assert mail.proposal and mail.proposal.name == "send_mail"
    assert mail.form["properties"] == {"to": {"type": "string"}, "copies": {"type": "integer"}}
    assert refund.form == {}, "a call that may not be edited has no form"


def test_a_value_of_an_unknown_shape_is_shown_and_can_be_answered_as_json():
    (pause,) = read_ask("langgraph", {"id": "i1", "value": {"kind": "weird", "rows": [1, 2]}})

    assert "weird" in pause.question
    assert pause.single == "answer"
    assert [answer.meaning for answer in pause.answers] == [Meaning.CHOOSE]


def test_only_words_that_refuse_or_leave_may_end_a_deadline():
    (pause,) = read_ask("crewai", CREW)

    assert [answer.id for answer in pause.answers if answer.meaning is Meaning.REFUSE] == ["rejected"]
    approval = pause.answer("approved")
    assert approval and approval.consents


BAD = [
    ("langchain", {}, "action_requests"),
    ("langchain", {"action_requests": []}, "action_requests"),
    ("langchain", {"action_requests": [{"args": {}}]}, "action_requests.0.name"),
    ("langchain", {"action_requests": [{"name": "x", "args": [1]}]}, "action_requests.0.args"),
    ("langchain-call", {"type": "other"}, "type"),
    ("agent-inbox", {"action_request": {"action": "x", "args": {}}, "config": {}}, "0.config"),
    ("langgraph", {"id": "i1"}, "0"),
    ("ag-ui", {"outcome": {"type": "success"}}, "interrupts"),
    ("openai-agents", {"current_step": None}, "interruptions"),
    ("openai-agents", [{"raw_item": {"name": "x", "call_id": "c", "arguments": "{"}}], "0.raw_item.arguments"),
    ("pydantic-ai", {"approvals": [], "calls": []}, "approvals"),
    ("crewai", {"flow_id": "f"}, "message"),
    ("agent-framework", {"type": "function_approval_request", "id": "a"}, "0.function_call"),
    ("adk", {"id": "1", "name": "adk_request_confirmation", "args": {}}, "0.args.originalFunctionCall"),
    ("mcp", {"inputRequests": {}}, "inputRequests"),
    ("a2a", {"id": "t"}, "status"),
    ("plain", {"question": ""}, "question"),
    ("plain", {"question": "?", "wat": 1}, "wat"),
    ("plain", {"question": "?", "actions": ["Yes", "yes"]}, "actions"),
    ("plain", {"question": "x" * 8_001}, "question"),
    ("plain", {"question": "?", "form": {"type": "objekt"}}, "form.type"),
]


@pytest.mark.parametrize(("dialect", "ask", "path"), BAD)
def test_a_question_of_another_shape_is_refused_with_its_place(dialect, ask, path):
    with pytest.raises(AskRefused) as refused:
        read_ask(dialect, ask)

    assert refused.value.path.startswith(path)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


TOO_MUCH = [
    {"question": "?", "form": nested(30)},
    {"question": "x" * 200_000},
    {"question": "?", "form": {"properties": {str(number): {} for number in range(20_000)}}},
]


@pytest.mark.parametrize("ask", TOO_MUCH, ids=["deep", "large", "many"])
def test_a_question_that_is_too_large_is_refused_before_it_is_read(ask):
    with pytest.raises(AskRefused, match="at most"):
        read_ask("plain", ask)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("ask", [None, 1, "text", [], {}, [[]], {"interrupts": None}, nested(15), [None]])
def test_nonsense_is_refused_and_nothing_else_goes_wrong(dialect, ask):
    with pytest.raises(AskRefused):
        read_ask(dialect, ask)


def decided(pauses: tuple[Pause, ...], case: Case) -> list[Decision]:
    made = zip(pauses, case.answers, strict=True)
    return [
        Decision(pause.answer(answer), values, text, "Olga", f"d{index}")
        for index, (pause, (answer, values, text)) in enumerate(made)
    ]


def test_a_pause_that_is_to_stay_open_has_no_refusal_unless_the_dialect_needs_one():
    two_calls = {"action_requests": [REFUND, MAIL], "review_configs": []}
    pauses = read_ask("langchain", two_calls)
    stays_open = Decision(None, text=LATE, stays_open=True)
    approved = Decision(pauses[0].answer("approve"))

    assert write_answer("langchain", two_calls, pauses, [stays_open, stays_open]) is None
    decisions = write_answer("langchain", two_calls, pauses, [approved, stays_open])["decisions"]
    assert decisions == [{"type": "approve"}, {"type": "reject", "message": LATE}]


def test_a_pause_that_is_to_stay_open_is_left_out_where_a_dialect_takes_some_of_the_answers():
    interrupts = [
        {"id": "i1", "value": {"action_requests": [REFUND]}},
        {"id": "i2", "value": {"action_requests": [MAIL]}},
    ]
    pauses = read_ask("langgraph", interrupts)
    decisions = [Decision(pauses[0].answer("approve")), Decision(None, stays_open=True)]

    assert write_answer("langgraph", interrupts, pauses, decisions) == {"i1": {"decisions": [{"type": "approve"}]}}


@pytest.mark.parametrize("word", ["delete_account", "approve"])
def test_a_red_button_is_no_refusal_that_a_deadline_could_give(word: str):
    (pause,) = read_ask("plain", {"question": "?", "actions": [{"id": word, "style": "danger"}]})

    assert pause.answer_meaning(*WITHOUT_CONSENT) is None
    assert pause.answers[0].style == "danger"


def test_words_of_any_script_are_answers():
    (pause,) = read_ask("plain", {"question": "?", "actions": ["批准", "否", "_"]})

    assert [(answer.id, answer.label) for answer in pause.answers] == [
        ("answer_1", "批准"),
        ("answer_2", "否"),
        ("answer_3", "_"),
    ]
