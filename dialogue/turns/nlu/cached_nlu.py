"""Understanding that is not asked twice: an event's message has one understanding, in however many attempts."""

from dataclasses import dataclass

from dialogue.engine.understanding import NLU, NLUContext, Understanding
from dialogue.models import Event
from dialogue.turns.metrics import spent
from dialogue.turns.process.crash_points import fault
from dialogue.turns.process.database import in_thread
from dialogue.turns.process.turn_limiter import outside


@dataclass(frozen=True)
class Remembered:
    """The NLU port as turns use it. What a language model said is stored at once, because it was paid for; what costs
    nothing is stored with the turn."""

    inner: NLU
    event: Event

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        """What the event's message means: what was understood in an earlier attempt, or what `inner` says now."""
        if self.event.understanding is not None:
            return Understanding.from_json(self.event.understanding)
        with outside():
            found = await self.inner.understand(message, context)
        fault("A4")
        spent(found.usage)
        self.event.understanding = found.to_json()
        if found.usage.calls:
            await in_thread(self._keep)()
        fault("A5")
        return found

    def _keep(self) -> None:
        Event.objects.filter(pk=self.event.pk).update(understanding=self.event.understanding)
