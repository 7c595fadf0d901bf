"""The cost of an item in a loop over 10 items and over 200, without a database: asked one by one, and all in one turn.

Runs in a process of its own; prints one JSON object.
"""

import argparse
import asyncio
import json
import statistics
import time
from datetime import UTC, datetime
from typing import Any

from bench.engine_turn import NewestOnly, paused
from dialogue.engine.actions import StubbedActions
from dialogue.engine.graph import Dialogue, RuntimeContext, TurnOutcome, compile_dialogue, run_turn
from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import SetSlot, StartFlow
from dialogue.engine.ports.events import message
from dialogue.engine.ports.sinks import BufferSink
from dialogue.engine.understanding import NLUContext, Understanding

HEAD = """
version: 1
assistant: swaps
title: Swaps
records: {item: {fields: {item_id: text, name: text, price: {type: money, currency: EUR}}, label: "{name}"}}
actions: {exchange: {inputs: {item_id: text, other: text}, outputs: {}, idempotent: true}}
"""
SWAPS = """
flow: swaps
title: swaps
description: Swaps items.
examples: [swap my items]
slots:
  items: list of item
  other: {type: text, prompt: For what?}
  others: list of text
steps:
  - step: each
    type: for_each
    item: swap
    in: items
    max_items: 200
    per_item: [other]
    gather: {others: other}
    do:
      - {step: ask, type: collect, slot: other}
      - {step: swap_it, type: action, call: exchange, inputs: {item_id: swap.item_id, other: other}, on_error: done}
      - {step: told, type: branch, cases: [{when: "swap.price > 1000", next: continue}]}
  - {step: done, type: say, message: "{others}"}
"""
SILENT = SWAPS.replace("per_item: [other]", "per_item: []").replace(
    "- {step: ask, type: collect, slot: other}", "- {step: note, type: set, slots: {other: x}}"
)


class Scripted:
    """Understands every message as the list, or as the next value."""

    def __init__(self, count: int) -> None:
        self.items = [{"item_id": f"i{n}", "name": f"item {n}", "price": f"{n}.00"} for n in range(count)]

    async def understand(self, text: str, context: NLUContext) -> Understanding:
        start = (StartFlow("swaps"), SetSlot("items", self.items))
        return Understanding(start if text == "start" else (SetSlot("other", text),))


class Talk:
    """One conversation that goes through `count` items."""

    def __init__(self, dialogue: Dialogue, count: int) -> None:
        self.dialogue, self.count = dialogue, count
        self._saver, self._nlu, self._turns = NewestOnly(), Scripted(count), 0

    async def turn(self, text: str) -> tuple[float, TurnOutcome]:
        """The next turn; its milliseconds, and what came of it."""
        self._turns += 1
        context = RuntimeContext(
            conversation="c",
            assistant=self.dialogue.assistant,
            nlu=self._nlu,
            actions=StubbedActions({"exchange": [{"returns": {}}]}),
            sink=BufferSink(),
            hitl=paused,
            now=datetime.now(UTC),
        )
        config: Any = {"configurable": {"thread_id": "c"}}
        began = time.perf_counter()
        outcome = await run_turn(
            self.dialogue, message(str(self._turns), text), context, config=config, checkpointer=self._saver
        )
        return (time.perf_counter() - began) * 1000, outcome


async def asked(dialogue: Dialogue, count: int) -> tuple[float, float]:
    """The median milliseconds of a round that asks, and the bytes that are remembered for each item at the end."""
    talk = Talk(dialogue, count)
    _, outcome = await talk.turn("start")
    took = []
    remembered = 0
    for number in range(count):
        milliseconds, outcome = await talk.turn(f"answer {number}")
        took.append(milliseconds)
        if number == count - 2:
            remembered = len(json.dumps(outcome.state))
    if outcome.stack:
        raise RuntimeError(f"the loop is not over: {outcome.stack}")
    return statistics.median(took), remembered / count


async def silent(dialogue: Dialogue, count: int) -> float:
    """The milliseconds of an item when all are done in one turn."""
    took, outcome = await Talk(dialogue, count).turn("start")
    if outcome.stack:
        raise RuntimeError(f"the loop is not over: {outcome.stack}")
    return took / count


async def measured(rounds: int) -> dict[str, float]:
    asking, quiet = (
        compile_dialogue(load_assistant({"assistant.yaml": HEAD, "swaps.yaml": flow})) for flow in (SWAPS, SILENT)
    )
    figures: dict[str, list[float]] = {}
    await silent(quiet, 10), await asked(asking, 10)  # compiles the flows
    for _ in range(rounds):
        for count in (10, 200):
            turn, remembered = await asked(asking, count)
            figures.setdefault(f"asked_{count}", []).append(turn)
            figures.setdefault(f"bytes_{count}", []).append(remembered)
            figures.setdefault(f"silent_{count}", []).append(await silent(quiet, count))
    return {name: statistics.median(values) for name, values in figures.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    print(json.dumps(asyncio.run(measured(options.parse_args().rounds))))


if __name__ == "__main__":
    main()
