"""Answers and help of a turn in a language model's words, where the settings want it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.conf import settings

from dialogue.engine.outcome import TurnOutcome
from dialogue.engine.sinks import BotMessage
from dialogue.models import Conversation
from dialogue.turns.backing import backing_of
from dialogue.turns.turnstile import outside
from dialogue.turns.understanding import chosen

if TYPE_CHECKING:
    from dialogue.nlu.rephrasing import Rephrased, Rephraser

REPHRASED = ("answer:", "explain:", "help")
"""Keys of the messages that may be said in other words; prompts, confirmations and results are the author's own."""


async def rephrased(outcome: TurnOutcome, conversation: Conversation, language: str) -> TurnOutcome:
    """The same outcome; its record keeps the original of what was said differently, and why something was not."""
    if not (settings.NLU_REPHRASE and settings.NLU_MODEL and any(map(_may_be, outcome.messages))):
        return outcome
    from dialogue.nlu.rephrasing import Rephraser

    wanted = chosen()
    rephraser = Rephraser(wanted, backing_of(conversation, wanted.model, wanted.budget))
    values = list(_shown(outcome))
    with outside():
        found = [await _said(rephraser, message, language, values) for message in outcome.messages]
    messages = tuple(replace(message, text=each.text) for message, each in zip(outcome.messages, found, strict=True))
    return replace(outcome, messages=messages, record=_noted(outcome, found))


async def _said(rephraser: "Rephraser", message: BotMessage, language: str, values: list[str]) -> "Rephrased":
    from dialogue.nlu.rephrasing import Rephrased

    return await rephraser.rephrase(message.text, language, values) if _may_be(message) else Rephrased(message.text)


def _may_be(message: BotMessage) -> bool:
    return message.key.startswith(REPHRASED)


def _shown(outcome: TurnOutcome) -> Iterator[str]:
    """Every value that the conversation holds, as it is shown."""
    for slots in (outcome.slots, *(frame["slots"] for frame in outcome.stack)):
        yield from (str(each["shown"]) for each in slots.values() if each.get("shown"))


def _noted(outcome: TurnOutcome, found: list["Rephrased"]) -> dict[str, Any]:
    pairs = [(message, each) for message, each in zip(outcome.messages, found, strict=True) if _may_be(message)]
    notes = [{"key": message.key, "text": message.text, "note": each.note} for message, each in pairs]
    usage = dict(outcome.record.get("usage", {}))
    for name in ("calls", "prompt_tokens", "completion_tokens"):
        usage[name] = usage.get(name, 0) + sum(getattr(each.usage, name) for each in found)
    return {**outcome.record, "usage": usage, "rephrased": notes}
