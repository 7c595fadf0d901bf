"""A thousand open pages of which every tenth speaks, beside a bare echo of Channels with as many sockets.

    python -m bench.sockets [--anchors FOLDER] [--sockets 1000] [--speaking 100] [--seconds 10] [--rounds 3]

`manage.py up` in a process of its own. Each speaker says something, waits for the assistant's line on its socket, and
says the next: a whole turn, stored, each time. FOLDER holds `bare_channels.py`: there all sockets speak, and nothing is
stored; it is measured before and after each round, as machines do not stay as fast as they were, and of the ratios the
median is what counts.
"""

import argparse
import asyncio
import gc
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, quantiles
from tempfile import TemporaryDirectory

from tests.support.processes.fleet import Page
from tests.support.processes.server import Server

BATCH = 50
WAIT = 120.0

OPEN = """
from dialogue.turns.accept import open_conversation
for _ in range({count}):
    row, token = open_conversation("bank")
    print(row.pk, token)
"""


@dataclass(frozen=True)
class Figures:
    """p50 and p95 of a round trip in milliseconds, round trips a second, and KB of memory for an idle socket."""

    p50: float
    p95: float
    rate: float
    idle: float

    def __str__(self) -> str:
        return f"p50 {self.p50:.0f} ms, p95 {self.p95:.0f} ms, {self.rate:.0f} a second, {self.idle:.0f} KB a socket"


def memory(process: int) -> int:
    """KB that this process has in memory."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


async def ours(server: Server, pages: list[Page], speaking: int, seconds: float) -> Figures:
    before = memory(server.process)
    living = []
    for start in range(0, len(pages), BATCH):
        batch = pages[start : start + BATCH]
        living += [asyncio.create_task(page.live()) for page in batch]
        await asyncio.wait_for(asyncio.gather(*(page.open.wait() for page in batch)), WAIT)
    await asyncio.sleep(2)
    gc.freeze()  # who measures does not stop to look through a thousand sockets' objects
    idle = (memory(server.process) - before) / len(pages)
    took = [
        each for part in await asyncio.gather(*(_speak(page, seconds) for page in pages[:speaking])) for each in part
    ]
    for task in living:
        task.cancel()
    return Figures(_part(took, 50), _part(took, 95), len(took) / seconds, idle)


async def _speak(page: Page, seconds: float) -> list[float]:
    took: list[float] = []
    until = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < until:
        took.append(await page.ask(f"m{len(took)}", "what is my balance") * 1000)
    return took


def _part(values: list[float], percent: int) -> float:
    return quantiles(values, n=100)[percent - 1]


def bare(anchors: Path, sockets: int) -> Figures:
    """The echo's figures, from its line."""
    words = ["--servers", "daphne", "--layers", "none", "--modes", "echo", "--sockets", str(sockets), "--seconds", "6"]
    done = subprocess.run(
        [sys.executable, "bare_channels.py", *words], cwd=anchors, capture_output=True, text=True, check=True
    )
    found = {name: float(number) for name, number in re.findall(r"(p50|p95|msgs/s|idle/sock)=\s*([\d.]+)", done.stdout)}
    return Figures(found["p50"], found["p95"], found["msgs/s"], found["idle/sock"])


@dataclass(frozen=True)
class Round:
    """What one server did, and the echo's figures right before and right after it."""

    found: Figures
    echoes: tuple[Figures, ...]

    @property
    def lateness(self) -> float:
        return self.found.p95 / fmean(each.p95 for each in self.echoes)

    @property
    def weight(self) -> float:
        return self.found.idle / fmean(each.idle for each in self.echoes)


def one_round(sockets: int, speaking: int, seconds: float, anchors: Path | None) -> Round:
    before = [bare(anchors, sockets)] if anchors else []
    with TemporaryDirectory(prefix="soni-sockets-") as folder:
        server = Server(Path(folder) / "data")
        server.start()
        address = server.url.replace("http", "ws", 1)
        named = [line.split() for line in server.shell(OPEN.format(count=sockets)).splitlines()]
        pages = [Page(f"{address}/ws/conversations/{row}/", token) for row, token in named]
        found = asyncio.run(ours(server, pages, speaking, seconds))
        server.kill()
    after = [bare(anchors, sockets)] if anchors else []
    return Round(found, (*before, *after))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--anchors", type=Path)
    options.add_argument("--sockets", type=int, default=1000)
    options.add_argument("--speaking", type=int, default=100)
    options.add_argument("--seconds", type=float, default=10.0)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    print(f"{chosen.sockets} sockets, {chosen.speaking} of them speaking, a turn stored for each line;")
    print("below it the bare echo of Channels right before and after: all its sockets speak, and nothing is stored:")
    rounds = []
    for _ in range(chosen.rounds):
        rounds.append(one_round(chosen.sockets, chosen.speaking, chosen.seconds, chosen.anchors))
        print(f"  {rounds[-1].found}", *(f"    {echo}" for echo in rounds[-1].echoes), sep="\n", flush=True)
    if chosen.anchors:
        late, idle = [each.lateness for each in rounds], [each.weight for each in rounds]
        each = ", ".join(f"{ratio:.2f}" for ratio in late)
        print(f"  p95 {median(late):.2f} x (at most 3), the median of {each}; memory {median(idle):.2f} x (at most 2)")


if __name__ == "__main__":
    main()
