"""Record what an NLU understands of each message, before redaction."""

from collections.abc import Callable

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports.commands import Command
from dialogue.engine.understanding import NLU, NLUContext, Understanding


class NLUSpy:
    """Builds an assistant's understanding, as `Ports.nlu` wants it; `commands` are the commands of the last message."""

    def __init__(self, build: Callable[[Assistant], NLU]) -> None:
        self._build = build
        self._built: dict[str, NLU] = {}
        self.commands: tuple[Command, ...] = ()

    def clear(self) -> None:
        """Forget the commands of the last message."""
        self.commands = ()

    def __call__(self, assistant: Assistant) -> NLU:
        if assistant.digest not in self._built:
            self._built[assistant.digest] = self._build(assistant)
        return _SpiedNLU(self._built[assistant.digest], self)


class _SpiedNLU:
    def __init__(self, inner: NLU, spy: NLUSpy) -> None:
        self._inner = inner
        self._spy = spy

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        understanding = await self._inner.understand(message, context)
        self._spy.commands = understanding.commands
        return understanding
