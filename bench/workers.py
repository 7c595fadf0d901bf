"""`up --workers N` beside one process: turns a second and processor time, on both databases, in one run.

    python -m bench.workers [--workers 2] [--clients 16] [--seconds 20] [--rounds 3] [--databases sqlite,postgresql]

Clients in a process of their own write over connections that stay open, and each waits for its answer. Measured beside
the rate is the processor time of the servers, of PostgreSQL and of the clients, and how much of the machine was idle:
where nothing is left, more processes cannot give more.
"""

import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from campaigns.support.ready import bank_cluster, copy_bank
from tests.support.processes.postgres import postgres_server
from tests.support.processes.server import Server

Figures = dict[str, float]

WARM_SECONDS = 15.0
"""Each process compiles the release and reads its models with its first turns."""
TICKS = os.sysconf("SC_CLK_TCK")
TEXTS = ("what is my balance?", "hello")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--clients", type=int, default=16)
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--databases", default="sqlite,postgresql")
    options.add_argument("--write-to", type=int, help="internal: only write, to the server at this port")
    chosen = options.parse_args()
    if chosen.write_to:
        print(json.dumps(write(chosen.write_to, chosen.clients, chosen.seconds)))
        return
    for database in chosen.databases.split(","):
        found: dict[int, list[Figures]] = {1: [], chosen.workers: []}
        for number in range(chosen.rounds):
            print(f"{database}, round {number + 1} of {chosen.rounds} …", file=sys.stderr, flush=True)
            for workers, figures in found.items():
                with serving(database, workers) as (server, postgres):
                    figures.append(measured(server, postgres, chosen.clients, chosen.seconds))
        print("\n".join(table(database, found)), flush=True)


def table(database: str, found: dict[int, list[Figures]]) -> Iterator[str]:
    """A line for each number of processes, and the median of the ratios of neighbouring runs."""
    for workers, rounds in found.items():
        rate, server, postgres, clients, idle = (
            statistics.median(figures[key] for figures in rounds)
            for key in ("rate", "server", "postgres", "clients", "idle")
        )
        title = f"{database}, {workers} process{'es' if workers > 1 else ''}"
        yield (
            f"{title:24}{rate:7.1f} turns a second   processor a turn: "
            f"server {server:5.1f} ms, database {postgres:4.1f} ms, clients {clients:4.1f} ms   idle {idle:3.0%}"
        )
    one, several = found.values()
    ratios = [more["rate"] / alone["rate"] for alone, more in zip(one, several, strict=True)]
    yield f"{database}: {statistics.median(ratios):.2f} x one process"


@contextmanager
def serving(database: str, workers: int) -> Iterator[tuple[Server, int]]:
    """A server with the bank, and the process id of its PostgreSQL; 0 with SQLite."""
    with TemporaryDirectory(prefix="soni-bench-") as folder:
        data = Path(folder) / "data"
        if database == "sqlite":
            copy_bank(data)
            yield from _started(Server(data, **_environment()), workers, 0)
            return
        with postgres_server(durable=True, cluster=bank_cluster()) as postgres:
            pid = int((Path(postgres.cluster) / "postmaster.pid").read_text().split()[0])
            yield from _started(Server(data, DATABASE_URL=postgres.dsn, **_environment()), workers, pid)


def _environment() -> dict[str, str]:
    return {"SONI_DEPLOYMENT": "embedded", "NLU_EMBEDDED": "off", "SONI_LOG_LEVEL": "ERROR", "PYTHONOPTIMIZE": ""}


def _started(server: Server, workers: int, postgres: int) -> Iterator[tuple[Server, int]]:
    server.start("--workers", str(workers))
    try:
        yield server, postgres
    finally:
        server.end_all()


def measured(server: Server, postgres: int, clients: int, seconds: float) -> Figures:
    """The rate, processor milliseconds a turn by who used them, and the share of the machine that was idle."""
    words = [sys.executable, "-m", "bench.workers", "--write-to", str(server.port)]
    _written(words, clients, WARM_SECONDS)
    before, idle, began = _processor_seconds(server.process, postgres), _idle_seconds(), time.monotonic()
    written = _written(words, clients, seconds)
    took = time.monotonic() - began
    after = _processor_seconds(server.process, postgres)
    turns = written["turns"]
    return {
        "rate": written["rate"],
        "server": (after[0] - before[0]) / turns * 1000,
        "postgres": (after[1] - before[1]) / turns * 1000,
        "clients": written["processor"] / turns * 1000,
        "idle": (_idle_seconds() - idle) / took / (os.cpu_count() or 1),
    }


def _written(words: list[str], clients: int, seconds: float) -> Figures:
    size = ["--clients", str(clients), "--seconds", str(seconds)]
    done = subprocess.run([*words, *size], capture_output=True, text=True, check=True)
    figures: Figures = json.loads(done.stdout)
    return figures


def write(port: int, clients: int, seconds: float) -> Figures:
    """Write for so long, each client in a conversation of its own; how many turns were answered, and what it cost."""
    turns, failures = [0] * clients, []
    ready = threading.Barrier(clients + 1)
    until = [0.0]

    def live(number: int) -> None:
        wire = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        made = _ask(wire, "/api/v1/conversations", "ursula", {"assistant": "bank"})
        path = f"/api/v1/conversations/{made['id']}/messages"
        ready.wait()
        while time.monotonic() < until[0]:
            body = {"id": f"m{turns[number]}", "text": TEXTS[turns[number] % len(TEXTS)]}
            try:
                _ask(wire, path, made["token"], body)
            except OSError as error:
                failures.append(error)
                return
            turns[number] += 1

    threads = [threading.Thread(target=live, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    until[0] = time.monotonic() + seconds
    ready.wait()
    began, used = time.monotonic(), time.process_time()
    until[0] = began + seconds
    for thread in threads:
        thread.join()
    if failures:
        raise SystemExit(f"{len(failures)} clients failed: {failures[0]}")
    took = time.monotonic() - began
    return {"turns": sum(turns), "rate": sum(turns) / took, "processor": time.process_time() - used}


def _ask(wire: http.client.HTTPConnection, path: str, token: str, body: dict[str, str]) -> dict[str, str]:
    wire.request(
        "POST", path, json.dumps(body), {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    )
    answer = wire.getresponse()
    content = answer.read()
    if answer.status not in (200, 201):
        raise OSError(f"{answer.status} {content[:200]!r}")
    found: dict[str, str] = json.loads(content)
    return found


def _processor_seconds(server: int, postgres: int) -> tuple[float, float]:
    return _tree_seconds(server), _tree_seconds(postgres) if postgres else 0.0


def _tree_seconds(pid: int) -> float:
    """Processor time of a process and all below it, in seconds, with those of its children that have ended."""
    try:
        facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return 0.0
    return sum(map(int, facts[11:15])) / TICKS + sum(_tree_seconds(int(child)) for child in children)


def _idle_seconds() -> float:
    words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return (int(words[4]) + int(words[5])) / TICKS


if __name__ == "__main__":
    main()
