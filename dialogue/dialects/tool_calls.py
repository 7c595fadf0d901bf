"""Frameworks that ask before a tool runs: OpenAI Agents, Pydantic AI, Microsoft Agent Framework, Google ADK."""

from collections.abc import Sequence
from typing import Any

from dialogue.dialects.limits import MAX_QUESTION_CHARACTERS
from dialogue.dialects.pauses import AskRefused, Decision, Meaning, Pause, Proposal
from dialogue.dialects.shapes import (
    ANSWER,
    APPROVE,
    EDIT,
    REJECT,
    REJECT_SILENTLY,
    Plain,
    arguments_at,
    call_pause,
    list_at,
    mapping_at,
    optional_list,
    optional_text,
    question_in,
    schema_of_args,
    text_at,
    value_of,
    value_pause,
)

CONFIRMATION, INPUT = "adk_request_confirmation", "adk_request_input"
APPROVAL_REQUEST, APPROVAL_RESPONSE = "function_approval_request", "function_approval_response"


def read_openai(ask: Any) -> tuple[Pause, ...]:
    """Read a run's state, its `current_step`, `{"interruptions": […]}`, or the list itself. Raises AskRefused."""
    return tuple(_read_openai_item(item, str(index)) for index, item in enumerate(_openai_items(ask)))


def _openai_items(ask: Any) -> list[Any]:
    while isinstance(ask, dict) and "interruptions" not in ask:
        inner = ask.get("current_step") or ask.get("data")
        if inner is None:
            raise AskRefused("interruptions", "the run's state has no interruptions")
        ask = inner
    return list_at(ask["interruptions"] if isinstance(ask, dict) else ask, "interruptions")


def _read_openai_item(item: Any, path: str) -> Pause:
    fields = mapping_at(item, path)
    raw = mapping_at(fields.get("raw_item"), f"{path}.raw_item")
    name = text_at(fields.get("tool_name") or raw.get("name") or raw.get("type"), f"{path}.raw_item.name")
    call = Proposal(name, _openai_arguments(raw, f"{path}.raw_item.arguments"))
    call_id = text_at(raw.get("call_id") or raw.get("id"), f"{path}.raw_item.call_id")
    return call_pause(call_id, call, "", [APPROVE, REJECT])


def _openai_arguments(raw: Plain, path: str) -> Plain:
    """Return a call's arguments. Calls of shell, patch and custom tools have another part in their place."""
    parts: Plain = {key: raw[key] for key in ("action", "operation", "input") if key in raw}
    return parts if parts and "arguments" not in raw else arguments_at(raw.get("arguments"), path)


