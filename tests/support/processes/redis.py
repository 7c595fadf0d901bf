"""A throw-away Redis on a port of this machine; it can be ended and started again."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from redis import Redis
from redis.exceptions import RedisError

from tests.support.processes.server import free_port

START_SECONDS = 20


class RedisDidNotStart(Exception):
    """It ended, or did not answer in time."""


class RedisServer:
    """One server that keeps nothing on disk, since the doorbell has nothing to keep."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        words = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)]
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(["redis-server", *words], stdout=log, stderr=log)
        self._wait_until_it_answers()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _wait_until_it_answers(self) -> None:
        until = time.monotonic() + START_SECONDS
        with Redis(port=self.port) as client:
            while time.monotonic() < until:
                try:
                    client.ping()
                except RedisError:
                    time.sleep(0.05)
                else:
                    return
        raise RedisDidNotStart((self.folder / "redis.log").read_text())


@contextmanager
def redis_server() -> Iterator[RedisServer]:
    with TemporaryDirectory(prefix="soni-redis-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()
