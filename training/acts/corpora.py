"""What people said in public data, labelled with acts: CLINC, SGD, SNIPS and MultiDoGO.

What `dev_300` of SGD covers, two intents of SNIPS, three domains of MultiDoGO and CLINC's `test` are for reporting.
"""

import csv
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CLINC_ACTS = {
    "yes": "affirm",
    "no": "deny",
    "cancel": "cancel",
    "repeat": "repeat",
    "what_can_i_ask_you": "help",
    "goodbye": "farewell",
    "thank_you": "thanks",
    "greeting": "greeting",
    "are_you_a_bot": "small_talk",
    "tell_joke": "small_talk",
    "what_is_your_name": "small_talk",
    "who_made_you": "small_talk",
    "how_old_are_you": "small_talk",
    "where_are_you_from": "small_talk",
    "meaning_of_life": "small_talk",
    "do_you_have_pets": "small_talk",
    "what_are_your_hobbies": "small_talk",
    "who_do_you_work_for": "small_talk",
    "fun_fact": "small_talk",
}
# What sounds like an act and is a request in CLINC, or is both.
CLINC_LEFT_OUT = frozenset({"next_song", "reset_settings", "change_speed"})
SNIPS_INTENTS = frozenset({"BookRestaurant", "GetWeather", "PlayMusic", "RateBook", "SearchCreativeWork"})
MULTIDOGO_ACTS = {
    "openinggreeting": "greeting",
    "thankyou": "thanks",
    "closinggreeting": "farewell",
    "confirmation": "affirm",
    "rejection": "deny",
    "contentonly": "other",
}
MULTIDOGO_TRAINED = ("fastfood", "software")
MULTIDOGO_REPORTED = ("airline", "insurance", "media")
HOW_ARE_YOU = (
    "how are",
    "how is",
    "how's",
    "how have",
    "how r",
    "what's",
    "whats",
    "how you",
    "how do you do",
    "up to",
)
MAX_SENTENCES_AN_ACT = 900
MAX_OTHER_SENTENCES = 8_000

Labelled = tuple[str, str]


def trained_sentences(data: Path, generator: random.Random) -> list[Labelled]:
    """Return the sentences to train on, each with its act; no act has more than its share."""
    rows = [
        *_clinc(data / "clinc" / "train_20shot_s0.jsonl"),
        *_sgd(data / "sgd" / "train.jsonl.gz", _services(data / "sgd" / "schema.json")),
        *_snips(data / "snips" / "train.jsonl"),
        *(row for domain in MULTIDOGO_TRAINED for row in _multidogo(data / "multidogo" / f"{domain}.train.tsv")),
    ]
    by_act: dict[str, list[Labelled]] = {}
    for row in dict.fromkeys((text.strip(), act) for text, act in rows):
        by_act.setdefault(row[1], []).append(row)
    sentences = []
    for act, labelled in sorted(by_act.items()):
        generator.shuffle(labelled)
        sentences += labelled[: MAX_OTHER_SENTENCES if act == "other" else MAX_SENTENCES_AN_ACT]
    return sentences


def reported_sentences(data: Path) -> dict[str, list[Labelled]]:
    """Return for each source the labelled sentences that no training uses."""
    return {
        "CLINC test": list(_clinc(data / "clinc" / "test.jsonl")),
        "SGD dev_300": list(dict.fromkeys(_sgd(data / "sgd" / "dev_300.jsonl", frozenset()))),
        **{
            f"MultiDoGO {domain}": list(dict.fromkeys(_multidogo(data / "multidogo" / f"{domain}.dev.tsv")))
            for domain in MULTIDOGO_REPORTED
        },
    }


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _services(path: Path) -> frozenset[str]:
    return frozenset(service["service_name"] for service in json.loads(path.read_text(encoding="utf-8")))


def _clinc(path: Path) -> Iterator[Labelled]:
    for row in _json_lines(path):
        if row["intent"] in CLINC_LEFT_OUT:
            continue
        act = CLINC_ACTS.get(row["intent"], "other")
        if act == "greeting" and any(cue in row["text"] for cue in HOW_ARE_YOU):
            act = "small_talk"
        yield row["text"], act


def _sgd(path: Path, left_out_services: frozenset[str]) -> Iterator[Labelled]:
    for dialogue in _json_lines(path):
        if left_out_services & set(dialogue["services"]):
            continue
        for turn in dialogue["turns"]:
            if act := _sgd_act(turn):
                yield turn["user"], act


def _sgd_act(turn: dict[str, Any]) -> str | None:
    """Return the act of a turn; None for a turn with several acts."""
    user_acts = [act for frame in turn["frames"] for act in frame["user_acts"]]
    names = {act[0] for act in user_acts}
    values = {value for act in user_acts if act[0] == "INFORM" for value in act[2] or []}
    if names and names <= {"AFFIRM", "AFFIRM_INTENT"}:
        return "affirm"
    if names & {"NEGATE", "NEGATE_INTENT"} and names <= {"NEGATE", "NEGATE_INTENT"}:
        return "deny"
    if names == {"THANK_YOU"}:
        return "thanks"
    if names == {"INFORM"} and values == {"dontcare"}:
        return "skip"
    if names and names <= {"INFORM", "REQUEST", "INFORM_INTENT"} and "dontcare" not in values:
        return "other"
    return None


def _snips(path: Path) -> Iterator[Labelled]:
    yield from ((row["text"], "other") for row in _json_lines(path) if row["intent"] in SNIPS_INTENTS)


def _multidogo(path: Path) -> Iterator[Labelled]:
    """Yield turns of one intent; greetings that bring a request and thanks that say goodbye are left out."""
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            text, act = row["utterance"] or "", MULTIDOGO_ACTS.get(row["intent"] or "")
            short = len(text.split()) <= 5
            if act and text and (act == "other" or short) and not (act == "farewell" and "than" in text):
                yield text, act
