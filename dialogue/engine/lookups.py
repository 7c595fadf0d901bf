"""Lookups during a turn: a question to the knowledge, a word of help. Each has a time limit, and may fail."""

import asyncio
import logging
from collections.abc import Awaitable, Sequence
from time import perf_counter
from typing import TypeVar

from dialogue.engine.knowledge import AssistantHelp, AssistantKnowledge, KnowledgeBase, Passage, Question, call_port
from dialogue.engine.nlu_context import nlu_context, without_secrets
from dialogue.engine.slots.redaction import one_line
from dialogue.engine.stack.turn import Turn

log = logging.getLogger(__name__)

MAX_PASSAGES = 3
Found = TypeVar("Found")


async def look_up_passages(turn: Turn, topic: str) -> Sequence[Passage]:
    """The answer to what the user wrote: from the project's knowledge, else from what the author wrote down."""
    question = Question(redacted_user_text(turn), topic, nlu_context(turn))
    port = turn.context.knowledge
    if port is not None:
        passages = await _limited(turn, _name_of(port), _passages(port, question), [])
        turn.record.lookups[-1] |= {"sources": [passage.source for passage in passages]}
        if passages:
            return passages
    return await AssistantKnowledge(turn.assistant).answer(question)


async def _passages(port: KnowledgeBase, question: Question) -> list[Passage]:
    """What the port answers; None is no answer."""
    answer: Sequence[Passage] | None = await call_port(port.answer, question)
    return [passage for passage in answer or () if passage.text.strip()][:MAX_PASSAGES]


async def help_text(turn: Turn) -> str:
    """What the assistant can do, as the project says it where the conversation stands, else the flows' titles."""
    context, port = nlu_context(turn), turn.context.helper
    if port is not None:
        told: str = await _limited(turn, _name_of(port), call_port(port.help, context), "")
        if told:
            return told
    return await AssistantHelp(turn.assistant).help(context)


def redacted_user_text(turn: Turn) -> str:
    """What the user wrote in this turn, without the sensitive values that are known."""
    return without_secrets(turn, str(turn.event.get("text", turn.event.get("value", ""))))


def _name_of(port: object) -> str:
    return str(getattr(port, "name", type(port).__name__))


async def _limited(turn: Turn, name: str, work: Awaitable[Found], otherwise: Found) -> Found:
    """What is found in time; a port that fails or is slow has found nothing, and the record says so."""
    began, note = perf_counter(), ""
    found = otherwise
    try:
        async with asyncio.timeout(turn.context.lookup_seconds):
            found = await work
    except TimeoutError:
        note = "no answer in time"
    except Exception as error:  # a project's port may raise anything, and the conversation must go on
        note = f"{type(error).__name__}: {error}"
    if note:
        log.warning("%s found nothing: %s", name, one_line(note))
    milliseconds = round((perf_counter() - began) * 1_000, 1)
    turn.record.lookups.append({"part": name, "milliseconds": milliseconds, **({"note": note} if note else {})})
    return found
