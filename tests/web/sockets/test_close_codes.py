"""A socket's end tells why."""

import pytest
from daphne.ws_protocol import WebSocketProtocol  # type: ignore[import-untyped]

from dialogue.web.sockets.close_codes import (
    INTERNAL_ERROR,
    NOT_SIGNED_IN,
    RIGHT_LOST,
    TOO_FAST,
    TOO_LARGE,
    TOO_SLOW,
    UNKNOWN,
    allow_protocol_close_codes,
)


@pytest.fixture
def daphne(monkeypatch):
    """A socket of Daphne's that is open and keeps what it sends."""
    monkeypatch.setattr(WebSocketProtocol, "serverClose", WebSocketProtocol.serverClose)
    allow_protocol_close_codes()
    socket = WebSocketProtocol()
    socket.state, socket.closeHandshakeTimeout, socket.sent = WebSocketProtocol.STATE_OPEN, 0, []
    socket.sendFrame = lambda opcode, payload: socket.sent.append((opcode, int.from_bytes(payload, "big")))
    return socket


@pytest.mark.parametrize("code", [NOT_SIGNED_IN, RIGHT_LOST, UNKNOWN, TOO_LARGE, TOO_FAST, TOO_SLOW, INTERNAL_ERROR])
def test_every_code_that_a_consumer_closes_with_reaches_the_client(daphne, code):
    daphne.handle_reply({"type": "websocket.close", "code": code})

    assert daphne.sent == [(8, code)]


def test_a_close_without_a_code_is_a_normal_one(daphne):
    daphne.handle_reply({"type": "websocket.close"})

    assert daphne.sent == [(8, 1000)]
