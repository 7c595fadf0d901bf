"""A question of an agent with one part put wrong: it is refused, or it becomes gates and has an answer."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from dialogue.desk.agent_requests.opening import _actions_of, _fields_of
from dialogue.desk.agent_requests.question_texts import masked_question, shown_args, title_of
from dialogue.desk.forms.agent_answers import AskedPause, form_of_fields
from dialogue.dialects.answer_forms import problems_of_answer
from dialogue.dialects.pauses import AskRefused, Decision, Pause
from dialogue.dialects.table import DIALECTS, read_ask, write_answer
from dialogue.turns.accept import storable_value

SCHEMA = {
    "type": "object",
    "properties": {
        "type": {"const": "approve", "enum": ["edit"]},
        "order": {
            "type": "string",
            "pattern": "x",
            "enum": ["a"],
            "enumNames": ["b"],
            "title": "T",
            "description": "d",
        },
        "sizes": {"type": "array", "items": {"enum": ["a", "b"]}},
        "copies": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/copies"}], "default": 1},
        "kind": {"oneOf": [{"const": 1, "title": "t"}]},
    },
    "required": ["order"],
    "$defs": {"copies": {"type": "integer", "minimum": 1}},
    "anyOf": [{"type": "object", "properties": {"type": {"const": "edit"}}}],
}
TOOL_APPROVAL = {"type": "tool_approval", "name": "n", "args": {"a": 1}, "tool_call_id": "1", "description": "d"}
INBOX = {
    "action_request": {"action": "refund", "args": {"amount": 1}},
    "config": {"allow_accept": True, "allow_edit": True, "allow_respond": True, "allow_ignore": True},
    "description": "d",
}
RAW_CALL = {"call_id": "c", "name": "n", "arguments": '{"a": 1}'}
CONFIRMATION = {
    "originalFunctionCall": {"name": "n", "args": {"a": 1}},
    "toolConfirmation": {"hint": "h", "payload": {"x": 1}},
}
ELICITATIONS = {
    "k": {"method": "elicitation/create", "params": {"mode": "form", "message": "m", "requestedSchema": SCHEMA}},
    "u": {"method": "elicitation/create", "params": {"mode": "url", "message": "m", "url": "https://shop.example"}},
}
ASKS: list[tuple[str, Any]] = [
    ("langgraph", [{"id": "i", "value": "hi", "response_schema": SCHEMA}]),
    ("langgraph", {"interrupts": {"t": [{"id": "i", "value": INBOX}]}}),
    ("langgraph", [{"id": "i", "value": TOOL_APPROVAL, "response_schema": SCHEMA}]),
    (
        "langchain",
        {
            "action_requests": [{"name": "n", "args": {"a": 1.5, "order": "x", "c": [1]}, "description": "d"}],
            "review_configs": [
                {
                    "action_name": "n",
                    "allowed_decisions": ["approve", "edit", "reject", "respond"],
                    "args_schema": SCHEMA,
                }
            ],
        },
    ),
    ("langchain-call", {**TOOL_APPROVAL, "response_schema": SCHEMA}),
    ("agent-inbox", [INBOX]),
    (
        "ag-ui",
        {
            "outcome": {
                "type": "interrupt",
                "interrupts": [
                    {"id": "i", "reason": "r", "message": "m", "responseSchema": SCHEMA, "expiresAt": "2026-11-27"}
                ],
            }
        },
    ),
    (
        "openai-agents",
        {"current_step": {"data": {"interruptions": [{"type": "tool_approval_item", "raw_item": RAW_CALL}]}}},
    ),
    (
        "pydantic-ai",
        {
            "calls": [{"tool_name": "q", "args": {"question": "x"}, "tool_call_id": "2"}],
            "approvals": [{"tool_name": "t", "args": '{"a": 1}', "tool_call_id": "1"}],
        },
    ),
    ("crewai", {"flow_id": "f", "message": "m", "emit": ["approved", "rejected", "später"], "method_output": {"a": 1}}),
    (
        "agent-framework",
        [
            {"type": "function_approval_request", "id": "1", "function_call": {"name": "n", "arguments": {"a": 1}}},
            {"id": "2", "data": {"question": "q"}, "response_schema": SCHEMA},
        ],
    ),
    (
        "adk",
        {
            "content": {
                "parts": [
                    {"functionCall": {"id": "1", "name": "adk_request_confirmation", "args": CONFIRMATION}},
                    {"functionCall": {"id": "2", "name": "adk_request_input", "args": {"responseSchema": SCHEMA}}},
                ]
            }
        },
    ),
    ("mcp", {"inputRequests": ELICITATIONS, "requestState": "s"}),
    (
        "a2a",
        {"task": {"id": "t", "contextId": "c", "status": {"message": {"parts": [{"text": "t"}, {"data": {"a": 1}}]}}}},
    ),
    (
        "plain",
        {"question": "q", "form": SCHEMA, "actions": ["ok", {"id": "no", "label": "L", "style": "danger"}, "否"]},
    ),
]
WRONG_PARTS: list[Any] = [
    None, True, 5, -1, 0.5, 10**400, "", " ", "x" * 300, "\0", "\ud800", '{"a": "\\ud800"}', '{"a": 1e999}',
    [], [[1]], [None], ["a", {"b": []}], {}, {"a": 1}, {"$ref": "#"}, {"type": []},
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "ask"), ASKS, ids=[f"{name}-{i}" for i, (name, _ask) in enumerate(ASKS)])
def test_a_part_in_another_shape_is_refused_or_makes_a_gate(dialect: str, ask: Any):
    _open_and_answer(dialect, ask)
    for place in _places_in(ask):
        for part in WRONG_PARTS:
            try:
                _open_and_answer(dialect, _with_part(ask, place, part))
            except AskRefused as refused:
                assert refused.problem
            except Exception as error:
                pytest.fail(f"{place}: {part!r} gave {type(error).__name__}: {error}")


def test_each_dialect_is_among_them():
    assert {dialect for dialect, _ask in ASKS} == set(DIALECTS)


def _open_and_answer(dialect: str, ask: Any) -> None:
    """Do what happens between a request and the answer to it, but for the database."""
    pauses = [Pause.from_plain(storable_value(pause.plain())) for pause in read_ask(dialect, storable_value(ask))]
    for pause in pauses:
        fields = _fields_of(pause, several=False)
        stored = [form_of_fields(pause, fields), _actions_of(pause, several=False), shown_args(pause), pause.plain()]
        json.dumps(stored, allow_nan=False).encode()
        assert title_of(masked_question(pause, shown_args(pause)))
        for value in ("1", "x", True, 3, ["a"], "{}"):
            values = {field.name: value for field in fields}
            for offered in pause.answers:
                _check_answer(AskedPause(pause, fields), offered.id, values)
    for place in range(3):
        decisions = [
            Decision(pause.answers[place % len(pause.answers)], {"answer": 1}, "t", "Olga") for pause in pauses
        ]
        json.dumps(write_answer(dialect, ask, pauses, decisions))
    json.dumps(write_answer(dialect, ask, pauses, [Decision(None) for _pause in pauses]))


def _check_answer(asked: AskedPause, answer: str, values: dict[str, Any]) -> None:
    try:
        sent = asked.values_for(answer, values)
    except ValueError:
        return  # a text in a field for JSON
    problems_of_answer(asked.pause.form, sent)


def _places_in(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from _places_in(part, (*place, key))


def _with_part(value: Any, place: tuple[Any, ...], part: Any) -> Any:
    if not place:
        return part
    whole = copy.deepcopy(value)
    inner = whole
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = part
    return whole
