"""Lookups during a turn: questions to the knowledge port and help texts. Each has a time limit, and may fail."""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from time import perf_counter
from typing import TypeVar

from dialogue.engine.knowledge import AssistantHelp, AssistantKnowledge, KnowledgeBase, Passage, Question, call_port
from dialogue.engine.nlu_context import nlu_context, redact_sensitive
from dialogue.engine.slots.redaction import one_line
from dialogue.engine.stack.turn import Turn

log = logging.getLogger(__name__)

MAX_PASSAGES = 3
Result = TypeVar("Result")


async def look_up_passages(turn: Turn, topic: str) -> Sequence[Passage]:
    """Return passages that answer the message, from the project's knowledge port or else from the assistant's texts."""
    question = Question(redacted_user_text(turn), topic, nlu_context(turn))
    port = turn.context.knowledge
    if port is not None:
        passages = await _run_limited(turn, _port_name(port), _ask_port(port, question), [])
        turn.record.lookups[-1] |= {"sources": [passage.source for passage in passages]}
        if passages:
            return passages
    return await AssistantKnowledge(turn.assistant).answer(question)


async def _ask_port(port: KnowledgeBase, question: Question) -> list[Passage]:
    """Return the port's passages with text, at most MAX_PASSAGES. None counts as no answer."""
    answer: Sequence[Passage] | None = await call_port(port.answer, question)
    return [passage for passage in answer or () if passage.text.strip()][:MAX_PASSAGES]


async def help_text(turn: Turn) -> str:
    """Return what the assistant can do: the project's own help text, or else the titles of the flows."""
    context, port = nlu_context(turn), turn.context.helper
    if port is not None:
        text: str = await _run_limited(turn, _port_name(port), call_port(port.help, context), "")
        if text:
            return text
    return await AssistantHelp(turn.assistant).help(context)


def redacted_user_text(turn: Turn) -> str:
    """Return what the user wrote in this turn, with known sensitive values redacted."""
    return redact_sensitive(turn, str(turn.event.get("text", turn.event.get("value", ""))))


def _port_name(port: object) -> str:
    return str(getattr(port, "name", type(port).__name__))


async def _run_limited(turn: Turn, name: str, lookup: Awaitable[Result], fallback: Result) -> Result:
    """Await a lookup for at most `lookup_seconds`. If it fails or is late, return the fallback and record why."""
    started_at, note = perf_counter(), ""
    result = fallback
    try:
        async with asyncio.timeout(turn.context.lookup_seconds):
            result = await lookup
    except TimeoutError:
        note = "no answer in time"
    except Exception as error:  # a project's port may raise anything, and the conversation must go on
        note = f"{type(error).__name__}: {error}"
    if note:
        log.warning("The lookup %s gave no result: %s", name, one_line(note))
    milliseconds = round((perf_counter() - started_at) * 1_000, 1)
    turn.record.lookups.append({"part": name, "milliseconds": milliseconds, **({"note": note} if note else {})})
    return result
