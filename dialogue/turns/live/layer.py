"""The channel layer without Redis: Channels' layer in memory, without a search at every notification."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from channels.exceptions import ChannelFull
from channels.layers import InMemoryChannelLayer

CLEANING_SECONDS = 1.0
"""Time between two searches for expired messages, which Channels drops when they are a minute old."""


class MemoryLayer(InMemoryChannelLayer):
    """Channels' layer in memory, which searches for expired messages once a second.

    Channels searches all open sockets at each sending and at each waiting: with a thousand sockets that costs four
    times a quarter of a millisecond a turn.
    """

    relay: Callable[[str, dict[str, Any]], None] | None = None
    """Takes what is sent to a group, for the other processes of `up --workers N`."""

    def __init__(self, *args: Any, seconds: Callable[[], float] = monotonic, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._seconds = seconds
        self._cleaned_at = -CLEANING_SECONDS

    def _clean_expired(self) -> None:
        now = self._seconds()
        if abs(now - self._cleaned_at) >= CLEANING_SECONDS:
            self._cleaned_at = now
            super()._clean_expired()  # type: ignore[misc]

    async def group_send(self, group: str, message: dict[str, Any]) -> None:
        """Send to every member, in this process and over `relay`."""
        await self.send_here(group, message)
        if self.relay is not None:
            self.relay(group, message)

    async def send_here(self, group: str, message: dict[str, Any]) -> None:
        """Send to every member in this process, without tasks: sending in memory never waits. Full ones are skipped."""
        self.require_valid_group_name(group)
        self._clean_expired()
        for channel in list(self.groups.get(group, ())):
            with suppress(ChannelFull):
                await self.send(channel, message)
