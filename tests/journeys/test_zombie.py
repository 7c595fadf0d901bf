"""Servers that stop longer than their leases and then go on: another server has taken over their turns."""

import json
import os
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from campaigns.kill import ForkServer, Servers
from campaigns.support.outside import Outside, outside_world
from tests.support.processes.postgres import postgres_server
from tests.support.processes.server import free_port, wait_for

pytestmark = pytest.mark.journey

STOPS_AT = ("A6", "F2")
"""Before the commit of a turn, and between the intention of an action and its call."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Outside]:
    with outside_world(tmp_path, 3) as outside:
        outside.mood = lambda: "well"  # type: ignore[method-assign]
        yield outside


@pytest.fixture
def servers(tmp_path: Path, world: Outside) -> Iterator[Servers]:
    with postgres_server() as server:
        fork_server = ForkServer(tmp_path, world, server.dsn)
        fork_server.ask("prepare")
        servers = Servers(fork_server, [free_port() for _ in range(3)])
        yield servers
        for port in servers.ports:
            servers.kill(port)
        fork_server.close()


def ask(port: int, path: str, token: str, body: dict[str, Any] | None = None) -> Any:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode() if body else None)
    for name, value in (("Authorization", f"Bearer {token}"), ("Content-Type", "application/json")):
        request.add_header(name, value)
    if body:
        request.add_header("Prefer", "respond-async")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def is_ready(port: int) -> bool:
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=2).close()
    except OSError:
        return False
    return True


def talk(port: int, *lines: str) -> str:
    """Say these lines through one server, each after the answer to the one before; the transcript's address."""
    made = ask(port, "/api/v1/conversations", "ursula", {"assistant": "shop"})
    path = f"/api/v1/conversations/{made['id']}/messages"
    for number, text in enumerate(lines):
        wait_for(lambda number=number: len(keys(port, path)) >= number)
        with suppress(TimeoutError):  # its server may stand still before it has said that it took the line
            ask(port, path, "ursula", {"id": f"m{number}", "text": text})
    return path


def keys(port: int, path: str) -> list[str]:
    lines = ask(port, f"{path}?after=0", "ursula")["messages"]
    return [line["key"] for line in lines if line["role"] == "assistant"]


def stands_still(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see that a process stands still")
def test_a_runner_that_stood_still_longer_than_its_lease_writes_nothing_when_it_goes_on(
    servers: Servers, world: Outside
) -> None:
    living, *paused = servers.ports
    servers.start(living)
    paused_pids = [servers.start(port, point, stops=True) for port, point in zip(paused, STOPS_AT, strict=True)]
    wait_for(lambda: all(is_ready(port) for port in servers.ports))
    first = talk(paused[0], "order something")
    second = talk(paused[1], "order something", "a lamp")
    wait_for(lambda: all(stands_still(pid) for pid in paused_pids))

    wait_for(
        lambda: (
            keys(living, first) == ["ask:item"] and keys(living, second) == ["ask:item", "say:looking", "confirm:order"]
        )
    )
    for pid in paused_pids:
        os.kill(pid, signal.SIGCONT)
    wait_for(lambda: all(is_ready(port) for port in paused))
    time.sleep(1)  # for whatever they were at

    assert keys(living, first) == ["ask:item"]
    assert keys(living, second) == ["ask:item", "say:looking", "confirm:order"]
    assert world.twice() == []
    assert sum(world.effects.values()) == 1
    assert servers.fork_server.ask("account")["broken"] == []
