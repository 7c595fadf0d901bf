"""Turns of public data as examples: SGD, SNIPS and MultiDoGO; the README of the folder names sources and licences."""

import csv
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from training.examples import Example, SlotTexts, Span, slot_texts

TRAINED_INTENTS = ("BookRestaurant", "GetWeather", "PlayMusic", "RateBook", "SearchCreativeWork")
REPORTED_INTENTS = ("AddToPlaylist", "SearchScreeningEvent")
TRAINED_DOMAINS = ("fastfood", "software")
REPORTED_DOMAINS = ("airline", "insurance", "media")
MULTIDOGO_WORDS = {
    "phonenumber": "phone number",
    "claimid": "claim id",
    "policyid": "policy id",
    "datacategoryvalues": "data plan, amount of data",
    "ssn": "social security number",
    "cost": "cost, amount of the expense",
    "name": "name of the customer",
    "address": "address for the delivery",
}
MAX_KEPT_VALUES = 40


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the file's objects; a file may be packed with gzip."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def sgd_schema(path: Path) -> dict[str, dict[str, str]]:
    """Return by service the descriptions of the slots whose values are said in words."""
    return {
        service["service_name"]: {
            slot["name"]: slot["description"] for slot in service["slots"] if not slot["is_categorical"]
        }
        for service in json.loads(path.read_text(encoding="utf-8"))
    }


def sgd_training(data: Path, random: Random) -> list[Example]:
    """Return turns of the dialogues without any service that the dialogues for reporting have."""
    reported, schema = sgd_schema(data / "sgd" / "schema.json"), sgd_schema(data / "sgd" / "schema_train.json")
    dialogues = json_lines(data / "sgd" / "train.jsonl.gz")
    turns = [
        (turn, frame)
        for dialogue in dialogues
        if not set(dialogue["services"]) & set(reported)
        for turn in dialogue["turns"]
        for frame in turn["frames"][:1]
    ]
    texts = _schema_texts(random, schema, turns)
    return list(_sgd_examples(turns, texts))


def _schema_texts(
    random: Random, schema: Mapping[str, Mapping[str, str]], turns: Sequence[tuple[Any, Any]]
) -> dict[str, dict[str, SlotTexts]]:
    values: dict[tuple[str, str], list[str]] = defaultdict(list)
    for turn, frame in turns:
        for slot, start, end in frame["spans"]:
            if len(values[frame["service"], slot]) < MAX_KEPT_VALUES:
                values[frame["service"], slot].append(turn["user"][start:end])
    return {
        service: {name: slot_texts(random, name, text, (), values[service, name]) for name, text in slots.items()}
        for service, slots in schema.items()
    }


def _sgd_examples(turns: Sequence[tuple[Any, Any]], texts: Mapping[str, Mapping[str, SlotTexts]]) -> Iterator[Example]:
    seen: set[str] = set()
    for turn, frame in turns:
        if turn["user"] not in seen:
            seen.add(turn["user"])
            example = sgd_example(turn, frame, texts[frame["service"]])
            if example is not None:
                yield example


def sgd_example(turn: Mapping[str, Any], frame: Mapping[str, Any], slots: Mapping[str, SlotTexts]) -> Example | None:
    """Return the turn as an example; None where it repeats a value that it does not give."""
    informed = {act[1] for act in frame["user_acts"] if act[0] == "INFORM"}
    spans = tuple((slot, start, end) for slot, start, end in frame["spans"] if slot in slots)
    if any(slot not in informed for slot, _, _ in spans):
        return None
    asked = {act[1] for part in turn["system_acts"] for act in part["acts"] if act[0] == "REQUEST"}
    return Example(turn["user"], slots, spans, frozenset(asked & set(slots)))


def snips_examples(data: Path, random: Random, intents: Sequence[str]) -> list[Example]:
    """Return the sentences of these intents, with all slots of their intent."""
    rows = [row for row in json_lines(data / "snips" / "train.jsonl") if row["intent"] in intents]
    values: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        for name, _, _, value in row["slots"]:
            values[row["intent"]][name].append(value)
    texts = {
        intent: {name: slot_texts(random, snips_words(name), "", (), kept) for name, kept in slots.items()}
        for intent, slots in values.items()
    }
    return [
        Example(row["text"], texts[row["intent"]], tuple((name, a, b) for name, a, b, _ in row["slots"]))
        for row in rows
    ]


def snips_words(name: str) -> str:
    return {"timeRange": "time", "poi": "point of interest"}.get(name, name)


def multidogo_examples(data: Path, random: Random, domains: Sequence[str], part: str = "train") -> list[Example]:
    """Return the turns of these domains; a slot counts as asked for where a turn is only its value."""
    return [example for domain in domains for example in _multidogo_domain(data, random, domain, part)]


def _multidogo_domain(data: Path, random: Random, domain: str, part: str) -> Iterator[Example]:
    turns = list(_multidogo_turns(data / "multidogo" / f"{domain}.{part}.tsv"))
    values: dict[str, list[str]] = defaultdict(list)
    for text, spans, _ in turns:
        for slot, start, end in spans:
            values[slot].append(text[start:end])
    slots = {
        name: slot_texts(random, MULTIDOGO_WORDS.get(name, name), "", (), kept[:MAX_KEPT_VALUES])
        for name, kept in values.items()
        if len(kept) >= MAX_KEPT_VALUES
    }
    for text, spans, is_answer in dict.fromkeys(turns):
        kept_spans = tuple(span for span in spans if span[0] in slots)
        awaited = {kept_spans[0][0]} if kept_spans and is_answer else {random.choice(list(slots))} - {"name"}
        yield Example(text, slots, kept_spans, frozenset(awaited))


def _multidogo_turns(path: Path) -> Iterator[tuple[str, tuple[Span, ...], bool]]:
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            words, labels = (row["utterance"] or "").split(), (row["slot-labels"] or "").split()
            if words and len(words) == len(labels):
                yield " ".join(words), tuple(labelled_spans(words, labels)), row["intent"] == "contentonly"


def labelled_spans(words: Sequence[str], labels: Sequence[str]) -> Iterator[Span]:
    """Yield (slot, start, end) in the joined words. Consecutive words with the same label are one value."""
    start, previous, begin = 0, "O", 0
    for word, label in zip((*words, ""), (*labels, "O"), strict=True):
        if label != previous:
            if previous != "O":
                yield previous, begin, start - 1
            begin = start
        previous, start = label, start + len(word) + 1
