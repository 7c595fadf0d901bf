"""SNIPS's seven intents as flows with ten sentences each: the slots of a first message."""

import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bench.nlu.data import rows
from bench.nlu.figures import share_line
from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.engine.ports.commands import Command, SetSlot, StartFlow
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from dialogue.nlu.text.tokens import fold
from dialogue.nlu.training.labelled_examples import first_message_context

EXAMPLES, TESTED = 10, 100
WITH_VALUES = {0: "each value replaced by its slot", 5: "so in half of them", 10: "every value as it was said"}
"""How many of an intent's examples keep their values, and what the table calls it."""
UNSEEN_INTENTS = ("AddToPlaylist", "SearchScreeningEvent")
"""Intents that no part of understanding was trained on: `training/public_turns.py` names the others."""

Rows = Sequence[Mapping[str, Any]]


def table(folder: Path) -> Iterator[str]:
    examples, tests = _parts(folder)
    for name, embedded in (("with", True), ("without", False)):
        yield f"SNIPS, {EXAMPLES} sentences an intent, {TESTED} others tested; {name} the extra `embedded`"
        for kept, form in WITH_VALUES.items():
            assistant = _assistant_of(examples, kept)
            nlu = build_nlu(assistant, "learned", NLUSettings(use_embeddings=embedded))
            nlu.prepare()
            yield f"examples: {form}"
            for kind, intents in (("unseen", UNSEEN_INTENTS), ("trained", sorted(tests.keys() - UNSEEN_INTENTS))):
                sentences = [row for intent in intents for row in tests[intent]]
                yield from _lines(f"{name}, {kind} intents", nlu, assistant, sentences)


def _lines(name: str, nlu: NLUPipeline, assistant: Assistant, tests: Rows) -> Iterator[str]:
    context = first_message_context(assistant)
    started = misled = correct = proposed = expected = 0
    for row in tests:
        commands = asyncio.run(nlu.understand(row["text"], context)).commands
        wanted_flow = _flow_name(row["intent"])
        started += StartFlow(wanted_flow) in commands
        misled += any(isinstance(each, StartFlow) and each.flow != wanted_flow for each in commands)
        values, wanted = _values(commands), Counter((_slot_name(slot), fold(text)) for slot, _, _, text in row["slots"])
        correct += (values & wanted).total()
        proposed += values.total()
        expected += wanted.total()
    yield share_line(f"{name}: the flow started", started, len(tests))
    yield share_line(f"{name}: another flow started", misled, len(tests))
    yield share_line(f"{name}: precision of slots", correct, proposed)
    yield share_line(f"{name}: recall of slots", correct, expected)
    yield f"{name}: F1 of slots".ljust(62) + f"{200 * correct / max(proposed + expected, 1):7.2f} %"


def _values(commands: Sequence[Command]) -> Counter[tuple[str, str]]:
    """Return the values in the message's own words, by slot."""
    stored = (each for each in commands if isinstance(each, SetSlot))
    return Counter((each.slot, fold(str(each.words or each.value))) for each in stored)


def _parts(folder: Path) -> tuple[dict[str, Rows], dict[str, Rows]]:
    """Return the sentences of each intent that are its examples, and those that are tested."""
    sentences: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows(folder / "train.jsonl"):
        sentences[row["intent"]].append(row)
    for intent in sorted(sentences):
        Random(0).shuffle(sentences[intent])
    examples: dict[str, Rows] = {intent: part[:EXAMPLES] for intent, part in sentences.items()}
    tests: dict[str, Rows] = {intent: part[EXAMPLES : EXAMPLES + TESTED] for intent, part in sentences.items()}
    return examples, tests


def _assistant_of(examples: Mapping[str, Rows], kept: int) -> Assistant:
    """Return the assistant with a flow for each intent; the first `kept` of its examples have their values."""
    head = {
        "version": 1,
        "assistant": "snips",
        "title": "SNIPS",
        "description": "Music and more.",
        "language": "en",
    }
    flows = {f"{_flow_name(intent)}.yaml": json.dumps(_flow(intent, part, kept)) for intent, part in examples.items()}
    return load_assistant({"assistant.yaml": json.dumps(head), **flows})


def _flow_name(intent: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", intent).lower()


def _flow(intent: str, examples: Rows, kept: int) -> dict[str, Any]:
    title = _flow_name(intent).replace("_", " ")
    slots = dict.fromkeys(_slot_name(slot) for row in examples for slot, *_ in row["slots"])
    return {
        "flow": _flow_name(intent),
        "title": title,
        "description": f"The customer wants to {title}.",
        "examples": [*(row["text"] for row in examples[:kept]), *map(_template, examples[kept:])],
        "slots": {slot: {"type": "text", "prompt": f"Which {slot.replace('_', ' ')}?"} for slot in slots},
        "steps": [
            *({"step": f"ask_{slot}", "type": "collect", "slot": slot} for slot in slots),
            {"step": "done", "type": "say", "message": "Done."},
        ],
    }


def _template(row: Mapping[str, Any]) -> str:
    """Return the sentence with each value replaced by its slot in braces."""
    text: str = row["text"]
    for slot, start, end, _ in sorted(row["slots"], key=lambda span: -span[1]):
        text = f"{text[:start]}{{{_slot_name(slot)}}}{text[end:]}"
    return text


def _slot_name(slot: str) -> str:
    return {"timeRange": "time", "poi": "point_of_interest"}.get(slot, slot)
