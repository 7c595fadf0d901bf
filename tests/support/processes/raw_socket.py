"""A WebSocket by hand: it sends what no well-behaved client would, and tells what came back."""

import base64
import json
import os
import socket
import struct
from typing import Any

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


class Closed(Exception):
    """The server has closed the socket; `code` is the one that it gave, 1006 for none."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class RawSocket:
    """One open connection to `/ws/…` of a server on this machine."""

    def __init__(self, port: int, path: str, wait: float = 20.0) -> None:
        self._line = socket.create_connection(("127.0.0.1", port), timeout=wait)
        self._read = b""
        key = base64.b64encode(os.urandom(16)).decode()
        place = f"127.0.0.1:{port}"
        self._line.sendall(
            f"GET {path} HTTP/1.1\r\nHost: {place}\r\nOrigin: http://{place}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = self._until(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise Closed(1006)

    def __enter__(self) -> "RawSocket":
        return self

    def __exit__(self, *ending: object) -> None:
        self._line.close()

    def send(self, payload: bytes, kind: int = TEXT) -> None:
        """One masked frame, whatever is in it."""
        mask = os.urandom(4)
        try:
            self._line.sendall(bytes([0x80 | kind]) + _length(len(payload)) + mask + _masked(payload, mask))
        except ConnectionError:
            raise Closed(1006) from None

    def say(self, **frame: Any) -> None:
        self.send(json.dumps(frame).encode())

    def hear(self, *types: str) -> dict[str, Any]:
        """The next JSON frame, or the next of these types. Raises Closed, TimeoutError."""
        while True:
            kind, payload = self._frame()
            if kind == CLOSE:
                raise Closed(struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else 1005)
            if kind != TEXT:
                continue
            frame: dict[str, Any] = json.loads(payload)
            if not types or frame["type"] in types:
                return frame

    def _frame(self) -> tuple[int, bytes]:
        first, second = self._take(2)
        size = second & 0x7F
        if size > 125:
            size = int.from_bytes(self._take(2 if size == 126 else 8), "big")
        return first & 0x0F, self._take(size)

    def _take(self, size: int) -> bytes:
        while len(self._read) < size:
            self._more()
        taken, self._read = self._read[:size], self._read[size:]
        return taken

    def _until(self, end: bytes) -> bytes:
        while end not in self._read:
            self._more()
        head, _, self._read = self._read.partition(end)
        return head

    def _more(self) -> None:
        try:
            got = self._line.recv(65536)
        except ConnectionError:
            raise Closed(1006) from None
        if not got:
            raise Closed(1006)
        self._read += got


def _length(size: int) -> bytes:
    if size < 126:
        return bytes([0x80 | size])
    return b"\xfe" + struct.pack("!H", size) if size < 65536 else b"\xff" + struct.pack("!Q", size)


def _masked(payload: bytes, mask: bytes) -> bytes:
    key = int.from_bytes((mask * (len(payload) // 4 + 1))[: len(payload)], "big")
    return (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")
