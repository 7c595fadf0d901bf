"""`make campaigns`: what is tried thousands of times, as a table.

make campaigns ARGS="--size ci --seed 7 yaml conditions"
"""

import argparse
import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor

from campaigns.support.campaign import Campaign, campaigns, conduct
from campaigns.support.ready import READY, folder

LONG = frozenset({"skew", "state-machine"})
MANY = 10.0
"""Seconds."""
ONLY_LATE = 3
"""The exit status when nothing wrong was seen, but something was late or not reached."""
PARTS: dict[str, Callable[[Campaign], bool]] = {
    "all": lambda each: True,
    "computing": lambda each: each.computes,
    "waiting": lambda each: not each.computes,
}


def main() -> int:
    """Run the named campaigns, or all of them. Return 1 when one of them failed, `ONLY_LATE` when it was only late."""
    known = campaigns()
    parser = argparse.ArgumentParser(prog="python -m campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}")
    parser.add_argument("--size", choices=("ci", "full"), default="full")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="to have the same once more")
    parser.add_argument("--at-once", type=int, default=1, help="how many run beside each other, if they judge no time")
    parser.add_argument("--part", choices=PARTS, default="all", help="those that only compute, or all others")
    given = parser.parse_args()
    if unknown := set(given.names) - known.keys():
        parser.error(f"no campaign is called {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    chosen = [known[name] for name in given.names or known if PARTS[given.part](known[name])]
    if not chosen:
        parser.error("there is no such campaign in that part")
    if given.at_once > 1:
        return _beside(chosen, given.at_once, ["--size", given.size, "--seed", str(given.seed)])
    reports = []
    for each in chosen:
        reports.append(conduct(each, each.size(given.size), given.seed))
        print(*reports[-1].lines(), sep="\n", flush=True)
    if all(report.passed for report in reports):
        return 0
    return ONLY_LATE if all(report.is_right for report in reports) else 1


def _beside(chosen: Collection[Campaign], at_once: int, options: list[str]) -> int:
    """Each in a process of its own, one lane of them after the other; the reports of failures come again at the end.

    A campaign in which something was only late, or not reached, is conducted once more with the machine to itself.
    """
    environment = {**os.environ, READY: str(folder())}
    results: dict[str, subprocess.CompletedProcess[str]] = {}
    for width, lane in _lanes(chosen, at_once):
        results |= _conduct_all(lane, width, options, environment)
    late = [campaign for campaign in chosen if results[campaign.name].returncode == ONLY_LATE]
    if late:
        print(f"once more, alone: {', '.join(campaign.name for campaign in late)}", flush=True)
        results |= _conduct_all(late, 1, options, environment)
    failures = [result.stdout for result in results.values() if result.returncode]
    if failures:
        print(f"{len(failures)} of {len(results)} campaigns failed:", *failures, sep="\n", end="", flush=True)
    return int(bool(failures))


def _lanes(chosen: Collection[Campaign], at_once: int) -> Iterator[tuple[int, list[Campaign]]]:
    """How many at a time, and which: who promises few seconds has the machine alone, who promises many shares it with
    one other, and only those share it with more that judge none."""
    yield at_once, sorted((each for each in chosen if each.promises is None), key=_by_length)
    yield min(2, at_once), [each for each in chosen if each.promises is not None and each.promises >= MANY]
    yield 1, [each for each in chosen if each.promises is not None and each.promises < MANY]


def _conduct_all(
    chosen: Collection[Campaign], at_once: int, options: list[str], environment: dict[str, str]
) -> dict[str, subprocess.CompletedProcess[str]]:
    """Exit status and report of each by its name. A report is printed when its campaign has ended."""

    def run(campaign: Campaign) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "campaigns", *options, campaign.name]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        print(done.stdout, end="", flush=True)
        return done

    with ThreadPoolExecutor(at_once) as pool:
        return dict(zip((campaign.name for campaign in chosen), pool.map(run, chosen), strict=True))


def _by_length(campaign: Campaign) -> tuple[bool, str]:
    """The longest come first, so that none of them is left at the end, alone."""
    return campaign.name not in LONG, campaign.name


if __name__ == "__main__":
    sys.exit(main())
