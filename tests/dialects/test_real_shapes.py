"""Shapes as the newest packages write them: openai-agents 0.24.0, google-adk 2.13.0, a2a-sdk 1.3.0, mcp 2.3.0."""

from typing import Any

import pytest

from dialogue.dialects.pauses import Decision, Pause
from dialogue.dialects.table import read_ask, write_answer


def decided(pause: Pause, answer: str, values: dict[str, Any] | None = None, text: str = "") -> Decision:
    return Decision(pause.answer(answer), values or {}, text, "Olga", "d0")


@pytest.mark.parametrize(
    ("raw", "name", "args"),
    [
        (
            {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "refund", "arguments": '{"amount": 5}'},
            "refund",
            {"amount": 5},
        ),
        (
            {"type": "mcp_approval_request", "id": "m1", "name": "find", "arguments": '{"q": 1}', "server_label": "s"},
            "find",
            {"q": 1},
        ),
        (
            {"type": "shell_call", "call_id": "c1", "action": {"commands": ["rm x"], "timeout_ms": 10}},
            "shell_call",
            {"action": {"commands": ["rm x"], "timeout_ms": 10}},
        ),
        (
            {"type": "apply_patch_call", "call_id": "c2", "operation": {"type": "delete_file", "path": "a"}},
            "apply_patch_call",
            {"operation": {"type": "delete_file", "path": "a"}},
        ),
        (
            {"type": "custom_tool_call", "call_id": "c3", "name": "sql", "input": "select 1"},
            "sql",
            {"input": "select 1"},
        ),
    ],
    ids=lambda value: value.get("type", "") if isinstance(value, dict) else str(value),
)
def test_openai_agents_asks_for_calls_of_every_kind_of_tool(raw: dict[str, Any], name: str, args: dict[str, Any]):
    ask = {"interruptions": [{"type": "tool_approval_item", "raw_item": raw, "agent": {"name": "clerk"}}]}
    (pause,) = read_ask("openai-agents", ask)

    assert pause.proposal is not None
    assert (pause.proposal.name, pause.proposal.args) == (name, args)
    answer = write_answer("openai-agents", ask, [pause], [decided(pause, "approve")])
    assert answer == {"decisions": [{"call_id": raw.get("call_id") or raw["id"], "type": "approve"}]}


ADK_EVENT = {
    "content": {
        "parts": [
            {"text": "I have to ask."},
            {
                "functionCall": {
                    "id": "adk-5c27",
                    "name": "adk_request_confirmation",
                    "args": {
                        "originalFunctionCall": {"id": "call_1", "name": "book_days", "args": {"days": 3}},
                        "toolConfirmation": {"hint": "How many days?", "confirmed": False, "payload": {"approved": 0}},
                    },
                }
            },
        ],
        "role": "model",
    },
    "longRunningToolIds": ["adk-5c27"],
    "author": "clerk",
}


def test_a_payload_that_an_adk_tool_asks_for_is_a_form_and_goes_back():
    (pause,) = read_ask("adk", ADK_EVENT)

    assert pause.form["properties"] == {"approved": {"type": "integer", "default": 0}}
    assert "book_days" in pause.question
    assert "days" in pause.question
    approved = write_answer("adk", ADK_EVENT, [pause], [decided(pause, "approve", {"approved": 2})])
    assert approved[0]["response"] == {"confirmed": True, "payload": {"approved": 2}}
    rejected = write_answer("adk", ADK_EVENT, [pause], [decided(pause, "reject")])
    assert rejected[0]["response"] == {"confirmed": False}


STATUS = {
    "state": "TASK_STATE_INPUT_REQUIRED",
    "message": {
        "messageId": "m",
        "taskId": "t-1",
        "contextId": "x-1",
        "role": "ROLE_AGENT",
        "parts": [{"text": "Go?"}],
    },
    "timestamp": "2026-11-23T23:37:41Z",
}


@pytest.mark.parametrize(
    "ask",
    [
        {"id": "t-1", "contextId": "x-1", "status": STATUS, "history": []},
        {"task": {"id": "t-1", "contextId": "x-1", "status": STATUS}},
        {"statusUpdate": {"taskId": "t-1", "contextId": "x-1", "status": STATUS}},
    ],
    ids=["task", "response to SendMessage", "update"],
)
def test_an_a2a_task_is_read_in_each_place_where_the_protocol_names_it(ask: dict[str, Any]):
    (pause,) = read_ask("a2a", ask)
    answer = write_answer("a2a", ask, [pause], [decided(pause, "respond", text="yes")])

    assert pause.question == "Go?"
    assert answer["message"] == {
        "messageId": "d0",
        "taskId": "t-1",
        "contextId": "x-1",
        "role": "ROLE_USER",
        "parts": [{"text": "yes"}],
    }
