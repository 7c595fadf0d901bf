"""A thousand open pages of which every tenth speaks, beside a bare echo of Channels with as many sockets.

    python -m tests.bench.sockets [--anchors FOLDER] [--sockets 1000] [--speaking 100] [--seconds 10]

`manage.py up` in a process of its own. Each speaker says something, waits for the assistant's line on its socket, and
says the next: a whole turn, stored, each time. FOLDER holds `bare_channels.py`: there all sockets speak, and nothing is
stored; it is measured before and after, as machines do not stay as fast as they were.
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
from statistics import fmean, quantiles
from tempfile import TemporaryDirectory

from tests.fleet import Page
from tests.server import Server

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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--anchors", type=Path)
    options.add_argument("--sockets", type=int, default=1000)
    options.add_argument("--speaking", type=int, default=100)
    options.add_argument("--seconds", type=float, default=10.0)
    chosen = options.parse_args()
    echoes = [bare(chosen.anchors, chosen.sockets)] if chosen.anchors else []
    with TemporaryDirectory(prefix="soni-sockets-") as folder:
        server = Server(Path(folder) / "data")
        server.start()
        lines = server.shell(OPEN.format(count=chosen.sockets)).splitlines()
        address = server.url.replace("http", "ws", 1)
        named = [line.split() for line in lines]
        pages = [Page(f"{address}/ws/conversations/{row}/", token) for row, token in named]
        found = asyncio.run(ours(server, pages, chosen.speaking, chosen.seconds))
        server.kill()
    print(f"{chosen.sockets} sockets, {chosen.speaking} of them speaking, a turn stored for each line:")
    print(f"  {found}")
    if chosen.anchors:
        echoes.append(bare(chosen.anchors, chosen.sockets))
        print(f"bare echo of Channels, {chosen.sockets} sockets, all speaking, nothing stored, before and after:")
        for echo in echoes:
            print(f"  {echo}")
        late, idle = fmean(each.p95 for each in echoes), fmean(each.idle for each in echoes)
        print(f"  p95 {found.p95 / late:.2f} x their mean (at most 3), memory {found.idle / idle:.2f} x (at most 2)")


if __name__ == "__main__":
    main()
