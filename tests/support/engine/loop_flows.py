"""Flows that go through a list: an exchange of items with words, and one whose replacements are chosen from data."""

from typing import Any

from dialogue.engine.language.compiler import Assistant
from tests.support.engine.dialogue_harness import Talk, assistant_of

ITEMS: list[dict[str, Any]] = [{"id": f"i{number}", "name": name} for number, name in enumerate(("lamp", "mug", "pen"))]
SLOTS = """
  items: {type: list, items: {type: object, fields: {id: {type: text}, name: {type: text}}}, prompt: "Which items?"}
  replacement: {type: text, prompt: "Replace it by what?"}
  reason: {type: text, prompt: "Why?"}
  new: {type: list, items: {type: text}}
  old: {type: list, items: {type: text}}
"""
EXCHANGE = f"""
flow: exchange
title: exchange items
description: Exchanges items of an order.
slots: {SLOTS}
steps:
  - {{step: ask_items, type: collect, slot: items}}
  - {{step: ask_reason, type: collect, slot: reason}}
  - step: each_swap
    type: for_each
    item: swap
    in: items
    per_item: [replacement]
    gather: {{new: replacement, old: "='x'"}}
    do:
      - {{step: ask, type: collect, slot: replacement, message: "What for the {{swap.name}}?"}}
      - {{step: tell, type: say, message: "{{swap.name}} becomes {{replacement}}."}}
  - {{step: check, type: confirm, message: "Take {{new}}, because {{reason}}?"}}
  - {{step: done, type: say, message: "Done: {{new}}."}}
"""
CHOICE_RECORDS = """
records:
  variant: {fields: {id: text, name: text}, label: "{name}"}
  thing: {fields: {name: text, variants: list of variant}, label: "{name}"}
actions:
  load: {outputs: {things: list of thing}, idempotent: true}
"""
CHOOSING = """
flow: exchange
title: exchange items
description: Exchange items of an order for others.
examples: [I want to exchange my items, swap what I bought, quiero cambiar mis productos]
slots:
  things: optional list of thing
  replacement: {type: variant, options: {from: swap.variants, label: "{name}"}, prompt: "Which one?"}
  chosen: list of variant
steps:
  - {step: load, type: action, call: load, outputs: {things: things}, on_error: check}
  - step: each_swap
    type: for_each
    item: swap
    in: things
    per_item: [replacement]
    gather: {chosen: replacement}
    do:
      - {step: ask, type: collect, slot: replacement, message: "Which {swap.name}?"}
  - {step: check, type: confirm, message: "Take {chosen}?"}
"""


async def exchange_items(
    *values: str, items: list[dict[str, Any]] | None = None, flow: str = EXCHANGE, **more: Any
) -> Talk:
    """Begin a talk about an exchange, and answer the first rounds with these values."""
    talk = Talk(assistant_of(flow, head=more.pop("head", "")), **more)
    await talk.does({"start_flow": "exchange"}, {"set_slot": {"items": items or ITEMS, "reason": "broken"}})
    for value in values:
        await talk.does({"set_slot": {"replacement": value}})
    return talk


def choosing_assistant(language: str = "en") -> Assistant:
    """Return an assistant with the exchange whose replacements are options of each entry."""
    return assistant_of(CHOOSING, head=f"language: {language}\n{CHOICE_RECORDS}")
