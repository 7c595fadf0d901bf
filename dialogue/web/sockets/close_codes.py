"""How a socket ends under Daphne: with the code that was asked for."""

from typing import Any

from daphne.ws_protocol import WebSocketProtocol  # type: ignore[import-untyped]

NORMAL = 1000


def close_with_any_code() -> None:
    """Let consumers close with the protocol's own codes too: 1011, 1012, 1013.

    Daphne closes by a call of autobahn's that is meant for applications and raises for these; whoever should have been
    told then hears 1006, or, from a task beside the consumer, nothing at all. The frame itself may carry them.
    """
    WebSocketProtocol.serverClose = _close


def _close(protocol: Any, code: int | None = None) -> None:
    protocol.sendCloseFrame(code=NORMAL if code is None else code)
