"""Turns on SQLite with 32 in flight, each of its own conversation: ours and the naive app, in one run.

    python -m bench.sqlite [--anchors FOLDER] [--in-flight 32] [--turns 12] [--rounds 3]

FOLDER holds `naive_app.py`; without it only our own figures are printed.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.__main__ import ours


def naive_rate(folder: Path, anchors: Path, in_flight: int, turns: int) -> float:
    """The naive app's turns a second, from the last figure of its line."""
    size = ["--threads", str(in_flight), "--concurrency", str(in_flight), "--turns", str(in_flight * turns)]
    done = subprocess.run(
        [sys.executable, "naive_app.py", *size],
        cwd=anchors,
        env={**os.environ, "BENCH_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    rate = re.search(r"turns/s=\s*([\d.]+)", done.stdout)
    if rate is None:
        raise SystemExit(f"naive_app.py gave no figures:\n{done.stdout}\n{done.stderr}")
    return float(rate[1])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--anchors", type=Path)
    options.add_argument("--in-flight", type=int, default=32)
    options.add_argument("--turns", type=int, default=12)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    own_rounds, naive_rates = [], []
    size = ("--in-flight", str(chosen.in_flight), "--turns", str(chosen.turns))
    with tempfile.TemporaryDirectory(prefix="soni-bench-") as name:
        folder = Path(name)
        for _ in range(chosen.rounds):
            own_rounds.append(ours(folder, "many_turns", *size))
            if chosen.anchors:
                naive_rates.append(naive_rate(folder, chosen.anchors, chosen.in_flight, chosen.turns))
    keys = ("rate", "p50", "cpu", "pages")
    rate, p50, cpu, pages = (statistics.median(figures[key] for figures in own_rounds) for key in keys)
    print(f"product turn     {rate:7.0f} turns a second   p50 {p50:6.1f} ms   processor {cpu:5.2f} ms a turn")
    print(f"pages in SQLite's log for a turn {pages:4.0f}")
    if naive_rates:
        naive = statistics.median(naive_rates)
        print(f"naive app        {naive:7.0f} turns a second\n{rate / naive:.2f} x naive")


if __name__ == "__main__":
    main()