def write_openai(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write what `state.approve` and `state.reject` take, by call; the state itself is the program's."""
    return {"decisions": [_openai_decision(pause, made) for pause, made in zip(pauses, decisions, strict=True)]}


def _openai_decision(pause: Pause, decision: Decision) -> Plain:
    if _agrees(decision):
        return {"call_id": pause.id, "type": "approve"}
    return {"call_id": pause.id, "type": "reject", "rejection_message": decision.text}


def read_pydantic(ask: Any) -> tuple[Pause, ...]:
    """Read `DeferredToolRequests`: approvals, and calls that a person answers. Raises AskRefused."""
    body = mapping_at(ask, "ask")

    def parts(key: str) -> list[Any]:
        return optional_list(body.get(key), key)

    approvals = [_read_approval(part, f"approvals.{i}") for i, part in enumerate(parts("approvals"))]
    calls = [_read_outside_call(part, f"calls.{i}") for i, part in enumerate(parts("calls"))]
    if not approvals and not calls:
        raise AskRefused("approvals", "there is neither an approval nor a call")
    return (*approvals, *calls)


def _read_approval(part: Any, path: str) -> Pause:
    call_id, call = _pydantic_call(part, path)
    return call_pause(call_id, call, "", [APPROVE, EDIT, REJECT])


def _read_outside_call(part: Any, path: str) -> Pause:
    call_id, call = _pydantic_call(part, path)
    question = question_in(call.args) if call.args else call.name
    return value_pause(call_id, question, None, [ANSWER], proposal=call)


def _pydantic_call(part: Any, path: str) -> tuple[str, Proposal]:
    fields = mapping_at(part, path)
    call = Proposal(
        text_at(fields.get("tool_name"), f"{path}.tool_name"), arguments_at(fields.get("args"), f"{path}.args")
    )
    return text_at(fields.get("tool_call_id"), f"{path}.tool_call_id"), call


def write_pydantic(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write `DeferredToolResults`; `answered_by` names the people."""
    results: Plain = {"approvals": {}, "calls": {}, "metadata": {}, "answered_by": {}}
    for pause, decision in zip(pauses, decisions, strict=True):
        if decision.answer is None:
            continue
        kind = "calls" if decision.answer.meaning is Meaning.CHOOSE else "approvals"
        results[kind][pause.id] = _pydantic_result(pause, decision)
        results["answered_by"][pause.id] = decision.by
    return results


def _pydantic_result(pause: Pause, decision: Decision) -> Any:
    match decision.answer.meaning if decision.answer else None:
        case Meaning.AGREE:
            return True
        case Meaning.EDIT:
            return {"kind": "tool-approved", "override_args": dict(decision.values)}
        case Meaning.REFUSE:
            return {"kind": "tool-denied", "message": decision.text}
        case _:
            return value_of(pause, decision.values)


def read_agent_framework(ask: Any) -> tuple[Pause, ...]:
    """Read approval requests, one or a list; other requests of a workflow are answered as JSON. Raises AskRefused."""
    entries = ask if isinstance(ask, list) else [ask]
    return tuple(_read_approval_request(entry, str(i)) for i, entry in enumerate(list_at(entries, "ask")))


def _read_approval_request(entry: Any, path: str) -> Pause:
    fields = mapping_at(entry, path)
    request_id = text_at(fields.get("id") or fields.get("request_id"), f"{path}.id")
    if fields.get("type") != APPROVAL_REQUEST:
        return value_pause(request_id, question_in(fields.get("data", fields)), fields.get("response_schema"), [ANSWER])
    call = mapping_at(fields.get("function_call"), f"{path}.function_call")
    proposal = Proposal(
        text_at(call.get("name"), f"{path}.function_call.name"),
        arguments_at(call.get("arguments"), f"{path}.function_call.arguments"),
    )
    return call_pause(request_id, proposal, "", [APPROVE, REJECT_SILENTLY])


def write_agent_framework(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Any:
    """Write a response for each request: a list, or one object where one was asked."""
    entries = ask if isinstance(ask, list) else [ask]
    parts = zip(entries, pauses, decisions, strict=True)
    responses = [_approval_response(entry, pause, made) for entry, pause, made in parts if made.answer is not None]
    return responses if isinstance(ask, list) else responses[0]


def _approval_response(entry: Plain, pause: Pause, decision: Decision) -> Plain:
    if pause.proposal is None:
        return {"request_id": pause.id, "response": value_of(pause, decision.values)}
    response = {"type": APPROVAL_RESPONSE, "id": pause.id, "approved": _agrees(decision)}
    return {**response, "function_call": entry["function_call"]}


def read_adk(ask: Any) -> tuple[Pause, ...]:
    """Read the function calls of an event that ask people: one, a list, or those in `content.parts`."""
    calls = _adk_calls(ask)
    return tuple(_read_adk_call(call, str(index)) for index, call in enumerate(calls))


def _adk_calls(ask: Any) -> list[Plain]:
    content = ask.get("content") if isinstance(ask, dict) else None
    parts = content.get("parts") if isinstance(content, dict) else None
    entries = parts if parts is not None else ask if isinstance(ask, list) else [ask]
    calls = [mapping_at(entry, str(index)) for index, entry in enumerate(list_at(entries, "ask"))]
    calls = [mapping_at(call.get("functionCall") or call.get("function_call") or call, "ask") for call in calls]
    return [call for call in calls if parts is None or call.get("name") in (CONFIRMATION, INPUT)]


def _read_adk_call(call: Any, path: str) -> Pause:
    fields = mapping_at(call, path)
    call_id = text_at(fields.get("id"), f"{path}.id")
    args = arguments_at(fields.get("args"), f"{path}.args")
    if fields.get("name") != CONFIRMATION:
        question = optional_text(args.get("message"), f"{path}.args.message") or question_in(args)
        return value_pause(call_id, question, args.get("responseSchema"), [ANSWER])
    original = mapping_at(args.get("originalFunctionCall"), f"{path}.args.originalFunctionCall")
    confirmation = mapping_at(args.get("toolConfirmation") or {}, f"{path}.args.toolConfirmation")
    proposal = Proposal(
        text_at(original.get("name"), f"{path}.args.originalFunctionCall.name"),
        arguments_at(original.get("args"), f"{path}.args.originalFunctionCall.args"),
    )
    hint = optional_text(confirmation.get("hint"), f"{path}.args.toolConfirmation.hint")
    payload = confirmation.get("payload")
    if isinstance(payload, dict) and payload:
        return _read_adk_payload(call_id, proposal, hint, payload)
    return call_pause(call_id, proposal, hint, [APPROVE, REJECT_SILENTLY])


def _read_adk_payload(call_id: str, call: Proposal, hint: str, payload: Plain) -> Pause:
    """Return the pause before a call whose tool wants a payload from the person, which starts as the tool filled it."""
    properties = schema_of_args(arguments_at(payload, "payload"))["properties"]
    form = {name: {**schema, "default": payload[name]} for name, schema in properties.items()}
    question = f"{hint or call.name}\n\n{call.name}: {question_in(dict(call.args))}"
    schema = {"type": "object", "properties": form}
    return Pause(call_id, question[:MAX_QUESTION_CHARACTERS], (APPROVE, REJECT_SILENTLY), form=schema)


def write_adk(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> list[Plain]:
    """Write a function response with the same id for each call."""
    parts = zip(_adk_calls(ask), pauses, decisions, strict=True)
    return [
        {"id": pause.id, "name": call.get("name"), "response": _adk_response(call, pause, made)}
        for call, pause, made in parts
        if made.answer is not None
    ]


def _adk_response(call: Plain, pause: Pause, decision: Decision) -> Plain:
    if call.get("name") == CONFIRMATION:
        payload = {"payload": dict(decision.values)} if pause.form and _agrees(decision) else {}
        return {"confirmed": _agrees(decision), **payload}
    value = value_of(pause, decision.values)
    return value if isinstance(value, dict) else {"result": value}


def _agrees(decision: Decision) -> bool:
    return decision.answer is not None and decision.answer.meaning is Meaning.AGREE
