"""The doorbell of a single process: Channels' own layer in memory, without a search at every ring."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer

EVERY = 1.0
"""Seconds between two searches for what nobody fetched; it is thrown away when it is a minute old."""


class MemoryLayer(InMemoryChannelLayer):
    """Channels looks through all open sockets whenever anybody rings, and whenever anybody waits for the next ring:
    with a thousand of them four times a quarter of a millisecond for each turn. Here it does so now and then."""

    def __init__(self, *args: Any, seconds: Callable[[], float] = monotonic, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._seconds = seconds
        self._cleaned_at = -EVERY

    def _clean_expired(self) -> None:
        now = self._seconds()
        if abs(now - self._cleaned_at) >= EVERY:
            self._cleaned_at = now
            super()._clean_expired()  # type: ignore[misc]

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Put the message before every member, one after the other: nothing here has to be waited for."""
        self.require_valid_group_name(group)
        self._clean_expired()
        for channel in list(self.groups.get(group, ())):
            with suppress(ChannelFull):
                await self.send(channel, message)
