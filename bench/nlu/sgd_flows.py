"""SGD's schema as an assistant: a flow an intent, a collect step a slot that the intent wants."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bench.nlu.data import rows
from dialogue.engine.language.compiler import Assistant, load_assistant
from dialogue.nlu.text.tokens import fold

EXAMPLES = 5
# SGD's dialogues are of March 2019.
NOW = datetime(2019, 3, 1, 9, tzinfo=UTC)
NO_VALUE = "dontcare"


def flow_name(service: str, intent: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", f"{service}_{intent}").lower()


@cache
def assistant_of(folder: Path) -> Assistant:
    """The first five sentences of each intent are its examples."""
    examples: dict[str, list[str]] = defaultdict(list)
    for row in rows(folder / "intent_examples.jsonl"):
        examples[flow_name(row["service"], row["intent"])].append(row["text"])
    head = {"version": 1, "assistant": "sgd", "title": "SGD", "description": "Services of SGD.", "language": "en"}
    documents = {"assistant.yaml": json.dumps({**head, "knowledge": _knowledge(folder)})}
    for service in json.loads((folder / "schema.json").read_text()):
        for intent in service["intents"]:
            name = flow_name(service["service_name"], intent["name"])
            documents[f"{name}.yaml"] = json.dumps(_flow(name, service, intent, examples[name][:EXAMPLES]))
    return load_assistant(documents)


def _knowledge(folder: Path) -> dict[str, Any]:
    """What a service only tells and never asks for, such as an address, as topics with one question each."""
    schema = json.loads((folder / "schema.json").read_text())
    told: dict[str, Any] = {}
    for service in schema:
        asked = {
            slot for intent in service["intents"] for slot in (*intent["required_slots"], *intent["optional_slots"])
        }
        for slot in (slot for slot in service["slots"] if slot["name"] not in asked):
            question = f"What is the {slot['name'].replace('_', ' ')}?"
            told[slot["name"]] = {"questions": [question, f"{slot['description']}?"], "answer": slot["description"]}
    return told


def closed_slots(folder: Path) -> Mapping[str, frozenset[str]]:
    """By service, the slots whose values are of a closed list."""
    schema = json.loads((folder / "schema.json").read_text())
    return {
        each["service_name"]: frozenset(slot["name"] for slot in each["slots"] if slot["is_categorical"])
        for each in schema
    }


def services_of(folder: Path) -> Mapping[str, str]:
    """The service of each flow."""
    schema = json.loads((folder / "schema.json").read_text())
    named = ((each["service_name"], intent["name"]) for each in schema for intent in each["intents"])
    return {flow_name(service, intent): service for service, intent in named}


def _flow(name: str, service: Mapping[str, Any], intent: Mapping[str, Any], examples: Sequence[str]) -> dict[str, Any]:
    known = {slot["name"]: slot for slot in service["slots"]}
    wanted = [*intent["required_slots"], *intent["optional_slots"]]
    steps = [{"step": f"ask_{slot}", "type": "collect", "slot": slot} for slot in wanted]
    done = {"step": "finish", "type": "say", "message": "Done."}
    return {
        "flow": name,
        "title": intent["description"],
        "description": intent["description"],
        "examples": [re.sub(r"[{}]", "", each) for each in examples],
        "slots": {slot: slot_definition(known[slot]) for slot in wanted},
        "steps": [*steps, done],
    }


def slot_definition(slot: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"type": _type(slot), "description": slot["description"], "prompt": f"{slot['description']}?"}
    if shown["type"] == "choice":
        shown["options"] = [{"value": _word(value), "label": value} for value in slot["possible_values"]]
    return shown


def _type(slot: Mapping[str, Any]) -> str:
    values = slot["possible_values"]
    if set(values) == {"True", "False"}:
        return "boolean"
    if values:
        return "integer" if all(value.isdigit() for value in values) else "choice"
    return next(_typed(slot["name"], slot["description"].lower()), "text")


def _typed(name: str, description: str) -> Iterator[str]:
    """By the slot's name and what it is, as an author would."""
    parts = name.split("_")
    if re.match(r"(?:the )?number of", description) or description.endswith("in days"):
        yield "integer"
    if "date" in parts:
        yield "date"
    if "time" in parts and "wait" not in parts:
        yield "time"
    if parts[0] in ("amount", "price", "total"):
        yield "money"


def _word(value: str) -> str:
    return re.sub(r"\W+", "_", fold(value)).strip("_")
