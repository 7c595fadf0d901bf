"""The product as a user starts it: `manage.py up` in a process of its own, which tests may end at any moment."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
STARTS_WITHIN = 180.0
ALL_END_WITHIN = 20.0
UNLIMITED = dict.fromkeys(
    ("SONI_OPENINGS_PER_ADDRESS", "SONI_MESSAGES_PER_CONVERSATION", "SONI_MESSAGES_PER_ADDRESS"), "0"
)
"""All clients of a test have one address, and say more in a minute than people do."""


class DidNotStart(Exception):
    """The server ended, or did not answer in time; the text is what it printed."""


@dataclass(frozen=True)
class Answer:
    """Status and JSON body of one HTTP answer."""

    status: int
    body: Any


def _json_or_nothing(body: bytes) -> Any:
    """A proxy whose servers are away answers in HTML."""
    try:
        return json.loads(body)
    except ValueError:
        return {}


class Client:
    """JSON over HTTP with one service; what it refuses is an answer too."""

    url: str

    def post(self, path: str, body: dict[str, Any], token: str = "", **headers: str) -> Answer:
        """POST JSON to the API."""
        return self._ask("POST", path, json.dumps(body).encode(), token, headers)

    def get(self, path: str, token: str = "") -> Answer:
        """GET JSON from the API."""
        return self._ask("GET", path, None, token, {})

    def _ask(self, method: str, path: str, body: bytes | None, token: str, headers: dict[str, str]) -> Answer:
        request = urllib.request.Request(self.url + path, body, method=method)
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return Answer(answer.status, json.load(answer))
        except urllib.error.HTTPError as refusal:
            return Answer(refusal.code, _json_or_nothing(refusal.read()))


class Server(Client):
    """One `manage.py up` on a folder of data. `stop` is kill -9: there is no kinder end to test."""

    def __init__(self, data: Path, **environment: str) -> None:
        self.data = data
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
            "SONI_DATA": str(data),
            **UNLIMITED,
            **environment,
        }
        self._process: subprocess.Popen[str] | None = None

    def start(self, *arguments: str) -> str:
        """Start and wait until it is ready; what it printed until then."""
        self.data.mkdir(parents=True, exist_ok=True)
        log = self.data / "server.log"
        with log.open("a") as out:
            began = out.tell()
            self._process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", str(self.port), *arguments],
                cwd=ROOT,
                env=self._environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                text=True,
            )
        self._wait_until_ready(log)
        return log.read_text()[began:]

    @property
    def process(self) -> int:
        """The running process's number."""
        if self._process is None:
            raise DidNotStart("it was not started")
        return self._process.pid

    def kill(self) -> None:
        """End the process as a power cut would."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def end_all(self) -> None:
        """Tell the process to end, if it runs, so that it ends the processes that it has started."""
        if self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self.end(signal.SIGTERM, ALL_END_WITHIN)

    def end(self, told: signal.Signals, within: float) -> int:
        """Tell the process to end; its exit status. Raises subprocess.TimeoutExpired if it does not end in time."""
        process, self._process = self._process, None
        if process is None:
            raise DidNotStart("it was not started")
        process.send_signal(told)
        try:
            return process.wait(within)
        finally:
            process.kill()
            process.wait()

    def set(self, **environment: str) -> None:
        """What the next start finds in its environment."""
        self._environment.update(environment)

    def manage(self, *arguments: str) -> str:
        """Run a management command on the same data; its output. Raises when it fails."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise AssertionError(f"{arguments} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def shell(self, code: str) -> str:
        """Run Python on the same data, with Django set up."""
        return self.manage("shell", "-v0", "-c", code)

    def _wait_until_ready(self, log: Path) -> None:
        until = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < until:
            if self._process is None or self._process.poll() is not None:
                raise DidNotStart(log.read_text())
            try:
                urllib.request.urlopen(f"{self.url}/health/ready", timeout=5).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise DidNotStart(log.read_text())


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(what: Any, within: float = 90.0) -> Any:
    """Call `what` until it gives something true; that. Fails with the last answer when the time is over."""
    until = time.monotonic() + within
    while True:
        found = what()
        if found or time.monotonic() > until:
            assert found, f"nothing within {within} s"
            return found
        time.sleep(0.1)
