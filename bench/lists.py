"""Lists among a hundred thousand open sessions beside lists among a hundred, on SQLite and on PostgreSQL.

    python -m bench.lists [--sessions 100000] [--who olga]

Prints for each page the milliseconds by the clock and those that processors worked (the page's and the database's
process), medians of some rounds, their ratio, and the number of queries, with the limits that the product is held to.
The ratio is that of the processors: a machine with other work to do does not change it. Among many, half of the open
sessions are in queues that are not Olga's; the hundred are all hers, so that the first page has as many rows in both.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.processes.postgres import PostgresServer, postgres_server

FEW = 100
RATIO_LIMIT, QUERY_LIMIT = 1.5, 12
JUDGED = ("/gates/", "/gates/, two pages on", "/gates/?order=priority", "/gates/?order=oldest", "/api/v1/sessions")
"""Pages that are full in both, the third one among a hundred aside, for which the first one stands there; others are
longer among many sessions, and cost what their rows cost."""

Figures = dict[str, dict[str, float]]


def figures(sessions: int, who: str, **environment: str) -> Figures:
    """The figures of each page on a new database, measured in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="soni-lists-") as folder:
        settings = {"DJANGO_SETTINGS_MODULE": "soni_admin.settings", "SONI_DATA": folder, **environment}
        others = sessions // 2 if sessions > FEW else 0
        counts = ["--sessions", str(sessions - others), "--others", str(others)]
        command = [sys.executable, "-m", "bench.many_gates", *counts, "--who", who]
        done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {sessions:,} sessions made in {measured['filled']:.0f} s", file=sys.stderr, flush=True)
    pages: Figures = measured["pages"]
    return pages


def table(few: Figures, many: Figures, count: int) -> Iterator[str]:
    yield f"{'':40}{'by the clock, ms':^22}{'processors, ms':^22}"
    yield f"{'sessions':40}{FEW:>10,}{count:>12,}{FEW:>10,}{count:>12,}{'ratio':>8}   queries"
    for page, early in few.items():
        late = many[page]
        shown = "".join(f"{early[name]:10.1f}{late[name]:12.1f}" for name in ("ms", "cpu"))
        held = ("  held" if _holds(early, late) else "  NOT HELD") if page in JUDGED else ""
        yield f"{page:40}{shown}{_ratio(early, late):8.2f}   {early['queries']:.0f} / {late['queries']:.0f}{held}"
    yield f"held to: at most {RATIO_LIMIT} times, {QUERY_LIMIT} queries"


def _ratio(early: dict[str, float], late: dict[str, float]) -> float:
    return late["cpu"] / early["cpu"]


def _holds(early: dict[str, float], late: dict[str, float]) -> bool:
    """By the clock and by the processors, each."""
    slower = max(late[name] / early[name] for name in ("ms", "cpu"))
    return slower <= RATIO_LIMIT and late["queries"] <= QUERY_LIMIT


def within(few: Figures, many: Figures) -> bool:
    """Whether the pages that are held to the limits keep them."""
    return all(_holds(few[page], many[page]) for page in JUDGED)


def compared(database: str, sessions: int, who: str, environments: Mapping[int, dict[str, str]]) -> bool:
    """Measure, print, and say whether the limits were kept."""
    few, many = (figures(count, who, **environments[count]) for count in (FEW, sessions))
    print(database, *table(few, many, sessions), "", sep="\n", flush=True)
    return within(few, many)


def _databases(server: PostgresServer, sessions: int) -> dict[int, dict[str, str]]:
    names = {count: server.create_database(f"lists_{count}") for count in (FEW, sessions)}
    return {count: {"DATABASE_URL": url, "SONI_DEPLOYMENT": "embedded"} for count, url in names.items()}


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--sessions", type=int, default=100_000)
    options.add_argument("--who", default="olga")
    options.add_argument("--only", choices=("sqlite", "postgres"))
    chosen = options.parse_args()
    kept = []
    if chosen.only != "postgres":
        kept.append(compared("SQLite", chosen.sessions, chosen.who, {count: {} for count in (FEW, chosen.sessions)}))
    if chosen.only != "sqlite":
        with postgres_server() as server:
            kept.append(compared("PostgreSQL", chosen.sessions, chosen.who, _databases(server, chosen.sessions)))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
