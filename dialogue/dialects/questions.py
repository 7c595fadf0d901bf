"""Dialects that ask a question: AG-UI, MCP elicitation, A2A, CrewAI, and the plain one for everything else."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dialogue.dialects.limits import MAX_QUESTION_CHARACTERS
from dialogue.dialects.pauses import (
    APPROVING_WORDS,
    LEAVING_WORDS,
    REFUSING_WORDS,
    AskRefused,
    Decision,
    Meaning,
    OfferedAnswer,
    Pause,
)
from dialogue.dialects.shapes import (
    ANSWER,
    APPROVE,
    CANCEL,
    DECLINE,
    REJECT,
    RESPOND,
    Plain,
    list_at,
    mapping_at,
    optional_list,
    optional_text,
    question_in,
    text_at,
    value_of,
    value_pause,
)

MAX_ANSWERS = 10
STYLES = ("primary", "default", "danger")
ACCEPT = OfferedAnswer("answer", Meaning.CHOOSE, "accept")
DONE = OfferedAnswer("accept", Meaning.AGREE, "accept")
APPROVAL_REASONS = frozenset({"confirmation", "tool_call", "tool_approval", "approval", "human_approval"})


def read_ag_ui(ask: Any) -> tuple[Pause, ...]:
    """Read a RUN_FINISHED event, its outcome, or the list of interrupts. Raises AskRefused."""
    body = ask
    for key in ("outcome", "interrupts"):
        if isinstance(body, dict) and key in body:
            body = body[key]
    return tuple(_read_interrupt(entry, f"interrupts.{i}") for i, entry in enumerate(list_at(body, "interrupts")))


def _read_interrupt(entry: Any, path: str) -> Pause:
    fields = mapping_at(entry, path)
    interrupt_id = text_at(fields.get("id"), f"{path}.id")
    reason = optional_text(fields.get("reason"), f"{path}.reason")
    question = optional_text(fields.get("message"), f"{path}.message") or reason or question_in(fields)
    deadline = optional_text(fields.get("expiresAt"), f"{path}.expiresAt", 64)
    schema = fields.get("responseSchema")
    if schema is None and reason in APPROVAL_REASONS:
        return Pause(interrupt_id, question, (APPROVE, REJECT, CANCEL), deadline=deadline)
    return value_pause(interrupt_id, question, schema, [ANSWER, CANCEL], deadline=deadline)


def write_ag_ui(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write the `resume` of the next RunAgentInput."""
    return {"resume": [_resume_entry(pause, made) for pause, made in zip(pauses, decisions, strict=True)]}


def _resume_entry(pause: Pause, decision: Decision) -> Plain:
    match decision.answer.meaning if decision.answer else Meaning.LEAVE:
        case Meaning.LEAVE:
            return {"interruptId": pause.id, "status": "cancelled"}
        case Meaning.AGREE:
            payload: Any = {"approved": True}
        case Meaning.REFUSE:
            payload = {"approved": False, **({"reason": decision.text} if decision.text else {})}
        case _:
            payload = value_of(pause, decision.values)
    return {"interruptId": pause.id, "status": "resolved", "payload": payload}


def read_mcp(ask: Any) -> tuple[Pause, ...]:
    """Read a result with `inputRequests`, or one `elicitation/create` request or its params. Raises AskRefused."""
    body = mapping_at(ask, "ask")
    if "inputRequests" not in body:
        return (_read_elicitation("", body, "ask"),)
    requests = mapping_at(body["inputRequests"], "inputRequests")
    if not requests:
        raise AskRefused("inputRequests", "there is no request")
    return tuple(_read_elicitation(key, request, f"inputRequests.{key}") for key, request in requests.items())


def _read_elicitation(key: str, request: Any, path: str) -> Pause:
    fields = mapping_at(request, path)
    params = mapping_at(fields.get("params", fields), f"{path}.params")
    if fields.get("method", "elicitation/create") != "elicitation/create":
        return value_pause(key, question_in(params), None, [ACCEPT, DECLINE, CANCEL])
    question = text_at(params.get("message"), f"{path}.params.message", MAX_QUESTION_CHARACTERS)
    if params.get("mode") == "url":
        url = text_at(params.get("url"), f"{path}.params.url", 2_000)
        return Pause(key, question, (DONE, DECLINE, CANCEL), link=url)
    schema = mapping_at(params.get("requestedSchema"), f"{path}.params.requestedSchema")
    return Pause(key, question, (ACCEPT, DECLINE, CANCEL), form={"type": "object", "properties": {}, **schema})


