"""The cost of a choice among 1,000 options from data: the turn that offers them, and turns that answer in words.

The engine with the local understanding, without a database, in milliseconds of the processor. Each conversation has
orders of its own. Runs in a process of its own; prints one JSON object.
"""

import argparse
import asyncio
import json
import statistics
import time
from datetime import UTC, datetime
from typing import Any

from bench.engine_turn import NewestOnly, paused
from dialogue.engine.actions import ActionCall, Succeeded
from dialogue.engine.graph import Dialogue, RuntimeContext, compile_dialogue, run_turn
from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.events import message
from dialogue.engine.ports.sinks import BufferSink
from dialogue.nlu import build_nlu

OPTIONS = 1_000
ASSISTANT = """\
version: 1
assistant: shop
records:
  order:
    fields:
      order_id: text
      summary: text
      status: {type: choice, options: [pending, delivered]}
      placed: date
      total: {type: money, currency: EUR}
actions:
  find_orders: {outputs: {orders: list of order}, effect: none}
"""
CANCEL = """\
flow: cancel
title: cancel an order
description: Cancels an order.
examples: [cancel my order, cancel an order]
slots:
  order:
    type: order
    prompt: Which order is it?
    options: {from: find_orders, value: order_id, label: "{order_id}, {summary}, {total}", when: status == 'pending'}
steps:
  - {step: ask, type: collect, slot: order}
  - {step: sure, type: confirm, message: "Cancel {order}?"}
"""
THINGS = ("desk lamp", "keyboard", "mug", "chair", "thermostat", "backpack", "kettle", "headphones")
COLORS = ("red", "blue", "green", "black", "white")


def order(number: int, conversation: int) -> dict[str, Any]:
    """A pending order that is like others, but for its number and its total; no other conversation has it."""
    placed = f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}"
    summary = f"{COLORS[number % 5]} {THINGS[number % 8]}, parcel {conversation}"
    total = f"{10 + number}.50"
    return {"order_id": f"W{1000 + number}", "summary": summary, "status": "pending", "placed": placed, "total": total}


ANSWERS = {"label": "W1417", "words": "the blue keyboard", "number": "the third one", "amount": "the one for 427.50"}
"""Answers by label, by words that fit many, by number and by an attribute."""


class Shop:
    """The action: a list of its own for each conversation, so that nothing of another one is used again."""

    def __init__(self, conversation: int) -> None:
        self._orders = [order(number, conversation) for number in range(OPTIONS)]

    async def run(self, call: ActionCall) -> Succeeded:
        return Succeeded({"orders": [dict(entry) for entry in self._orders]})


class Shopper:
    """Conversations with the shop, one after the other."""

    def __init__(self) -> None:
        self.dialogue: Dialogue = compile_dialogue(load_assistant({"assistant.yaml": ASSISTANT, "cancel.yaml": CANCEL}))
        self.nlu = build_nlu(self.dialogue.assistant, "learned")
        self.shop = Shop(0)
        self.conversations = 0

    async def choose(self, answer: str) -> tuple[float, float]:
        """Open a conversation and answer its question. Return the milliseconds of both turns."""
        self.conversations += 1
        self.shop = Shop(self.conversations)
        saver = NewestOnly()
        asked, offered = await self._turn(saver, "cancel my order")
        if asked != ["ask:order"]:
            raise RuntimeError(f"the opening led to {asked}")
        answered, chosen = await self._turn(saver, answer)
        if answered not in (["confirm:cancel"], ["ask:order"]):
            raise RuntimeError(f"{answer!r} led to {answered}")
        return offered, chosen

    async def _turn(self, saver: NewestOnly, text: str) -> tuple[list[str], float]:
        context = RuntimeContext(
            conversation=f"c{self.conversations}",
            assistant=self.dialogue.assistant,
            nlu=self.nlu,
            actions=self.shop,
            sink=BufferSink(),
            hitl=paused,
            now=datetime.now(UTC),
        )
        config: Any = {"configurable": {"thread_id": context.conversation}}
        began = time.process_time()
        event = message(f"{self.conversations} {text}", text)
        outcome = await run_turn(self.dialogue, event, context, config=config, checkpointer=saver)
        return [line.key for line in outcome.messages], (time.process_time() - began) * 1000


async def measured(rounds: int) -> dict[str, float]:
    """The median milliseconds of the turn that offers the options, and of each kind of answer."""
    shopper = Shopper()
    took: dict[str, list[float]] = {"offer": [], **{name: [] for name in ANSWERS}}
    for answer in ANSWERS.values():
        await shopper.choose(answer)  # the first time fills caches, as a server that runs has filled them
    for _ in range(rounds):
        for name, answer in ANSWERS.items():
            offered, chosen = await shopper.choose(answer)
            took["offer"].append(offered)
            took[name].append(chosen)
    return {name: statistics.median(times) for name, times in took.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    print(json.dumps(asyncio.run(measured(options.parse_args().rounds))))


if __name__ == "__main__":
    main()
