"""As many conversations as are in flight, each taking its turns; for `bench.postgres` and `bench.sqlite`. JSON."""

import argparse
import asyncio
import json
import statistics
import time

from bench.product_turn import ASKING, pages_per_turn, talk  # sets Django up
from tests.support.releases import publish

from django.core.management import call_command  # isort: skip
from django.db import connection  # isort: skip

from dialogue.turns.accept import open_conversation
from dialogue.turns.process.database import in_thread

WARM = 3


async def run(in_flight: int, turns: int) -> dict[str, float]:
    conversations = [(await in_thread(open_conversation)("survey"))[0] for _ in range(in_flight)]
    await asyncio.gather(*(talk(each, range(WARM)) for each in conversations))
    began, spent = time.perf_counter(), time.process_time()
    took = await asyncio.gather(*(talk(each, range(WARM, WARM + turns)) for each in conversations))
    wall, spent = time.perf_counter() - began, time.process_time() - spent
    all_of_them = [each for part in took for each in part]
    count = len(all_of_them)
    figures = {"rate": count / wall, "p50": statistics.median(all_of_them), "cpu": spent / count * 1000}
    if connection.vendor == "sqlite":
        figures["pages"] = await pages_per_turn(in_flight, turns=4)
    return figures


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("--in-flight", type=int, default=32)
    options.add_argument("--turns", type=int, default=12)
    chosen = options.parse_args()
    call_command("migrate", verbosity=0)
    publish(ASKING)
    print(json.dumps(asyncio.run(run(chosen.in_flight, chosen.turns))))