def write_mcp(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write `inputResponses` with the state that came along, or the one result of an elicitation."""
    responses = {pause.id: _elicited(pause, made) for pause, made in zip(pauses, decisions, strict=True)}
    if "inputRequests" not in ask:
        return responses[pauses[0].id]
    state = {"requestState": ask["requestState"]} if "requestState" in ask else {}
    return {"inputResponses": responses, **state}


def _elicited(pause: Pause, decision: Decision) -> Plain:
    word = decision.answer.word if decision.answer else "cancel"
    content = {"content": value_of(pause, decision.values)} if word == "accept" and pause.form else {}
    return {"action": word, **content}


def read_a2a(ask: Any) -> tuple[Pause, ...]:
    """Read a task that needs input; the texts of its message are the question. Raises AskRefused."""
    task = _a2a_task(ask)
    text_at(task.get("id"), "id")
    status = mapping_at(task.get("status"), "status")
    parts = list_at(mapping_at(status.get("message"), "status.message").get("parts"), "status.message.parts")
    lines = [_part_text(part) for part in parts]
    question = "\n\n".join(line for line in lines if line)[:MAX_QUESTION_CHARACTERS]
    return (Pause(task["id"], question or question_in(parts), (RESPOND,)),)


def _a2a_task(ask: Any) -> Plain:
    """Return the task: itself, in the response to `SendMessage`, or as an update of a stream or a push names it."""
    body = mapping_at(ask, "ask")
    if "statusUpdate" in body:
        update = mapping_at(body["statusUpdate"], "statusUpdate")
        return {**update, "id": update.get("taskId")}
    return mapping_at(body.get("task", body), "task")


def _part_text(part: Any) -> str:
    fields = mapping_at(part, "status.message.parts")
    for key in ("text", "url"):
        if isinstance(fields.get(key), str):
            return str(fields[key])
    return question_in(fields["data"]) if "data" in fields else ""


def write_a2a(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write the params of `SendMessage`, whose message belongs to the same task."""
    task = _a2a_task(ask)
    context = {"contextId": task["contextId"]} if task.get("contextId") else {}
    message = {"messageId": decisions[0].id, "taskId": task["id"], **context, "role": "ROLE_USER"}
    return {"message": {**message, "parts": [{"text": decisions[0].text}]}}


def read_crewai(ask: Any) -> tuple[Pause, ...]:
    """Read a `PendingFeedbackContext`; each outcome that the flow emits is an answer. Raises AskRefused."""
    body = mapping_at(ask, "ask")
    flow_id = text_at(body.get("flow_id"), "flow_id")
    question = text_at(body.get("message"), "message", MAX_QUESTION_CHARACTERS)
    output = body.get("method_output")
    if output not in (None, ""):
        question = f"{question}\n\n{output if isinstance(output, str) else question_in(output)}"
    words = optional_list(body.get("emit"), "emit")
    answers = tuple(_answer_of_word(text_at(word, f"emit.{i}", 64), i) for i, word in enumerate(words))
    return (Pause(flow_id, question[:MAX_QUESTION_CHARACTERS], _distinct(answers, "emit") or (RESPOND,)),)


def write_crewai(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write the text for `Flow.from_pending(flow_id).resume(text)`: the outcome's own word, or what people wrote."""
    answer = decisions[0].answer
    feedback = answer.word if answer and answer.meaning is not Meaning.RESPOND else decisions[0].text
    return {"flow_id": ask["flow_id"], "feedback": feedback}


def read_plain(ask: Any) -> tuple[Pause, ...]:
    """Read `{"question", "form"?, "actions"?}`; an action is a word, or `{"id", "label"?, "style"?, "reason"?}`."""
    body = mapping_at(ask, "ask")
    unknown = sorted(body.keys() - {"question", "form", "actions"})
    if unknown:
        raise AskRefused(unknown[0], "only question, form and actions are read here")
    question = text_at(body.get("question"), "question", MAX_QUESTION_CHARACTERS)
    form = mapping_at(body.get("form") or {}, "form")
    entries = optional_list(body.get("actions"), "actions")
    answers = tuple(_plain_action(entry, i) for i, entry in enumerate(entries))
    return (Pause("", question, _distinct(answers, "actions") or (ANSWER if form else RESPOND,), form=form),)


def _plain_action(entry: Any, position: int) -> OfferedAnswer:
    path = f"actions.{position}"
    if isinstance(entry, str):
        return _answer_of_word(text_at(entry, path, 64), position)
    fields = mapping_at(entry, path)
    answer = _answer_of_word(text_at(fields.get("id"), f"{path}.id", 64), position)
    style = optional_text(fields.get("style"), f"{path}.style", 64)
    if style and style not in STYLES:
        raise AskRefused(f"{path}.style", f"write one of {', '.join(STYLES)}")
    # A red button may refuse or delete. What it does not say in words, no deadline may do.
    is_agreement = style == "primary" and answer.meaning is Meaning.CHOOSE
    return replace(
        answer,
        meaning=Meaning.AGREE if is_agreement else answer.meaning,
        label=optional_text(fields.get("label"), f"{path}.label", 64) or answer.label,
        needs_text=fields.get("reason") in (True, "required"),
        style=style,
    )


def _answer_of_word(word: str, position: int) -> OfferedAnswer:
    """Return the answer for an agent's own word. Only words that plainly refuse or leave may end a deadline.

    Our ids are ASCII: an answer whose word has none of its letters is called after its position.
    """
    slug = re.sub(r"[^a-z0-9]+", "_", word.casefold()).strip("_")
    answer_id = slug if slug[:1].isalpha() else f"answer_{slug or position + 1}"
    meaning = Meaning.CHOOSE
    for words, words_meaning in (
        (APPROVING_WORDS, Meaning.AGREE),
        (REFUSING_WORDS, Meaning.REFUSE),
        (LEAVING_WORDS, Meaning.LEAVE),
    ):
        meaning = words_meaning if slug in words else meaning
    return OfferedAnswer(answer_id[:64], meaning, word, word.replace("_", " ").strip().capitalize() or word)


def _distinct(answers: tuple[OfferedAnswer, ...], path: str) -> tuple[OfferedAnswer, ...]:
    if len(answers) > MAX_ANSWERS:
        raise AskRefused(path, f"at most {MAX_ANSWERS} answers fit here")
    if len({answer.id for answer in answers}) < len(answers):
        raise AskRefused(path, "two answers have the same name")
    return answers


def write_plain(ask: Any, pauses: Sequence[Pause], decisions: Sequence[Decision]) -> Plain:
    """Write `{"action", "values", "reason"?}`."""
    decision = decisions[0]
    word = decision.answer.word if decision.answer else ""
    return {"action": word, "values": dict(decision.values), **({"reason": decision.text} if decision.text else {})}
