"""The world outside, which keeps its own account: what was done, under which key, on the disk before it answers."""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Lock, Thread
from typing import Any

LATE = 0.25
"""Seconds by which a late answer is late; what it is about was done before."""

MOODS = ("well",) * 14 + ("late",) * 3 + ("hangs up",) * 2 + ("refuses",)
"""How it takes a request: it hangs up after it has acted, and refuses (500) before it acts."""

WEBHOOK = "/webhook"
"""The path on which webhooks are taken."""


class Outside:
    """A server on this machine. What may be repeated is done once a key, as a good provider does; anything else is done
    as often as it is asked for."""

    def __init__(self, file: Path, chance: int) -> None:
        self._file = file.open("a")
        self._random = Random(chance)
        self._lock = Lock()
        self.effects: Counter[str] = Counter()
        self.moods: Counter[str] = Counter()
        self.told: dict[tuple[str, int], list[str]] = {}
        """The ids of the webhooks that told of a line, by conversation and number, in the order of their arrival."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"outside": self}))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def twice(self) -> list[str]:
        """Keys with more than one effect."""
        return [key for key, times in self.effects.items() if times > 1]

    def done_at(self, step: str) -> int:
        """How often something was done whose key begins so."""
        with self._lock:
            return sum(times for key, times in self.effects.items() if key.startswith(step))

    def act(self, key: str, *, repeatable: bool) -> None:
        """The effect, on the disk before anybody hears of it."""
        with self._lock:
            if repeatable and self.effects[key]:
                return
            self.effects[key] += 1
            self._file.write(f"{key}\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def hear(self, line: dict[str, Any], webhook_id: str) -> None:
        """A webhook tells of a line of a conversation."""
        with self._lock:
            self.told.setdefault((line["conversation"], line["number"]), []).append(webhook_id)

    def mood(self) -> str:
        with self._lock:
            mood = self._random.choice(MOODS)
            self.moods[mood] += 1
        return mood


class _Handler(BaseHTTPRequestHandler):
    """Answers what actions ask and webhooks tell."""

    outside: Outside

    def do_POST(self) -> None:
        asked = self._asked()
        if asked is None:
            self.close_connection = True
        elif self.path == WEBHOOK:
            self.outside.hear(asked["data"], self.headers["webhook-id"])
            self._answer({})
        else:
            self._act(asked)

    def _asked(self) -> dict[str, Any] | None:
        """The request's body; None if its sender was killed before it had sent all."""
        size = int(self.headers["Content-Length"])
        body = self.rfile.read(size)
        asked: dict[str, Any] | None = json.loads(body) if len(body) == size else None
        return asked

    def _act(self, asked: dict[str, Any]) -> None:
        mood = self.outside.mood()
        if mood == "refuses":
            self.send_error(500)
            return
        self.outside.act(asked["key"], repeatable=asked["repeatable"])
        if mood == "hangs up":
            self.close_connection = True
            return
        if mood == "late":
            time.sleep(LATE)
        self._answer({"reference": f"R-{len(self.outside.effects)}"})

    def _answer(self, body: dict[str, Any]) -> None:
        text = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):  # the server that asked may be dead
            self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def outside_world(folder: Path, chance: int) -> Iterator[Outside]:
    """The server, until the campaign is over."""
    outside = Outside(folder / "outside", chance)
    serving = Thread(target=outside._server.serve_forever, daemon=True)
    serving.start()
    try:
        yield outside
    finally:
        outside._server.shutdown()
        outside._server.server_close()
        outside._file.close()
