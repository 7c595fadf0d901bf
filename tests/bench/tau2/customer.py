"""A customer who says what a wish contains, as commands, whenever the assistant asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dialogue.engine.actions import RegisteredActions
from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.engine.ports.commands import Affirm, CancelFlow, SetSlot, SkipSlot, StartFlow
from dialogue.engine.ports.tasks import CollectTask, ConfirmTask, HandoffTask
from tests.bench.tau2.actions import ShopActions
from tests.bench.tau2.shop import Shop
from tests.bench.tau2.wishes import Wish
from tests.support.engine.dialogue_harness import Talk

MAX_TURNS = 60
QUESTIONS = ("ask:", "confirm:")


@dataclass
class Answer:
    """What became of a wish: whether the flow reached its `done`, and what was said besides questions."""

    is_done: bool = False
    texts: list[str] = field(default_factory=list)


def shop_assistant() -> Assistant:
    """Return the shop's assistant."""
    folder = Path(__file__).parent / "assistant"
    return load_assistant({path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.yaml"))})


class Customer:
    """One conversation of a customer with the assistant about a shop."""

    def __init__(self, assistant: Assistant, shop: Shop, customer: str) -> None:
        self._talk = Talk(assistant)
        self._talk.actions = RegisteredActions(ShopActions(shop).registry(), "c1")
        self._identity = {"email": shop.users[customer]["email"]}
        self._asked: set[str] = set()

    async def ask_for(self, wish: Wish) -> Answer:
        """Have the wish carried out, and give it up when a value is refused."""
        answer = Answer()
        replacements = list(wish.replacements)
        values = {**self._identity, **wish.values}
        keys = await self._talk.does(StartFlow(wish.flow))
        for _ in range(MAX_TURNS):
            answer.is_done = answer.is_done or "say:done" in keys
            answer.texts += self._statements()
            task = self._talk.outcome.awaited
            if task is None or isinstance(task, HandoffTask):
                return answer
            keys = await self._talk.does(*self._reaction(task, values, replacements))
        raise RuntimeError(f"{wish.flow} asked more than {MAX_TURNS} questions: {self._talk.texts}")

    def _reaction(self, task: Any, values: dict[str, Any], replacements: list[str]) -> Sequence[Any]:
        match task:
            case CollectTask(slot="replacement", key=question) if question not in self._asked:
                self._asked.add(question)
                return [SetSlot("replacement", replacements.pop(0))]
            case CollectTask(slot=slot) if slot in values:
                # Each value is said once: if the assistant asks again, it has refused the value.
                return [SetSlot(slot, values.pop(slot))]
            case CollectTask(slot="known"):
                return [SkipSlot("known")]
            case ConfirmTask():
                return [Affirm()]
            case _:
                return [CancelFlow()]

    def _statements(self) -> list[str]:
        messages: list[Any] = list(self._talk.outcome.messages)
        return [message.text for message in messages if not message.key.startswith(QUESTIONS)]
