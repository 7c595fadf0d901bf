"""Turns on PostgreSQL with 32 in flight: ours, the app that one would write first, and the bare graph, in one run.

    python -m bench.postgres [--anchors FOLDER] [--in-flight 32] [--turns 12] [--rounds 3]

A throw-away server that waits for the disk. FOLDER holds `bare_langgraph.py`.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.processes.postgres import PostgresServer, postgres_server

Figures = dict[str, float]

_number = count()


def program(server: PostgresServer, name: str, in_flight: int, turns: int) -> Figures:
    """Run one of our programs in a process of its own, on a database of its own."""
    with TemporaryDirectory(prefix="soni-bench-") as data:
        environment = {
            **os.environ,
            "DATABASE_URL": server.create_database(f"bench{next(_number)}"),
            "SONI_DEPLOYMENT": "embedded",
            "SONI_DATA": data,
            "LANGGRAPH_STRICT_MSGPACK": "true",
        }
        if name == "many_turns":
            environment["DJANGO_SETTINGS_MODULE"] = "soni_admin.settings"
        words = [sys.executable, "-m", f"bench.{name}", "--in-flight", str(in_flight), "--turns", str(turns)]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: Figures = json.loads(done.stdout.splitlines()[-1])
    return found


def bare(server: PostgresServer, anchors: Path, in_flight: int, turns: int) -> Figures:
    """The bare graph's figures, one saver a call, from its line for `sync`."""
    words = ["--pg", server.create_database(f"bench{next(_number)}"), "--backends", "pg-saver-per-turn"]
    size = ["--threads", str(in_flight), "--concurrency", str(in_flight), "--turns", str(in_flight * turns)]
    done = subprocess.run(
        [sys.executable, "bare_langgraph.py", *words, *size], cwd=anchors, capture_output=True, text=True, check=False
    )
    line = next((line for line in done.stdout.splitlines() if "per call" in line and " sync " in line), None)
    if line is None:
        raise SystemExit(f"bare_langgraph.py gave no figures:\n{done.stdout}\n{done.stderr}")
    named = {name: float(value) for name, value in re.findall(r"([\w/]+)=\s*([\d.]+)", line)}
    return {"rate": named["tps"], "p50": named["p50"], "cpu": named["cpu/turn"]}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--anchors", type=Path)
    options.add_argument("--in-flight", type=int, default=32)
    options.add_argument("--turns", type=int, default=12)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    found: dict[str, list[Figures]] = {}
    with postgres_server(durable=True) as server:
        for _ in range(chosen.rounds):
            for name, title in (("many_turns", "product turn"), ("naive_postgres", "naive app, a saver a call, sync")):
                found.setdefault(title, []).append(program(server, name, chosen.in_flight, chosen.turns))
            if chosen.anchors:
                figures = bare(server, chosen.anchors, chosen.in_flight, chosen.turns)
                found.setdefault("bare LangGraph, a saver a call, sync", []).append(figures)
    rates = {title: statistics.median(each["rate"] for each in rounds) for title, rounds in found.items()}
    for title, rounds in found.items():
        p50, cpu = (statistics.median(each[key] for each in rounds) for key in ("p50", "cpu"))
        print(f"{title:44}{rates[title]:7.0f} turns a second   p50 {p50:6.1f} ms   processor {cpu:5.2f} ms a turn")
    for title, rate in list(rates.items())[1:]:
        print(f"{rates['product turn'] / rate:.2f} x {title} (at least 1.0)")


if __name__ == "__main__":
    main()
