"""`make campaigns`: what is tried thousands of times, as a table.

make campaigns ARGS="--size ci --seed 7 yaml conditions"
"""

import argparse
import secrets
import sys

from tests.campaigns.campaign import campaigns, conduct


def main() -> int:
    """Run the named campaigns, or all of them; 1 when one of them failed."""
    known = campaigns()
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(known)}")
    parser.add_argument("--size", choices=("ci", "full"), default="full")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32), help="to have the same once more")
    given = parser.parse_args()
    if unknown := set(given.names) - known.keys():
        parser.error(f"no campaign is called {', '.join(sorted(unknown))}; known are {', '.join(known)}")
    passed = True
    for name in given.names or known:
        report = conduct(known[name], known[name].size(given.size), given.seed)
        print(*report.lines(), sep="\n", flush=True)
        passed = passed and report.passed
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
