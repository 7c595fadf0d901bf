"""A cache of the understanding on the event: all attempts at a turn use the same one."""

from dataclasses import dataclass

from dialogue.engine.understanding import NLU, NLUContext, Understanding
from dialogue.models import Event
from dialogue.turns.metrics import count_usage
from dialogue.turns.process.crash_points import crash_point
from dialogue.turns.process.database import in_thread
from dialogue.turns.process.turn_limiter import waiting_outside


@dataclass(frozen=True)
class CachedNLU:
    """The NLU port of turns. A language model's answer is stored at once, because it was paid for; any other
    understanding is stored by the turn's commit."""

    inner: NLU
    event: Event

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        """Return the stored understanding of an earlier attempt, or ask `inner`."""
        if self.event.understanding is not None:
            return Understanding.from_json(self.event.understanding)
        with waiting_outside():
            understanding = await self.inner.understand(message, context)
        crash_point("A4")
        count_usage(understanding.usage)
        self.event.understanding = understanding.to_json()
        if understanding.usage.calls:
            await in_thread(self._store_answer)()
        crash_point("A5")
        return understanding

    def _store_answer(self) -> None:
        Event.objects.filter(pk=self.event.pk).update(understanding=self.event.understanding)
