"""One of two hosts has a clock that goes wrong while it serves: no gate is lost or early, and it runs nothing.

The wrong clock is libfaketime's, so that everything in the process sees it; the database's is right, and counts.
"""

import json
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from campaigns.kill import ForkServer, Servers
from campaigns.support.campaign import Campaign, Tally
from campaigns.support.customers import ShopUsers
from campaigns.support.outside import outside_world
from campaigns.support.ready import migrated_cluster
from tests.support.processes.postgres import postgres_server
from tests.support.processes.server import free_port

SKEWS = {"1 h ahead": 3600, "1 h behind": -3600, "2 s ahead": 2, "2 s behind": -2, "1 day ahead": 86400,
         "1 day behind": -86400}  # fmt: skip
WRONG, RIGHT = 4.0, 1.5
"""Seconds of service with the wrong clock, and with the right one before the next."""

END_WITHIN = 120.0
NOTICED_WITHIN = 60.0


class FaketimeMissing(Exception):
    """libfaketime is not installed; `make test` installs Debian's `faketime`."""


@dataclass
class Hosts:
    """Two hosts with one database: on the second, what a file says is added to the time."""

    right: Servers
    wrong: Servers
    offset: Path

    def skew(self, seconds: int) -> None:
        self.offset.write_text(f"{seconds:+d}\n")


def _run(size: int, chance: int, tally: Tally) -> None:
    with (
        TemporaryDirectory(prefix="soni-skew-", ignore_cleanup_errors=True) as name,
        postgres_server(cluster=migrated_cluster()) as server,
    ):
        folder = Path(name)
        with outside_world(folder, chance) as outside, _hosts(folder, outside, server.dsn) as hosts:
            users = ShopUsers([*hosts.right.ports, *hosts.wrong.ports], outside, Random(chance))
            users.open()
            for word, seconds in list(SKEWS.items())[:size]:
                tally.failures += [f"{word}: {fault}" for fault in _go_wrong(hosts, seconds)]
                tally.count(word)
            ended = users.close(END_WITHIN)
            account = hosts.right.fork_server.ask("account")
    tally.outcomes["gates"] += len(account["gates"])
    tally.outcomes["expired"] += sum(state == "expired" for state, _ in account["gates"])
    tally.failures += _faults(users, account, ended=ended)


def _go_wrong(hosts: Hosts, seconds: int) -> Iterator[str]:
    """Let the second host's clock be wrong for a while; what it did not notice."""
    hosts.skew(seconds)
    if not wait_until(lambda: "clock" in _without(hosts), NOTICED_WITHIN):
        yield "the host did not notice that its clock is wrong"
    time.sleep(WRONG)
    hosts.skew(0)
    if not wait_until(lambda: "clock" not in _without(hosts), NOTICED_WITHIN):
        yield "the host did not notice that its clock is right again"
    time.sleep(RIGHT)


def _without(hosts: Hosts) -> list[str]:
    """What the second host says that it is without."""
    with urllib.request.urlopen(f"http://127.0.0.1:{hosts.wrong.ports[0]}/health/ready", timeout=5) as answer:
        without: list[str] = json.load(answer).get("without", [])
        return without


def wait_until(holds: Callable[[], bool], within: float = 60.0) -> bool:
    """Whether it came to hold in time; who does not answer yet does not say so."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        with suppress(OSError):
            if holds():
                return True
        time.sleep(0.1)
    return False


@contextmanager
def _hosts(folder: Path, outside: Any, url: str) -> Iterator[Hosts]:
    offset = folder / "offset"
    offset.write_text("+0\n")
    faked = {
        "LD_PRELOAD": find_faketime(),
        "FAKETIME_TIMESTAMP_FILE": str(offset),
        "FAKETIME_NO_CACHE": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }
    server_sets = []
    for name, more in (("right", {}), ("wrong", faked)):
        (folder / name).mkdir()
        server_sets.append(Servers(ForkServer(folder / name, outside, url, **more), [free_port()]))
    try:
        server_sets[0].fork_server.ask("prepare")
        for servers in server_sets:
            servers.start_missing()
        hosts = Hosts(server_sets[0], server_sets[1], offset)
        if not wait_until(lambda: not _without(hosts)):
            raise RuntimeError("the hosts did not come up")
        yield hosts
    finally:
        for servers in server_sets:
            servers.kill(servers.ports[0])
            servers.fork_server.close()


def _faults(users: ShopUsers, account: dict[str, Any], *, ended: bool) -> Iterator[str]:
    yield from users.failures
    yield from account["broken"]
    yield from (f"a gate expired {early:.1f} s early" for _, early in account["gates"] if early > 0)
    if not ended:
        yield f"{sum(not talk.over for talk in users.talks)} conversations did not come to their end"


def find_faketime() -> str:
    """The library that fakes the time. Raises FaketimeMissing."""
    found = sorted(glob("/usr/lib/*/faketime/libfaketimeMT.so.1"))
    if not found:
        raise FaketimeMissing(FaketimeMissing.__doc__)
    return found[0]


CAMPAIGN = Campaign(
    name="skew",
    passes_when="no gate lost, none expired early, the host with the wrong clock runs nothing and says why",
    ci=2,
    full=len(SKEWS),
    outcomes=(*SKEWS, "gates", "expired"),
    run=_run,
)
