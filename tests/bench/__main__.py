"""`make bench`: our turn beside the anchors, on the same disk, in one run, as a table with ratios.

    make bench ARGS="--anchors FOLDER"

FOLDER holds the programs `bare_langgraph.py` and `naive_app.py`; without it only our own figures are printed.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROUNDS = 3


def ours(folder: Path) -> dict[str, float]:
    """Run the product turn in a process of its own, on a database in `folder`."""
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
        "SONI_DATA": str(Path(tempfile.mkdtemp(dir=folder))),
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.product_turn"], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def anchor(folder: Path, program: Path, *arguments: str) -> float:
    """Run an anchor and read the median from its line, in milliseconds."""
    done = subprocess.run(
        [sys.executable, program.name, *arguments],
        cwd=program.parent,
        env={**os.environ, "BENCH_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if "exit" not in line]
    found = re.search(r"p50=\s*([\d.]+)", "\n".join(lines))
    if done.returncode or not found:
        raise SystemExit(f"{program.name} gave no median:\n{done.stdout}\n{done.stderr}")
    return float(found[1])


def row(name: str, value: float, unit: str, *ratios: str) -> str:
    return f"{name:44}{value:10.2f} {unit:6}{'   '.join(ratios)}"


def ratio(ours_: float, other: float, limit: float, of: str) -> str:
    return f"{ours_ / other:5.2f} x {of} (at most {limit})"


def table(figures: list[dict[str, float]], bare: list[float], naive: list[float]) -> Iterable[str]:
    """The medians over the rounds, and the ratios that the product is held to."""

    def middle(key: str) -> float:
        return statistics.median(each[key] for each in figures)

    ratios = []
    if bare:
        yield row("bare LangGraph, SQLite WAL FULL, sync: p50", statistics.median(bare), "ms")
        yield row("naive app, no guarantees: p50", statistics.median(naive), "ms")
        ratios = [
            ratio(middle("p50"), statistics.median(naive), 2.0, "naive"),
            ratio(middle("p50"), statistics.median(bare), 4.0, "bare"),
        ]
    yield row("product turn, accept to committed reply: p50", middle("p50"), "ms", *ratios)
    yield row("product turn: p95", middle("p95"), "ms")
    yield row("turns around the 10th: p50", middle("early"), "ms")
    yield row("turns around the 500th: p50", middle("late"), "ms", ratio(middle("late"), middle("early"), 1.2, "10th"))
    yield row("stored per turn, whole database", middle("bytes"), "bytes")
    yield row("stored per turn, checkpoints after pruning", middle("checkpoint_bytes"), "bytes")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--anchors", type=Path, help="folder of bare_langgraph.py and naive_app.py")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    chosen = options.parse_args()
    figures, bare, naive = [], [], []
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR", "var")) as place:
        folder = Path(place).resolve()
        for number in range(chosen.rounds):
            print(f"round {number + 1} of {chosen.rounds} …", file=sys.stderr, flush=True)
            figures.append(ours(folder))
            if chosen.anchors:
                bare.append(
                    anchor(
                        folder,
                        chosen.anchors / "bare_langgraph.py",
                        *("--backends", "sqlite", "--threads", "1", "--turns", "300", "--concurrency", "1"),
                    )
                )
                naive.append(anchor(folder, chosen.anchors / "naive_app.py", "--turns", "300"))
    print("\n".join(table(figures, bare, naive)))


if __name__ == "__main__":
    main()
