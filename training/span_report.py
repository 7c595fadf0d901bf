"""What the span extractor gets right on data that it was not trained on; the product's own code reads the messages.

Of SGD's 300 dialogues the first, third, … serve for tuning, the others for reporting. Services, intents and domains do
not occur in training.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from bench.nlu.figures import Took, interval, share_line, time_line
from dialogue.nlu.heads.span_extractor import ScoredSpan, SlotQuery, extract_spans
from dialogue.nlu.text.embeddings import minilm
from training.examples import Example, Span
from training.generated_sentences import generated
from training.public_turns import (
    REPORTED_DOMAINS,
    REPORTED_INTENTS,
    json_lines,
    multidogo_examples,
    sgd_schema,
    snips_examples,
)

MIN_SCORE = 0.5
MAX_SENTENCES = 1_500
Extract = Callable[[str, Sequence[SlotQuery]], Sequence[ScoredSpan]]


@dataclass(frozen=True)
class Turn:
    """A user's turn of SGD; `free` are the slots whose values are neither dates, times, amounts nor numbers."""

    text: str
    queries: tuple[SlotQuery, ...]
    spans: tuple[Span, ...]
    free: frozenset[str]
    is_request: bool
    changed: frozenset[str]

    @property
    def awaited(self) -> frozenset[str]:
        return frozenset(query.name for query in self.queries if query.awaited)


def report(data: Path, extract: Extract = extract_spans, parts: Iterable[str] = ("tuning", "report")) -> Iterator[str]:
    """Yield lines of figures with intervals, then time a message."""
    for part in parts:
        yield from _sgd(list(sgd_turns(data, part)), extract, f"SGD, {part} half")
    random = Random(0)
    for intent in REPORTED_INTENTS:
        yield from _spans(f"SNIPS {intent}", snips_examples(data, random, (intent,)), extract)
    for domain in REPORTED_DOMAINS:
        yield from _spans(f"MultiDoGO {domain}", multidogo_examples(data, random, (domain,), "dev"), extract)
    yield from _spans("generated, another seed", list(generated(Random(99), 600)), extract)
    yield _times(data, extract)


def sgd_turns(data: Path, part: str) -> Iterator[Turn]:
    """Yield the turns of the half; the slots are those of the intent that are said in words."""
    services = {each["service_name"]: each for each in json.loads((data / "sgd" / "schema.json").read_text())}
    words = sgd_schema(data / "sgd" / "schema.json")
    for number, dialogue in enumerate(json_lines(data / "sgd" / "dev_300.jsonl")):
        before: dict[str, Mapping[str, Any]] = {}
        for turn in dialogue["turns"] if number % 2 == (part == "report") else ():
            for frame in turn["frames"]:
                known = before.get(frame["service"], {})
                yield _turn(turn, frame, services[frame["service"]], words[frame["service"]], known)
                before[frame["service"]] = frame["slot_values"]


def _turn(
    turn: Mapping[str, Any], frame: Mapping[str, Any], service: Mapping[str, Any], words: Mapping[str, str], known: Any
) -> Turn:
    intents = [intent for intent in service["intents"] if intent["name"] == frame["active_intent"]]
    wanted = [slot for intent in intents for slot in (*intent["required_slots"], *intent["optional_slots"])]
    slots = [slot for slot in wanted if slot in words]
    asked = {act[1] for part in turn["system_acts"] for act in part["acts"] if act[0] == "REQUEST"}
    told = {act[1] for act in frame["user_acts"] if act[0] == "INFORM"}
    spans = tuple((slot, a, b) for slot, a, b in frame["spans"] if slot in slots and slot in told)
    return Turn(
        turn["user"],
        tuple(SlotQuery(slot, query_text(slot, words[slot]), slot in asked) for slot in slots),
        spans,
        frozenset(slot for slot in slots if is_free_text(slot, words[slot])),
        any(act[0] == "INFORM_INTENT" for act in frame["user_acts"]),
        frozenset(slot for slot, _, _ in spans if slot in known),
    )


def query_text(name: str, description: str) -> str:
    return f"{name.replace('_', ' ')}: {description}. {description}?"


def is_free_text(name: str, description: str) -> bool:
    typed = {"date", "time", "amount", "price", "total", "number", "rating", "fare"} & set(name.split("_"))
    return not typed and not description.lower().startswith(("number of", "the number of"))


