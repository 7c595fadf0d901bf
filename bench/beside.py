"""Measure this checkout and an earlier commit alternately on the same machine, and print their ratios.

    python -m bench.beside 4ad7e57 [--rounds 5] [--sockets-rounds 1]

The earlier commit is checked out into a temporary git worktree and runs its own programs with the packages of this
environment.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = {
    "product_turn": {"p50": "product turn: p50", "first_cpu": "product turn, ten turns: processor"},
    "engine_turn": {"p50": "engine turn: p50", "many": "engine turn among 1,000 flows: p50"},
}
Figures = dict[str, dict[str, list[float]]]
SOCKETS = re.compile(r"p50 (\d+) ms, p95 (\d+) ms, (\d+) a second")


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A worktree of the commit, with this checkout's scripts of the editor. Raises CalledProcessError without it."""
    worktree = ["git", "-C", str(ROOT), "worktree"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "earlier"
        subprocess.run([*worktree, "add", "--quiet", "--detach", str(place), commit], check=True)
        try:
            yield place
        finally:
            subprocess.run([*worktree, "remove", "--force", str(place)], check=True)


def output(checkout: Path, program: str, *arguments: str) -> str:
    """What a program of the checkout's benches prints, run on a new SQLite file. Raises CalledProcessError."""
    module = f"bench.{program}" if (checkout / "bench" / f"{program}.py").exists() else f"tests.bench.{program}"
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "soni_admin.settings", "SONI_DATA": data}
        environment.pop("PYTHONPATH", None)
        command = [sys.executable, "-m", module, *arguments]
        run = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=True)
    return run.stdout


def table(figures: Figures) -> Iterator[str]:
    """One line a figure: the median of each checkout, and the median of the ratios of neighbouring runs."""
    yield f"{'':44}{'earlier':>10}{'now':>10}{'ratio':>8}"
    for name, values in figures.items():
        ratios = [now / earlier for now, earlier in zip(values["now"], values["earlier"], strict=True)]
        earlier, now = (statistics.median(values[which]) for which in ("earlier", "now"))
        yield f"{name:44}{earlier:10.2f}{now:10.2f}{statistics.median(ratios):8.2f}"


def measure_turns(checkouts: dict[str, Path], figures: Figures) -> None:
    """One run of each program in each checkout."""
    for program, names in PROGRAMS.items():
        for which, checkout in checkouts.items():
            values = json.loads(output(checkout, program).splitlines()[-1])
            for key, name in names.items():
                figures[f"{name}, ms"][which].append(values[key])


def measure_sockets(checkouts: dict[str, Path], figures: Figures) -> None:
    """A thousand open sockets of which a hundred speak, in each checkout."""
    for which, checkout in checkouts.items():
        measured = SOCKETS.search(output(checkout, "sockets", "--rounds", "1"))
        if measured is None:
            raise SystemExit("the bench of sockets printed no figures")
        for name, value in zip(("p50, ms", "p95, ms", "turns a second"), measured.groups(), strict=True):
            figures[f"1,000 sockets: {name}"][which].append(float(value))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("commit")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--sockets-rounds", type=int, default=1, help="rounds with a thousand open sockets")
    chosen = options.parse_args()
    figures: Figures = defaultdict(lambda: {"earlier": [], "now": []})
    with checked_out(chosen.commit) as earlier:
        checkouts = {"earlier": earlier, "now": ROOT}
        for number in range(chosen.rounds):
            print(f"round {number + 1} of {chosen.rounds} …", file=sys.stderr, flush=True)
            measure_turns(checkouts, figures)
        for _ in range(chosen.sockets_rounds):
            print("a thousand sockets …", file=sys.stderr, flush=True)
            measure_sockets(checkouts, figures)
    print("\n".join(table(figures)))


if __name__ == "__main__":
    main()
