"""`up --workers 2` while its processes die, are replaced, and are stopped and started, on both databases."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from campaigns.kill import END_WITHIN, REST_WITHIN, Deployment, ForkServer, faults, seconds_to_rest
from campaigns.support.campaign import Campaign, Tally
from campaigns.support.customers import ShopUsers
from campaigns.support.outside import Outside, outside_world
from campaigns.support.ready import copy_migrated, migrated_cluster
from tests.support.processes.postgres import postgres_server
from tests.support.processes.server import Server, wait_for

WORKERS = 2
SERVES_WITHIN = 600.0
SERVING_SHARE = 0.8
"""After so many disturbances the next one waits until all processes serve; else one may be starting still."""
GREETING = "Open http://"
"""Printed once all processes serve."""
DISTURBANCES = (
    ("worker killed",) * 5 + ("workers replaced",) * 2 + ("all ended and started", "supervisor killed and all started")
)
"""What happens to the deployment; one that stands here twice is chosen twice as often."""


def _run(size: int, chance: int, tally: Tally) -> None:
    with _folder() as folder:
        copy_migrated(folder)
        _disturb_repeatedly(Deployment("sqlite", folder, "", 1), size, chance, tally)
    with postgres_server(durable=True, cluster=migrated_cluster()) as server, _folder() as folder:
        _disturb_repeatedly(Deployment("postgresql", folder, server.dsn, 1), size, chance, tally)


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="soni-workers-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def _disturb_repeatedly(deployment: Deployment, size: int, chance: int, tally: Tally) -> None:
    """Disturb one deployment `size` times while customers talk, and compare the accounts."""
    random, word = Random(chance), deployment.word
    with outside_world(deployment.folder, chance) as outside:
        fork_server = ForkServer(deployment.folder, outside, deployment.url)
        server = _server(deployment, outside)
        users = ShopUsers([server.port], outside, Random(chance))
        try:
            fork_server.ask("prepare")
            _start(server)
            users.open()
            for number in range(size):
                time.sleep(random.uniform(0.5, 2.0))
                act = DISTURBANCES[number] if number < len(DISTURBANCES) else random.choice(DISTURBANCES)
                _disturb(server, act, random)
                tally.count(act)
            users.closing = True
            rest = seconds_to_rest(fork_server)
            fork_server.ask("mend")
            ended = users.close(END_WITHIN)
            account = fork_server.ask("account")
        finally:
            server.end_all()
            fork_server.close()
    tally.outcomes[word] += size
    tally.outcomes["messages acknowledged"] += sum(len(talk.said) for talk in users.talks)
    tally.outcomes["decisions acknowledged"] += len(users.decided)
    tally.outcomes["effects outside"] += sum(outside.effects.values())
    tally.time(f"to rest on {word}", rest)
    tally.failures += [f"{word}: {fault}" for fault in faults(users, account, ended=ended)]
    if rest > REST_WITHIN:
        tally.late.append(f"{word}: not at rest {rest:.0f} s after the last disturbance")


def _server(deployment: Deployment, outside: Outside) -> Server:
    environment = {
        "SONI_ACTIONS": "campaigns.support.reachable_outside",
        "SONI_DEPLOYMENT": "embedded",
        "NLU_EMBEDDED": "off",
        "OUTSIDE_URL": outside.url,
        "DATABASE_URL": deployment.url,
    }
    return Server(deployment.folder, **environment)


def _start(server: Server) -> None:
    log = server.data / "server.log"
    before = log.read_text().count(GREETING) if log.exists() else 0
    server.start("--no-demo", "--workers", str(WORKERS))
    wait_for(lambda: log.read_text().count(GREETING) > before, SERVES_WITHIN)


def _workers(server: Server) -> list[int]:
    """The process ids of the server processes."""
    return [int(pid) for pid in Path(f"/proc/{server.process}/task/{server.process}/children").read_text().split()]


def _disturb(server: Server, act: str, random: Random) -> None:
    before = _workers(server)
    if act == "worker killed":
        os.kill(random.choice(before), signal.SIGKILL)
    elif act == "workers replaced":
        os.kill(server.process, signal.SIGHUP)
        wait_for(lambda: not set(_workers(server)) & set(before), SERVES_WITHIN)
    elif act == "all ended and started":
        server.end_all()
        _start(server)
    else:
        server.kill()
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in before), SERVES_WITHIN)
        _start(server)
    wait_for(lambda: len(_workers(server)) == WORKERS, SERVES_WITHIN)
    if random.random() < SERVING_SHARE:
        wait_for(lambda: _all_serve(server), SERVES_WITHIN)


def _all_serve(server: Server) -> bool:
    log = (server.data / "server.log").read_text()
    return all(f"(process {pid}) serves" in log for pid in _workers(server))


CAMPAIGN = Campaign(
    name="workers",
    passes_when="on each database 0 lost, 0 doubled, order kept, invariants 0, and rest in 30 s",
    ci=5,
    full=120,
    outcomes=("sqlite", "postgresql", *dict.fromkeys(DISTURBANCES)),
    run=_run,
    promises=REST_WITHIN,
)
