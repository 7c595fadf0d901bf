"""Answers and help of a turn in a language model's words, where the settings want it."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dialogue.conf import soni
from dialogue.engine.ports.sinks import BotMessage, DisplayValues
from dialogue.models import Conversation
from dialogue.turns.nlu.stores import stores_for
from dialogue.turns.nlu.understanding import chosen
from dialogue.turns.process.turn_limiter import waiting_outside

if TYPE_CHECKING:
    from dialogue.nlu.llm.rephrasing import RephrasedText, Rephraser

REPHRASED = ("answer:", "explain:", "help")
"""Keys of the messages that may be said in other words; prompts, confirmations and results are the author's own."""


@dataclass
class TurnRephrasing:
    """The rephrasing of one turn's messages, each as it is said, and the account of it."""

    conversation: Conversation
    language: str
    replies: "list[tuple[BotMessage, RephrasedText]]" = field(default_factory=list)

    async def rephrase(self, message: BotMessage, shown: DisplayValues) -> BotMessage:
        """The message as it is to be said. `shown` are the values that the model must not see."""
        if not message.key.startswith(REPHRASED) or not (soni.NLU_REPHRASE and soni.NLU_MODEL):
            return message
        values = [value for value in shown() if value]
        with waiting_outside():
            reply = await self._rephraser().rephrase(message.text, self.language, values)
        self.replies.append((message, reply))
        return replace(message, text=reply.text)

    def noted_in(self, record: dict[str, Any]) -> dict[str, Any]:
        """The turn's record, with the original of what was said differently, and why something was not."""
        if not self.replies:
            return record
        notes = [{"key": message.key, "text": message.text, "note": reply.note} for message, reply in self.replies]
        usage = dict(record.get("usage", {}))
        for name in ("calls", "prompt_tokens", "completion_tokens"):
            usage[name] = usage.get(name, 0) + sum(getattr(reply.usage, name) for _, reply in self.replies)
        return {**record, "usage": usage, "rephrased": notes}

    def _rephraser(self) -> "Rephraser":
        from dialogue.nlu.llm.rephrasing import Rephraser

        wanted = chosen()
        return Rephraser(wanted, stores_for(self.conversation, wanted.model, wanted.budget))
