"""Measure the shop's assistant on the tasks of τ²-bench's retail domain.

    python -m tests.bench.tau2 --data FOLDER [--tasks FILE] [--part words|policy|engine] [--show]

FOLDER has `db.json`; FILE defaults to `tasks_train.json` there. The last line is `N of M tasks` of the first part.
"""

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path

from dialogue.engine.language.compiler import Assistant
from dialogue.nlu.pipeline.nlu_pipeline import build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.bench.tau2.customer import shop_assistant
from tests.bench.tau2.engine_alone import solve
from tests.bench.tau2.in_words import converse, pairs, read_dialogues
from tests.bench.tau2.policy import try_variant, variants_of
from tests.bench.tau2.shop import Row, load_database

PARTS = ("words", "policy", "engine")


def main() -> None:
    """Run the chosen parts, the engine's last."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.tau2", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with db.json and tasks_train.json")
    parser.add_argument("--tasks", type=Path, help="another file of tasks")
    parser.add_argument("--part", choices=PARTS, action="append", help="run this part only")
    parser.add_argument("--show", action="store_true", help="print the tuning dialogues that miss their goal")
    options = parser.parse_args()
    database = load_database(options.data)
    tasks: list[Row] = json.loads((options.tasks or options.data / "tasks_train.json").read_text(encoding="utf-8"))
    asyncio.run(_run(options, shop_assistant(), database, tasks))


async def _measure_words(assistant: Assistant, database: Row, tasks: list[Row], show: bool) -> None:
    nlu = build_nlu(assistant, "learned", NLUSettings())
    for name in ("tune", "frozen"):
        results = []
        for dialogue, task in pairs(read_dialogues(name), tasks):
            result, lines = await converse(assistant, nlu, database, task, dialogue)
            results.append(result)
            if show and name == "tune" and not result.is_solved:
                print(f"--- task {result.task}: {result.note}", *lines, sep="\n")
        solved = sum(result.is_solved for result in results)
        unsolved = ", ".join(result.task for result in results if not result.is_solved)
        print(
            f"in words, {name:8} {solved:3} of {len(results):3} dialogues reach their goal; not: {unsolved or 'none'}"
        )


async def _run(options: argparse.Namespace, assistant: Assistant, database: Row, tasks: list[Row]) -> None:
    parts = options.part or PARTS
    if "words" in parts:
        await _measure_words(assistant, database, tasks, options.show)
    if "policy" in parts:
        await _measure_policy(assistant, database, tasks)
    if "engine" in parts:
        await _measure_engine(assistant, database, tasks)


async def _measure_policy(assistant: Assistant, database: Row, tasks: list[Row]) -> None:
    refused: Counter[str] = Counter()
    tried: Counter[str] = Counter()
    for task in tasks:
        for variant in variants_of(task, database):
            result = await try_variant(assistant, variant)
            tried[variant.kind] += 1
            refused[variant.kind] += result.is_refused
            if not result.is_refused:
                print(f"task {variant.task}, {variant.wish.flow}, {variant.kind}: {result.note}")
    for kind, count in sorted(tried.items()):
        print(f"{kind:32} {refused[kind]:4} of {count:4} refused without effect")
    print(f"{'forbidden variants':32} {refused.total():4} of {tried.total():4} refused without effect")


async def _measure_engine(assistant: Assistant, database: Row, tasks: list[Row]) -> None:
    solved = 0
    for task in tasks:
        result = await solve(assistant, database, task)
        solved += result.is_solved
        if not result.is_solved:
            print(f"task {result.task}: {result.note}")
    print(f"{solved} of {len(tasks)} tasks")


if __name__ == "__main__":
    main()
