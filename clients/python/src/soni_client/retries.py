"""When a call is sent again, and after how long."""

from collections.abc import Mapping
from time import monotonic

import httpx

from soni_client.errors import Unreachable
from soni_client.steps import Call

RETRY_SECONDS = 120.0
"""How long a call is repeated while the server does not answer, unless the client says another time."""
MAX_PAUSE_SECONDS = 10.0
REOPEN_SECONDS = 0.5
"""Pause before a stream that the server ended is opened again."""
TRY_AGAIN = frozenset({429, 502, 503, 504})
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures before anything was sent: every call may be repeated after them."""


class Retries:
    """The attempts of one call."""

    def __init__(self, call: Call, seconds: float) -> None:
        self._call = call
        self._until = monotonic() + seconds
        self._attempts = 0

    def pause_after_failure(self, error: httpx.TransportError) -> float:
        """Return the seconds to wait before the next attempt. Raises Unreachable if there is none."""
        if not self._call.repeatable and not isinstance(error, NOT_SENT):
            raise Unreachable(f"{type(error).__name__}: {error}; whether the call arrived is unknown") from error
        pause = self._next_pause()
        if pause is None:
            raise Unreachable(f"{type(error).__name__}: {error}") from error
        return pause

    def pause_after_status(self, status: int, headers: Mapping[str, str]) -> float | None:
        """Return the seconds to wait before the next attempt; None if this answer counts."""
        if status not in TRY_AGAIN or not (self._call.repeatable or status == 429):
            return None
        wished = headers.get("retry-after", "")
        return self._next_pause(float(wished) if wished.isdecimal() else 0.0)

    def _next_pause(self, wished: float = 0.0) -> float | None:
        pause = max(wished, min(0.2 * 2**self._attempts, MAX_PAUSE_SECONDS))
        self._attempts += 1
        return pause if monotonic() + pause < self._until else None
