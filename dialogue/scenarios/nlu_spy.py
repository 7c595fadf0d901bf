"""Listening in on an understanding: what it makes of each message, before anything is masked for the record."""

from collections.abc import Callable

from dialogue.engine.language.compiler import Assistant
from dialogue.engine.ports.commands import Command
from dialogue.engine.understanding import NLU, NLUContext, Understanding


class Listener:
    """Builds an assistant's understanding, as `Ports.nlu` wants it; `heard` are the commands of the last message."""

    def __init__(self, build: Callable[[Assistant], NLU]) -> None:
        self._build = build
        self._built: dict[str, NLU] = {}
        self.heard: tuple[Command, ...] = ()

    def forget(self) -> None:
        """Have heard nothing."""
        self.heard = ()

    def __call__(self, assistant: Assistant) -> NLU:
        if assistant.digest not in self._built:
            self._built[assistant.digest] = self._build(assistant)
        return _Overheard(self._built[assistant.digest], self)


class _Overheard:
    def __init__(self, inner: NLU, listener: Listener) -> None:
        self._inner = inner
        self._listener = listener

    async def understand(self, message: str, context: NLUContext) -> Understanding:
        understanding = await self._inner.understand(message, context)
        self._listener.heard = understanding.commands
        return understanding
