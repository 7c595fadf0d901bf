"""Start the desk, end it by -9 at a named point, and decide gates over its API."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from campaigns.support.ready import copy_migrated
from tests.support.processes.server import ROOT, Answer, Client, free_port, wait_for

END_SECONDS = 180.0


class Desk(Client):
    """One desk with its data; at most one of its servers runs. It is started again on the same port."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._pid = 0
        self._log = (folder / "desk.log").open("a")
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
            "SONI_DATA": str(folder),
            "SONI_DEPLOYMENT": "embedded",
            "SONI_LOG_LEVEL": "ERROR",
            "NLU_EMBEDDED": "off",
            "DATABASE_URL": "",
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "conformance.desk_process"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self.cookie = str(self._command("prepare"))

    def start(self, point: str = "") -> None:
        """Start a server that ends at the first passage of this point, and wait until it listens."""
        self._pid = self._command("serve", port=self.port, point=point)
        wait_for(lambda: self._is_ready() or not self.lives(), END_SECONDS)

    def lives(self) -> bool:
        """Whether the server of the last start is still there."""
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return False
        return True

    def kill(self) -> None:
        """End the server by -9."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, 9)
        wait_for(lambda: not self.lives())

    def wait_for_end(self) -> bool:
        """Whether the server ended at its point; it has `END_SECONDS`."""
        until = time.monotonic() + END_SECONDS
        while self.lives() and time.monotonic() < until:
            time.sleep(0.02)
        return not self.lives()

    def decide(self, gate: str, who: str, action: str, values: dict[str, Any]) -> Answer:
        """Send one decision, again and again while no server answers; the key makes the repetitions one."""
        body = {"action": action, "values": values, "idempotency_key": f"{gate}-{who}"}
        until = time.monotonic() + END_SECONDS
        while True:
            with suppress(OSError, ValueError):
                answer = self.post(f"/api/v1/sessions/{gate}/submit", body, who)
                if answer.status < 500:
                    return answer
            if time.monotonic() > until:
                raise TimeoutError(f"{gate} could not be decided")
            time.sleep(0.1)

    def account(self, runs: list[str]) -> Any:
        """Return what is stored about these runs."""
        return self._command("account", runs=runs)

    def close(self) -> None:
        """End the server and the process that it is forked from."""
        if self._pid:
            self.kill()
        self._process.kill()
        self._process.communicate()
        self._log.close()

    def _is_ready(self) -> bool:
        try:
            return self.get("/health/ready").status == 200
        except OSError:
            return False

    def _command(self, do: str, **more: Any) -> Any:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@contextmanager
def desk_with_accounts() -> Iterator[Desk]:
    """A desk that runs, until the block ends."""
    with TemporaryDirectory(prefix="soni-kit-", ignore_cleanup_errors=True) as name:
        copy_migrated(Path(name))
        desk = Desk(Path(name))
        try:
            desk.start()
            yield desk
        finally:
            desk.close()
