"""LangChain's human-in-the-loop middleware, batched and per call, and agent-inbox."""

from collections.abc import Mapping, Sequence
from typing import Any

from dialogue.dialects.pauses import AskRefused, Decision, Meaning, OfferedAnswer, Pause, Proposal
from dialogue.dialects.shapes import (
    APPROVE,
    EDIT,
    REJECT,
    RESPOND,
    Plain,
    arguments_at,
    call_pause,
    list_at,
    mapping_at,
    optional_list,
    optional_text,
    text_at,
)

ANSWERS: Mapping[str, OfferedAnswer] = {"approve": APPROVE, "edit": EDIT, "reject": REJECT, "respond": RESPOND}
ACCEPT = OfferedAnswer("approve", Meaning.AGREE, "accept")
RESPONSE = OfferedAnswer("respond", Meaning.RESPOND, "response", needs_text=True)
IGNORE = OfferedAnswer("ignore", Meaning.LEAVE, "ignore")
INBOX_ANSWERS = {"allow_accept": ACCEPT, "allow_edit": EDIT, "allow_respond": RESPONSE, "allow_ignore": IGNORE}
TOOL_APPROVAL = "tool_approval"


def read_batch(ask: Any) -> tuple[Pause, ...]:
    """Read `{"action_requests": […], "review_configs": […]}`: one pause for each call. Raises AskRefused."""
    body = mapping_at(ask, "ask")
    configs = {
        text_at(mapping_at(config, f"review_configs.{index}").get("action_name"), "action_name"): config
        for index, config in enumerate(optional_list(body.get("review_configs"), "review_configs"))
    }
    requests = list_at(body.get("action_requests"), "action_requests")
    return tuple(_read_request(request, configs, f"action_requests.{index}") for index, request in enumerate(requests))


def _read_request(request: Any, configs: Mapping[str, Plain], path: str) -> Pause:
    fields = mapping_at(request, path)
    name = text_at(fields.get("name"), f"{path}.name")
    call = Proposal(name, arguments_at(fields.get("args"), f"{path}.args"))
    config = configs.get(name, {})
    answers = answers_for(config.get("allowed_decisions", list(ANSWERS)), f"{path}.allowed_decisions")
    return call_pause(
        "", call, optional_text(fields.get("description"), f"{path}.description"), answers, config.get("args_schema")
    )


def answers_for(words: Any, path: str) -> tuple[OfferedAnswer, ...]:
    """Return the answers that LangChain's words stand for; words that we do not know are left out."""
    answers = tuple(ANSWERS[word] for word in list_at(words, path) if isinstance(word, str) and word in ANSWERS)
    if not answers:
        raise AskRefused(path, f"none of these decisions is known. Write one of {', '.join(ANSWERS)}")
    return answers


def write_batch(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write `{"decisions": […]}`, as many as there were calls, in their order."""
    return {"decisions": [write_decision(pause, made) for pause, made in zip(pauses, decisions, strict=True)]}


def write_decision(pause: Pause, decision: Decision) -> Plain:
    """Write one decision. An edit keeps the name of the call that people saw."""
    match decision.answer:
        case OfferedAnswer(meaning=Meaning.EDIT) if pause.proposal:
            return {"type": "edit", "edited_action": {"name": pause.proposal.name, "args": dict(decision.values)}}
        case OfferedAnswer(meaning=Meaning.REFUSE):
            return {"type": "reject", **({"message": decision.text} if decision.text else {})}
        case OfferedAnswer(meaning=Meaning.RESPOND):
            return {"type": "respond", "message": decision.text}
        case _:
            return {"type": "approve"}


def read_call(ask: Any) -> tuple[Pause, ...]:
    """Read `{"type": "tool_approval", "tool_call_id", "name", "args", "description"?, "response_schema"?}`."""
    body = mapping_at(ask, "ask")
    if body.get("type") != TOOL_APPROVAL:
        raise AskRefused("type", f"“{TOOL_APPROVAL}” is expected here")
    return (read_tool_approval(body, body.get("response_schema")),)


def read_tool_approval(body: Plain, response_schema: Any) -> Pause:
    """Read one call; its response schema says which decisions are allowed. Raises AskRefused."""
    call = Proposal(text_at(body.get("name"), "name"), arguments_at(body.get("args"), "args"))
    words = sorted(_decision_words(response_schema), key=list(ANSWERS).index) or list(ANSWERS)
    question = optional_text(body.get("description"), "description")
    return call_pause(str(body.get("tool_call_id") or ""), call, question, answers_for(words, "response_schema"))


def _decision_words(schema: Any, depth: int = 0) -> set[str]:
    """Return the decisions that a response schema names as the constants of its `type`."""
    if not isinstance(schema, dict) or depth > 4:
        return set()
    kind = _mapping_in(_mapping_in(schema, "properties"), "type")
    words = [kind.get("const"), *optional_list(kind.get("enum"), "response_schema.properties.type.enum")]
    parts = [part for key in ("anyOf", "oneOf") for part in optional_list(schema.get(key), f"response_schema.{key}")]
    parts += _mapping_in(schema, "$defs").values()
    known = {word for word in words if isinstance(word, str) and word in ANSWERS}
    return known.union(*(_decision_words(part, depth + 1) for part in parts))


def _mapping_in(schema: Plain, key: str) -> Plain:
    part = schema.get(key)
    return part if isinstance(part, dict) else {}


def write_call(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write the one decision of a call."""
    return write_decision(pauses[0], decisions[0])


def read_inbox(ask: Any) -> tuple[Pause, ...]:
    """Read agent-inbox's interrupt, or a list with one. Raises AskRefused."""
    entries = ask if isinstance(ask, list) else [ask]
    return tuple(_read_inbox_entry(entry, str(index)) for index, entry in enumerate(list_at(entries, "ask")))


def _read_inbox_entry(entry: Any, path: str) -> Pause:
    fields = mapping_at(entry, path)
    request = mapping_at(fields.get("action_request"), f"{path}.action_request")
    call = Proposal(
        text_at(request.get("action"), f"{path}.action_request.action"),
        arguments_at(request.get("args"), f"{path}.action_request.args"),
    )
    config = mapping_at(fields.get("config"), f"{path}.config")
    answers = [answer for name, answer in INBOX_ANSWERS.items() if config.get(name) is True]
    if not answers:
        raise AskRefused(f"{path}.config", "no answer is allowed here")
    return call_pause("", call, optional_text(fields.get("description"), f"{path}.description"), answers)


def write_inbox(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> list[Plain]:
    """Write a list with one response for each interrupt."""
    return [_write_inbox_entry(pause, made) for pause, made in zip(pauses, decisions, strict=True)]


def _write_inbox_entry(pause: Pause, decision: Decision) -> Plain:
    call = pause.proposal or Proposal("")
    match decision.answer:
        case OfferedAnswer(meaning=Meaning.EDIT):
            return {"type": "edit", "args": {"action": call.name, "args": dict(decision.values)}}
        case OfferedAnswer(meaning=Meaning.RESPOND):
            return {"type": "response", "args": decision.text}
        case OfferedAnswer(meaning=Meaning.LEAVE):
            return {"type": "ignore", "args": None}
        case _:
            return {"type": "accept", "args": None}
