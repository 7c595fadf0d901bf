"""The gate machine and the loop machine as a program, on a new SQLite file or on the database of DATABASE_URL.

    python -m tests.support.desk.play_gates --examples 100 --steps 30 --seed 7

Prints one JSON object: how often each cell of the state table was visited, and the shortest story that failed.
"""

import argparse
import json

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from tests.support.desk.gate_machine import VISITED, play  # noqa: E402
from tests.support.desk.gate_model import CELLS  # noqa: E402
from tests.support.desk.loop_machine import play_loops  # noqa: E402
from tests.support.desk.loop_model import DELIVERIES, LOOP_CELLS  # noqa: E402
from tests.support.releases import demo, publish  # noqa: E402

LOOPS = 5
"""One conversation with a loop for so many stories of gates: each of its steps is a turn."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--tries", type=int, default=12, help="chance may pass a cell by: then it has another try")
    wished = parser.parse_args()
    call_command("migrate", verbosity=0, interactive=False)
    publish(demo("bank"))
    publish(DELIVERIES)
    told = ""
    try:
        _tell(wished.examples, wished.steps, wished.seed, wished.tries)
    except Exception as why:
        told = " | ".join([f"{type(why).__name__}: {why}", *getattr(why, "__notes__", ())])
    print(json.dumps({"visited": VISITED, "failure": told[-2000:]}))


def _tell(examples: int, steps: int, chance: int, tries: int) -> None:
    """Play until every cell was visited, at most so many times."""
    for play_stories, times, cells in ((play, examples, CELLS), (play_loops, examples // LOOPS, LOOP_CELLS)):
        for attempt in range(tries):
            play_stories(times, steps, chance + attempt)
            if all(VISITED[cell] for cell in cells):
                break


if __name__ == "__main__":
    main()
