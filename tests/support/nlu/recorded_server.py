"""A server as OpenAI-compatible ones are; it says what a test told it to say, and keeps what it was asked."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What one call gets: a text in the usual envelope, or with `raw` these bytes."""

    text: str = ""
    status: int = 200
    seconds: float = 0.0
    raw: bytes | None = None
    half: bool = False


@dataclass
class Recorded:
    """The last answer is given again and again."""

    address: str
    answers: list[Answer] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def will_say(self, *answers: Answer | str) -> None:
        self.answers = [Answer(each) if isinstance(each, str) else each for each in answers]

    def next(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def prompt(self, call: int = -1) -> str:
        """Everything that the model was shown in one call."""
        return "\n".join(str(message["content"]) for message in self.asked[call]["messages"])


def commands(*said: Sequence[str]) -> str:
    """An answer in the demanded form: ("start_flow", "pay_fine"), ("set_slot", "amount", "5")."""
    padded = [(*each, "", "")[:3] for each in said]
    return json.dumps(
        {"commands": [{"command": command, "name": name, "value": value} for command, name, value in padded]}
    )


@contextmanager
def recorded_server(kind: type[Recorded] = Recorded) -> Iterator[Recorded]:
    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.recorded = kind(f"http://127.0.0.1:{server.server_port}/v1")  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield server.recorded  # type: ignore[attr-defined]
    finally:
        server.shutdown()
        server.server_close()


class Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone, because the test is about not waiting."""


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        recorded: Recorded = self.server.recorded  # type: ignore[attr-defined]
        recorded.asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        recorded.keys.append(self.headers.get("Authorization", ""))
        answer = recorded.next()
        time.sleep(answer.seconds)
        body = answer.raw if answer.raw is not None else json.dumps(_envelope(answer)).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if answer.half else body)

    def log_message(self, *words: object) -> None:
        """Tests are silent."""


def _envelope(answer: Answer) -> dict[str, Any]:
    if answer.status != 200:
        return {"error": {"message": "refused", "type": "error", "code": str(answer.status)}}
    message = {"role": "assistant", "content": answer.text}
    return {
        "id": "answer-1",
        "object": "chat.completion",
        "created": 1,
        "model": "recorded",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }
