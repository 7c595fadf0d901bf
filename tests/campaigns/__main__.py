"""`make campaigns`: what is tried thousands of times, as a table.

make campaigns ARGS="--size ci --seed 7 yaml conditions"
"""

import argparse
import os
import secrets
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from tests.campaigns.campaign import PATIENCE, campaigns, conduct
from tests.campaigns.ready import READY, folder

WAITING = frozenset({"kill", "outage", "skew", "state-machine"})


def main() -> int:
    """Run the named campaigns, or all of them; 1 when one of them failed."""
    known = campaigns()
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}")
    parser.add_argument("--size", choices=("ci", "full"), default="full")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="to have the same once more")
    parser.add_argument("--at-once", type=int, default=1, help="how many run beside each other; 1 to have fair times")
    given = parser.parse_args()
    if unknown := set(given.names) - known.keys():
        parser.error(f"no campaign is called {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    if given.at_once > 1:
        return _beside(given.names or known, given.at_once, ["--size", given.size, "--seed", str(given.seed)])
    passed = True
    for name in given.names or known:
        report = conduct(known[name], known[name].size(given.size), given.seed, PATIENCE[given.size])
        print(*report.lines(), sep="\n", flush=True)
        passed = passed and report.passed
    return 0 if passed else 1


def _beside(names: Iterable[str], at_once: int, options: list[str]) -> int:
    """Each in a process of its own, as many as that at a time; what they say, as each is done."""
    environment = {**os.environ, READY: str(folder())}

    def run(name: str) -> int:
        command = [sys.executable, "-m", "tests.campaigns", *options, name]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout, end="", flush=True)
        return done.returncode

    with ThreadPoolExecutor(at_once) as pool:
        return int(any(list(pool.map(run, sorted(names, key=_by_length)))))


def _by_length(name: str) -> tuple[bool, str]:
    """Those that mostly wait come first: they take longest, and leave the machine to the others."""
    return name not in WAITING, name


if __name__ == "__main__":
    sys.exit(main())