def _sgd(turns: Sequence[Turn], extract: Extract, name: str) -> Iterator[str]:
    read = [_read(extract, turn.text, turn.queries) for turn in turns]
    pairs = list(zip(turns, read, strict=True))
    requests = [(turn, spans) for turn, spans in pairs if turn.is_request and not turn.awaited]
    yield from _precision_and_recall(
        f"{name}: free text with a request",
        [
            ({span for span in turn.spans if span[0] in turn.free}, {s for s in spans if s[0] in turn.free})
            for turn, spans in requests
        ],
    )
    for title, free in (("free text", True), ("every type", False)):
        asked = [
            (span, spans)
            for turn, spans in pairs
            for span in turn.spans
            if span[0] in turn.awaited and len(turn.awaited) == 1 and (not free or span[0] in turn.free)
        ]
        yield share_line(f"{name}: slot just asked, {title}", sum(span in spans for span, spans in asked), len(asked))
    changes = [(span, spans) for turn, spans in pairs for span in turn.spans if span[0] in turn.changed & turn.free]
    yield share_line(f"{name}: changed values, free text", sum(span in spans for span, spans in changes), len(changes))
    silent = [spans for turn, spans in pairs if not turn.spans]
    yield share_line(f"{name}: turns without values read as such", sum(not spans for spans in silent), len(silent))


def _read(extract: Extract, text: str, queries: Sequence[SlotQuery]) -> set[Span]:
    """The best span of each slot."""
    best: dict[str, ScoredSpan] = {}
    for span in extract(text, queries):
        if span.score >= MIN_SCORE and (span.slot not in best or span.score > best[span.slot].score):
            best[span.slot] = span
    return {(span.slot, span.start, span.end) for span in best.values()}


def _spans(name: str, examples: Sequence[Example], extract: Extract) -> Iterator[str]:
    chosen = Random(1).sample(list(examples), min(MAX_SENTENCES, len(examples)))
    pairs = []
    for example in chosen:
        queries = [SlotQuery(slot, texts[0], slot in example.awaited) for slot, texts in example.slots.items()]
        spans = {
            (span.slot, span.start, span.end) for span in extract(example.text, queries) if span.score >= MIN_SCORE
        }
        pairs.append((set(example.spans), spans))
    yield from _precision_and_recall(name, pairs)


def _precision_and_recall(name: str, pairs: Sequence[tuple[set[Span], set[Span]]]) -> Iterator[str]:
    """Exact spans: of those that are there, and of those that were read."""
    right = sum(len(gold & read) for gold, read in pairs)
    gold, read = sum(len(gold) for gold, _ in pairs), sum(len(read) for _, read in pairs)
    recall, precision = interval(right, gold), interval(right, read)
    f1 = 200 * right / max(gold + read, 1)
    yield (
        f"{name:62} recall {100 * right / max(gold, 1):.1f} [{recall[0]:.1f}, {recall[1]:.1f}]"
        f"  precision {100 * right / max(read, 1):.1f} [{precision[0]:.1f}, {precision[1]:.1f}]  F1 {f1:.1f}  of {gold}"
    )


def missed(data: Path, extract: Extract = extract_spans) -> Iterator[str]:
    """Yield what is read wrongly in the half for tuning, for people."""
    for turn in sgd_turns(data, "tuning"):
        read, gold = _read(extract, turn.text, turn.queries), set(turn.spans)
        if read != gold:
            shown = [sorted((s, turn.text[a:b]) for s, a, b in spans) for spans in (gold - read, read - gold)]
            yield f"{turn.text!r} missed {shown[0]} wrong {shown[1]} asked {sorted(turn.awaited)}"


def _times(data: Path, extract: Extract) -> str:
    """Milliseconds a message, the run of the sentence model included."""
    turns = list(sgd_turns(data, "tuning"))[:200]
    times: list[Took] = []
    for turn in turns:
        minilm.embed([query.text for query in turn.queries])
        started, worked = time.perf_counter(), time.process_time()
        extract(f"{turn.text} ", turn.queries)  # the blank makes it a text that is not cached
        times.append(Took(1000 * (time.perf_counter() - started), 1000 * (time.process_time() - worked)))
    return time_line("a message, the run of the sentence model included", times)
