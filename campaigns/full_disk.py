"""The disk is full for a while: the server lives and says so, and nothing that it acknowledged is lost."""

import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from campaigns.support.campaign import Campaign, Tally
from campaigns.support.ready import copy_bank
from tests.support.processes.crowd import Crowd, lost
from tests.support.processes.server import Server, wait_for

DISK_MIB = 32
CLIENTS = 6
CHUNK_BYTES = 4096
FULL_SECONDS = 5.0
"""How long the disk stays full, and is written to."""


class NoSmallDisk(Exception):
    """This campaign mounts a small disk, which needs root and the right to mount."""


@contextmanager
def small_disk() -> Iterator[Path]:
    """A folder with a few megabytes of room. Raises NoSmallDisk."""
    with TemporaryDirectory(prefix="soni-disk-") as name:
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m,mode=700", "soni-disk", name]
        mounted = subprocess.run(command, capture_output=True, text=True, check=False)
        if mounted.returncode:
            raise NoSmallDisk(f"run it as root, where a disk may be mounted: {mounted.stderr.strip()}")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


def fill(disk: Path) -> Path:
    """A file that takes what room is left, to the last page."""
    filler = disk / "filler"
    with filler.open("ab", buffering=0) as file:
        try:
            while file.write(b"x" * CHUNK_BYTES):
                pass
        except OSError:
            pass
    return filler


def _run(size: int, chance: int, tally: Tally) -> None:
    with small_disk() as disk:
        copy_bank(disk)
        server = Server(
            disk,
            SONI_ACTIONS="tests.support.journeys.slow_bank,dialogue.library.demo.library_actions",
            SLOW_BANK_LEDGER=f"{disk}-effects",
            NLU_EMBEDDED="off",
            SONI_LOG_LEVEL="CRITICAL",
        )
        server.start()
        crowd = Crowd(server.port, "ursula", lambda number: ("hello", "what is my balance?", "hello")[number])
        try:
            crowd.start(CLIENTS)
            for _ in range(size):
                _fill_and_empty(disk, server, crowd, tally)
            crowd.stop()
            wait_for(lambda: not lost(server, crowd.lines), within=60)
            tally.failures += crowd.failures
            _check(server, tally)
        finally:
            crowd.stop()
            server.kill()
            Path(f"{disk}-effects").unlink(missing_ok=True)


def _fill_and_empty(disk: Path, server: Server, crowd: Crowd, tally: Tally) -> None:
    before = crowd.acknowledged
    wait_for(lambda: crowd.acknowledged > before + 10)
    filler = fill(disk)
    wait_for(lambda: status(server, "/health/ready") == 503)
    tally.outcomes["not ready while full"] += 1
    until = time.monotonic() + FULL_SECONDS
    refused = crowd.answers.count(503)
    while time.monotonic() < until:
        if status(server, "/health/live") != 200:
            tally.failures.append("the server does not live any more")
        time.sleep(0.1)
    tally.outcomes["refused while full"] += crowd.answers.count(503) - refused
    filler.unlink()
    wait_for(lambda: status(server, "/health/ready") == 200)
    full = crowd.acknowledged
    wait_for(lambda: crowd.acknowledged > full + 10)
    tally.count("went on by itself")


def status(server: Server, path: str) -> int:
    try:
        with urllib.request.urlopen(f"{server.url}{path}", timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refusal:
        return refusal.code
    except OSError:
        return 0


def _check(server: Server, tally: Tally) -> None:
    server.manage("verify_invariants")  # raises where one does not hold
    server.manage("verify_audit")


CAMPAIGN = Campaign(
    name="full-disk",
    passes_when="while full it lives and is not ready, then goes on by itself; what it acknowledged is there",
    ci=1,
    full=10,
    outcomes=("not ready while full", "refused while full", "went on by itself"),
    run=_run,
)
