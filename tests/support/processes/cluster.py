"""The scaled deployment on this machine: servers and workers as processes, PostgreSQL, Redis, and the proxy."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.support.processes.postgres import PostgresServer, postgres_server
from tests.support.processes.redis import RedisServer, redis_server
from tests.support.processes.server import ROOT, STARTS_WITHIN, UNLIMITED, Client, DidNotStart, free_port, wait_for

SEED = "from dialogue.library.demo.seed import seed_demo; seed_demo()"


class Member:
    """One process of the cluster, which tests may end at any moment."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.name = name
        self.log = log
        self._command = command
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._log_start = 0

    def start(self) -> None:
        self._log_start = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as out:
            self._process = subprocess.Popen(
                self._command, cwd=ROOT, env=self._environment, stdout=out, stderr=subprocess.STDOUT
            )

    def has_logged(self, words: str) -> bool:
        """Whether the process has written these words since its last start."""
        return words.encode() in self.log.read_bytes()[self._log_start :]

    def kill(self) -> None:
        """End the process as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def end(self, told: signal.Signals, within: float) -> int:
        """Tell the process to end; its exit status. Raises subprocess.TimeoutExpired if it does not end in time."""
        process, self._process = self._process, None
        assert process is not None
        process.send_signal(told)
        try:
            return process.wait(within)
        finally:
            process.kill()
            process.wait()


class Cluster(Client):
    """Two servers and two workers behind the proxy, whose address is `url`."""

    def __init__(
        self, folder: Path, postgres: PostgresServer, redis: RedisServer, environment: Mapping[str, str]
    ) -> None:
        self.folder, self.postgres, self.redis = folder, postgres, redis
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
            "DATABASE_URL": postgres.dsn,
            "REDIS_URL": redis.url,
            "SONI_DEPLOYMENT": "scaled",
            "SONI_DATA": str(folder / "data"),
            **UNLIMITED,
            **environment,
        }
        ports = [free_port(), free_port()]
        self.servers = [self._member(f"server-{port}", "-m", "daphne", *daphne_words(port)) for port in ports]
        self.workers = [self._member(f"worker-{each}", "manage.py", "worker") for each in (1, 2)]
        self.proxy = Member("proxy", self._proxied(ports), self._environment, folder / "proxy.log")
        self._addresses = [f"http://127.0.0.1:{port}" for port in ports]

    @property
    def members(self) -> list[Member]:
        return [*self.servers, *self.workers, self.proxy]

    def fill(self, *, seed: bool) -> None:
        """Bring the database up to date, and give an empty one the demo."""
        self.manage("migrate", "-v0")
        if seed:
            self.shell(SEED)

    def start(self) -> None:
        for member in self.members:
            member.start()
        self.wait_until_servers_ready()

    def use(self, database: str) -> None:
        """From their next start on, all members work on this database."""
        self._environment["DATABASE_URL"] = database

    def kill(self) -> None:
        for member in self.members:
            member.kill()

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

    def wait_until_servers_ready(self) -> None:
        """Wait for each server and the proxy."""
        for address in (*self._addresses, self.url):
            self.wait_until_ready(address)

    def wait_until_workers_ready(self) -> None:
        for worker in self.workers:
            wait_for(partial(worker.has_logged, "Waiting for work"), STARTS_WITHIN)

    def wait_until_ready(self, address: str = "") -> None:
        until = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < until:
            try:
                urllib.request.urlopen(f"{address or self.url}/health/ready", timeout=5).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise DidNotStart("\n".join(member.log.read_text() for member in self.members if member.log.exists()))

    def _member(self, name: str, *words: str) -> Member:
        return Member(name, [sys.executable, *words], self._environment, self.folder / f"{name}.log")

    def _proxied(self, ports: list[int]) -> list[str]:
        return proxy_words(self.folder, self.port, ports)


def proxy_words(folder: Path, port: int, server_ports: list[int]) -> list[str]:
    """The command of the proxy with the configuration that we give away, on other ports."""
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    text = re.sub(r"server 127\.0\.0\.1:8001", f"server 127.0.0.1:{server_ports[0]}", text)
    text = re.sub(r"server 127\.0\.0\.1:8002", f"server 127.0.0.1:{server_ports[-1]}", text)
    text = re.sub(r"listen 127\.0\.0\.1:8000", f"listen 127.0.0.1:{port}", text)
    config = folder / "nginx.conf"
    config.write_text(text)
    shutil.copy(ROOT / "deploy" / "pages.conf", folder)
    return ["nginx", "-p", str(folder), "-c", str(config), "-e", "stderr", "-g", "daemon off; master_process off;"]


def daphne_words(port: int) -> list[str]:
    return ["--verbosity", "0", "--bind", "127.0.0.1", "--port", str(port), "soni_admin.asgi:application"]


@contextmanager
def cluster(
    folder: Path, environment: Mapping[str, str] | None = None, *, durable: bool = False, ready: Path | None = None
) -> Iterator[Cluster]:
    """A running cluster with the demo in it, or with what the stopped PostgreSQL in `ready` has; `environment` is for
    its processes."""
    with postgres_server(durable=durable, cluster=ready) as postgres, redis_server() as redis:
        made = Cluster(folder, postgres, redis, environment or {})
        try:
            made.fill(seed=ready is None)
            made.start()
            yield made
        finally:
            made.kill()
