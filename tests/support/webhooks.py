"""A program that takes webhooks on this machine, for tests of what is sent to it."""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from dialogue.desk.webhooks import signed_posts

Got = tuple[dict[str, str], bytes]


class Receiver:
    """Takes posts and answers with `status` and `text`; `before_answer` runs when a post has come in."""

    def __init__(self) -> None:
        self.status, self.text = 204, b""
        self.got: list[Got] = []
        self.before_answer: Callable[[BaseHTTPRequestHandler], None] = lambda _handler: None
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                receiver.before_answer(self)
                self.send_response(receiver.status)
                self.send_header("Location", f"{receiver.url}/elsewhere")
                self.end_headers()
                self.wfile.write(receiver.text)

            def log_message(self, *_args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://localhost:{self.server.server_port}/hook"

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What came, in its order."""
        return [json.loads(body) for _headers, body in self.got]

    @property
    def types(self) -> list[str]:
        return [body["type"] for body in self.bodies]


@contextmanager
def running_receiver(patch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """A receiver that runs; its address, which is neither https nor public, is allowed meanwhile."""
    receiver = Receiver()
    patch.setattr(signed_posts, "SCHEMES", ("https", "http"))
    patch.setattr(signed_posts, "is_public", lambda _address: True)
    thread = Thread(target=receiver.server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        thread.join()
        receiver.server.server_close()


def is_signed(got: Got, secret: str) -> bool:
    """Whether one of the signatures is this secret's: the check of the specification, written down once more."""
    headers, body = got
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return expected in headers["webhook-signature"].split(" ")
