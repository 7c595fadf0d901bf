"""The rephrasing of a turn's answers and help by a language model, where the settings ask for it."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dialogue.conf import soni
from dialogue.engine.ports.sinks import BotMessage, DisplayValues
from dialogue.models import Conversation
from dialogue.turns.nlu.stores import stores_for
from dialogue.turns.nlu.understanding import chosen
from dialogue.turns.process.turn_limiter import waiting_outside

if TYPE_CHECKING:
    from dialogue.nlu.llm.rephrasing import RephrasedText

REPHRASED = ("answer:", "explain:", "help")
"""How keys of messages begin that may be rephrased; prompts, confirmations and results keep the author's words."""


@dataclass
class TurnRephrasing:
    """The reply filter that rephrases messages of one turn, and the account of what it changed."""

    conversation: Conversation
    language: str
    replies: "list[tuple[BotMessage, RephrasedText]]" = field(default_factory=list)

    async def filter_reply(self, message: BotMessage, values: DisplayValues) -> BotMessage:
        """Return the message in the model's words. The model does not see `values()`."""
        if not message.key.startswith(REPHRASED) or not (soni.NLU_REPHRASE and soni.NLU_MODEL):
            return message
        from dialogue.nlu.llm.rephrasing import Rephraser  # loaded only where replies are rephrased

        hidden_values = [value for value in values() if value]
        settings = chosen()
        rephraser = Rephraser(settings, stores_for(self.conversation, settings.model, settings.budget))
        with waiting_outside():
            reply = await rephraser.rephrase(message.text, self.language, hidden_values)
        self.replies.append((message, reply))
        return replace(message, text=reply.text)

    def noted_in(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return `record` with the model's usage added, and under `rephrased` the originals: `[{key, text, note}]`.

        A `note` says why a message kept its own words.
        """
        if not self.replies:
            return record
        notes = [{"key": message.key, "text": message.text, "note": reply.note} for message, reply in self.replies]
        usage = dict(record.get("usage", {}))
        for name in ("calls", "prompt_tokens", "completion_tokens"):
            usage[name] = usage.get(name, 0) + sum(getattr(reply.usage, name) for _, reply in self.replies)
        return {**record, "usage": usage, "rephrased": notes}
