"""What every program shares: ask the desk over HTTP until an answer is there, and say what happened.

A program is started once and reads its runs from its input, one JSON object a line: `{"run": id, "timeout": "30m"}`.
It prints one JSON line, marked by `MARK`, for each thing that happens: `asked`, `answer`, `tool` and `end`.
Only the standard library is used, so that it runs beside any framework; `soni_client` needs httpx in its environment.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import queue
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

MARK = "@desk "
PATIENCE_SECONDS = 240.0
ORDER = {"order_id": "W4120331", "amount": 420}
"""What every program proposes to refund."""
QUESTION = "May I refund this order?"

Run = dict[str, Any]


def tell(run: Run, what: str, value: Any = None) -> None:
    """Print one thing that happened in a run."""
    line = MARK + json.dumps({"run": run["run"], "what": what, "value": value})
    sys.stdout.write(f"\n{line}\n")  # in one piece, and on a line of its own: frameworks print too, from other threads
    sys.stdout.flush()


def refund(run: Run, **args: Any) -> str:
    """Refund an order: the tool of every program. It tells its arguments, and does nothing else."""
    tell(run, "tool", args)
    return f"refunded {args['amount']}"


def serve(program: Callable[[Run], Any]) -> None:
    """Run the program for each line of the input; what it returns or raises is its end."""
    print(MARK + json.dumps({"run": "", "what": "ready", "value": None}), flush=True)
    for line in sys.stdin:
        run = json.loads(line)
        try:
            tell(run, "end", str(program(run)))
        except Exception as error:
            tell(run, "failed", "".join(traceback.format_exception(error))[-3000:])


def ask_desk(run: Run, dialect: str, ask: Any, on_timeout: str = "reject") -> Any:
    """Post a pause and return the answer in its dialect, waiting for it through every restart of the desk."""
    callbacks = _Callbacks() if run.get("webhook") else None
    body = {
        "id": run["run"],
        "dialect": dialect,
        "ask": ask,
        "source": {"name": dialect, "thread": run["run"]},
        "timeout": run.get("timeout", "30m"),
        "on_timeout": on_timeout,
        **({"callback": callbacks.url} if callbacks else {}),
    }
    view = _call("POST", "/api/v1/requests", body)
    tell(run, "asked", [session["session"] for session in view["sessions"]])
    if callbacks:
        view = callbacks.wait(view["callback_secret"])
    while view["state"] == "waiting":
        view = _call("GET", f"/api/v1/requests/{run['run']}?wait=20")
    tell(run, "answer", {"answer": view["answer"], "state": view["state"]})
    return view["answer"]


class DeskClient:
    """The client that an adapter of `soni_client` asks with: its requests have the run's id, and tell what happens."""

    def __init__(self, run: Run) -> None:
        self._run = run

    def ask(self, ask: Any, **options: Any) -> Any:
        """Ask the desk, and wait; the answer has what adapters read of it."""
        answer = ask_desk(self._run, options["dialect"], ask, options["on_timeout"])
        return SimpleNamespace(id=options["id"], state="" if answer else "expired", answer=answer)


class AsyncDeskClient(DeskClient):
    """The same with asyncio."""

    async def ask(self, ask: Any, **options: Any) -> Any:
        """Ask the desk in a thread."""
        return await asyncio.to_thread(DeskClient(self._run).ask, ask, **options)


class DeskRequests:
    """The requests of a client that an adapter polls with: a run has one, with the run's id, and tells what happens."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._is_asked = False

    def create(self, ask: Any, **options: Any) -> Any:
        """Post the pause, or find its request."""
        view = _call("POST", "/api/v1/requests", {**options, "ask": ask, "id": self._run["run"]})
        if not self._is_asked:
            self._is_asked = True
            tell(self._run, "asked", [session["session"] for session in view["sessions"]])
        return view

    def get(self, request_id: str) -> Any:
        """Read the answer."""
        view = _call("GET", f"/api/v1/requests/{request_id}")
        tell(self._run, "answer", {"answer": view["answer"], "state": view["state"]})
        return view


def _call(method: str, path: str, body: Any = None) -> Any:
    """Return the JSON of an answer. A desk that is away, or fails, is asked again; a refusal raises RuntimeError."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        request = urllib.request.Request(os.environ["DESK_URL"] + path, method=method)
        request.add_header("Authorization", f"Bearer {os.environ['DESK_TOKEN']}")
        request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, None if body is None else json.dumps(body).encode(), 60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            if refusal.code < 500 and refusal.code != 429:
                raise RuntimeError(f"{refusal.code} {refusal.read().decode()}") from None
        except (OSError, ValueError):
            pass
        if time.monotonic() > until:
            raise TimeoutError(path)
        time.sleep(0.2)


class _Callbacks:
    """An address on this machine that takes one signed answer, as often as it is sent, and acts on it once."""

    def __init__(self) -> None:
        self._bodies: queue.Queue[tuple[dict[str, str], bytes]] = queue.Queue()
        callbacks = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                callbacks._bodies.put(({name.lower(): text for name, text in self.headers.items()}, body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/answers"

    def wait(self, secret: str) -> Any:
        """Return the first answer. Every further one has to be the same, under the same id."""
        headers, body = self._bodies.get(timeout=PATIENCE_SECONDS)
        if not is_genuine(secret, headers, body):
            raise RuntimeError("the callback's signature is wrong")
        threading.Thread(target=self._compare, args=(headers, body), daemon=True).start()
        return json.loads(body)

    def _compare(self, first: dict[str, str], body: bytes) -> None:
        while True:
            headers, again = self._bodies.get()
            if headers["webhook-id"] != first["webhook-id"] or json.loads(again) != json.loads(body):
                tell({"run": json.loads(body)["id"]}, "failed", "two decisions")


def is_genuine(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Whether a callback is signed as Standard Webhooks says."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, part) for part in headers["webhook-signature"].split(" "))
