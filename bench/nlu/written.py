"""What is understood of messages that somebody wrote to assistants that are new to the product.

`written_assistants` says how they are written.

    python -m bench.nlu --data FOLDER --only written --written FOLDER

Each message is said in a conversation of its own, where its case says, and judged by what the turn would do:

- right: the wanted flows start, the topic is answered, every value is found, the act is done, and nothing else.
- a wrong action: a flow that was not wanted starts, something is cancelled, skipped, agreed to, refused or handed over
  that was not, or a value is stored that is none, or another one.
- otherwise: a question, "I did not understand", or a part of the message.

Text is right from MIN_TEXT_OVERLAP on, F1 of its words: with or without a "please". An article before it, and marks
behind it, do not count.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bench.nlu.figures import share_line
from bench.nlu.written_assistants import WrittenAssistant, WrittenCase, option_key, read_assistants, said_and_meant
from dialogue.nlu.text.tokens import folded_words
from dialogue.testing import FlowTest

MIN_TEXT_OVERLAP = 0.7
NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
CHANGES = ("set_slot", "correct_slot")
# The commands that an act may become.
COMMANDS_OF_ACT: Mapping[str, Sequence[str]] = {
    "yes": ["affirm"],
    "no": ["deny", "cancel_flow"],
    "cancel": ["cancel_flow", "deny"],
    "skip": ["skip_slot"],
    "person": ["handoff"],
    "help": ["digress help"],
    "repeat": ["repeat"],
    "why": ["digress clarification"],
    "status": ["digress status"],
    "wait": ["chitchat", "repeat"],
    "restart": ["restart"],
    "resume": ["repeat", "resume_flow"],
    "correct": ["deny", "clear_slot", "digress status"],
    **{act: ["chitchat"] for act in ("thanks", "greeting", "farewell", "small_talk", "insult")},
}
ARTICLES: Mapping[str, frozenset[str]] = {
    "en": frozenset({"a", "an", "the"}),
    "es": frozenset({"el", "la", "los", "las", "un", "una", "unos", "unas"}),
}
TALK = frozenset({"thanks", "greeting", "farewell", "small_talk", "insult", "wait"})
ANSWERING_ACTS = frozenset(
    {"chitchat", "clarify", "digress help", "digress status", "digress clarification", "repeat", "restart"}
)
"""What answers a message that asks for nothing of this."""
ACTIONS = frozenset({"affirm", "deny", "cancel_flow", "skip_slot", "handoff", "clear_slot"})


@dataclass(frozen=True)
class Judgement:
    """`kind` is right, wrong or asked; `errors` say what is not as it should be, wrong actions first."""

    case: WrittenCase
    kind: str
    errors: tuple[str, ...]
    commands: tuple[Any, ...]


@dataclass
class _Effects:
    """The commands of a turn by what they do."""

    started: list[str]
    stored: dict[str, Any]
    topics: list[str]
    acts: list[str]


def table(path: Path, log: Path | None = None) -> Iterator[str]:
    """The figures of a file or folder, with and without the sentence model; `log` gets every case as a JSON line."""
    assistants = read_assistants(path)
    for by_meaning in (True, False):
        judged = [(each, judge_assistant(each, by_meaning=by_meaning)) for each in assistants]
        yield f"{len(assistants)} written assistants, {'with' if by_meaning else 'without'} the sentence model"
        for each, judgements in judged:
            yield from _lines(each.name, judgements)
        everything = [judgement for _, judgements in judged for judgement in judgements]
        yield from _lines("first messages", [each for each in everything if not each.case.flow])
        yield from _lines("answers", [each for each in everything if each.case.flow])
        yield from _lines("all", everything)
        if log is not None:
            _write(log, judged, by_meaning)


def _lines(name: str, judgements: Sequence[Judgement]) -> Iterator[str]:
    kinds = Counter(judgement.kind for judgement in judgements)
    yield f"{share_line(name, kinds['right'], len(judgements))}, {kinds['wrong']} wrong actions"


def _write(log: Path, judged: Sequence[tuple[WrittenAssistant, Sequence[Judgement]]], by_meaning: bool) -> None:
    with log.open("a", encoding="utf-8") as lines:
        for assistant, judgements in judged:
            for judgement in judgements:
                row = {"assistant": assistant.name, "by_meaning": by_meaning, **asdict(judgement)}
                lines.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


def judge_assistant(assistant: WrittenAssistant, *, by_meaning: bool) -> list[Judgement]:
    """Say every message of the assistant in a conversation of its own."""
    with tempfile.TemporaryDirectory(prefix="written-") as name:
        for file, text in assistant.documents.items():
            (Path(name) / file).write_text(text, encoding="utf-8")
        test = FlowTest(name, by_meaning=by_meaning, now=NOW)
        player = _Player(assistant, test)
        return [player.judge(case) for case in assistant.cases]


class _Player:
    def __init__(self, assistant: WrittenAssistant, test: FlowTest) -> None:
        self._assistant = assistant
        self._test = test
        self._read = cache(self._read_words)

    def judge(self, case: WrittenCase) -> Judgement:
        expected = self._expected_values(case)
        self._arrive(case)
        self._test.says(case.text)
        commands = _commands(self._test.outcome.record)
        effects = _effects_of(commands, case.flow)
        if self._assistant.types.get((case.flow, case.asked)) == "boolean":
            _take_yes_or_no(effects, case.asked)
        errors = list(_errors(case, expected, effects, ARTICLES.get(self._assistant.language, frozenset())))
        wrong = [error for error in errors if error.startswith("wrong ")]
        kind = "wrong" if wrong else "asked" if errors else "right"
        return Judgement(case, kind, tuple(sorted(errors, key=lambda error: error not in wrong)), tuple(commands))

    def _arrive(self, case: WrittenCase) -> None:
        """Begin a conversation and lead it to where the message is said."""
        filled = {slot: self._value(case.flow, slot, words) for slot, words in case.filled.items()}
        self._lead_to(case.flow, case.asked, filled)

    def _lead_to(self, flow: str, asked: str, filled: Mapping[str, Any]) -> None:
        self._test.start_over()
        if not flow:
            return
        known = {slot: value for slot, value in filled.items() if value is not None and slot != asked}
        self._test.says("-", {"start_flow": flow}, *([{"set_slot": known}] if known else []))
        for _slot in self._assistant.types:
            place = self._test.stack[-1] if self._test.stack else ""
            if place in (f"{flow}?{asked}", f"{flow}!confirm") or "?" not in place:
                break
            self._test.says("-", {"skip_slot": place.partition("?")[2]})

    def _expected_values(self, case: WrittenCase) -> dict[str, tuple[str, Any]]:
        """Return the words and the value of each slot; the value is None where it cannot be told from the words."""
        flows = [flow for flow in (*case.wants, case.flow) if flow]
        values = {}
        for slot, said in case.values.items():
            name = slot.rpartition(".")[2]
            flow = next((flow for flow in flows if (flow, name) in self._assistant.types), "")
            values[name] = (said_and_meant(said)[0], self._value(flow, name, said))
        return values

    def _value(self, flow: str, slot: str, said: str) -> Any:
        words, meant = said_and_meant(said)
        kind = self._assistant.types.get((flow, slot), "text")
        if kind == "choice":
            return option_key(meant or words)
        if kind == "boolean":
            return (meant or words).lower() in ("true", "yes", "sí", "si")
        if kind == "text":
            return meant or words
        return self._read(flow, slot, meant or words)

    def _read_words(self, flow: str, slot: str, words: str) -> Any:
        """Return what the words alone mean as an answer to the slot's question; None if they are not understood."""
        self._lead_to(flow, slot, {})
        self._test.says(words)
        commands = _commands(self._test.outcome.record)
        return _effects_of(commands, flow).stored.get(slot, (None, ""))[0]


def _commands(record: Mapping[str, Any]) -> list[Any]:
    dropped = [entry.get("command", entry) if isinstance(entry, Mapping) else entry for entry in record["dropped"]]
    return [command for command in record["proposed"] if command not in dropped]


def _effects_of(commands: Sequence[Any], running: str) -> _Effects:
    effects = _Effects([], {}, [], [])
    for command in commands:
        name = command if isinstance(command, str) else next(iter(command))
        value: Any = None if isinstance(command, str) else command[name]
        if name == "start_flow":
            if value != running:
                effects.started.append(str(value))
        elif name in CHANGES:
            effects.stored |= {slot: (stored, command.get("words", "")) for slot, stored in value.items()}
        elif name == "digress":
            topic = value.get("topic", "") if value["kind"] == "question" else ""
            effects.topics += [topic] if topic else []
            effects.acts += [] if topic else [f"digress {value['kind']}"]
        else:
            effects.acts.append(name)
    return effects


def _take_yes_or_no(effects: _Effects, slot: str) -> None:
    """A yes or a no to a yes/no question is its value."""
    for act, value in (("affirm", True), ("deny", False)):
        if act in effects.acts:
            effects.acts.remove(act)
            effects.stored[slot] = (value, "")


def _errors(
    case: WrittenCase, expected: Mapping[str, tuple[str, Any]], effects: _Effects, articles: frozenset[str]
) -> Iterator[str]:
    yield from (f"wrong start {flow}" for flow in effects.started if flow not in case.wants)
    yield from (f"no start {flow}" for flow in case.wants if flow not in effects.started and flow != case.flow)
    for slot, (value, words) in effects.stored.items():
        if slot not in expected:
            yield f"wrong value {slot}, none expected"
        elif not _is_same((value, words), (expected[slot][1], expected[slot][0]), articles):
            yield f"wrong value {slot}"
    yield from (f"no value {slot}" for slot in expected if slot not in effects.stored)
    yield from (f"other topic {topic}" for topic in effects.topics if topic != case.topic)
    if case.topic and case.topic not in effects.topics:
        yield "no topic"
    allowed = COMMANDS_OF_ACT.get(case.act, [])
    yield from (f"wrong act {act}" for act in effects.acts if act in ACTIONS and act not in allowed)
    # Thanks and corrections beside other things need no answer of their own.
    is_beside = bool(case.wants or case.topic or expected) and case.act in {*TALK, "correct", "cancel", "no"}
    if case.act and not is_beside and not set(allowed) & set(effects.acts):
        yield f"no act {case.act}"
    is_request = effects.started or effects.stored or effects.topics
    if not case.act and not is_request and ANSWERING_ACTS & set(effects.acts):
        yield f"other reply {effects.acts[0]}"


def _is_same(stored: tuple[Any, str], expected: tuple[Any, str], articles: frozenset[str]) -> bool:
    """Return whether two values are the same, each with the words that it is said in."""
    (value, words), (expected_value, expected_words) = stored, expected
    if isinstance(expected_value, str) and isinstance(value, str):
        return value == expected_value or _overlap(value, expected_value, articles) >= MIN_TEXT_OVERLAP
    if expected_value is None:
        return _overlap(words, expected_words, articles) > 0
    return _plain(value) == _plain(expected_value)


def _overlap(first: str, second: str, articles: frozenset[str]) -> float:
    """F1 of the words of two texts; an article that one begins with does not count."""
    left, right = (Counter(_without_article(folded_words(text), articles)) for text in (first, second))
    shared = (left & right).total()
    return 2 * shared / (left.total() + right.total()) if shared else 0.0


def _without_article(words: Sequence[str], articles: frozenset[str]) -> Sequence[str]:
    return words[1:] if len(words) > 1 and words[0] in articles else words


def _plain(value: Any) -> str:
    return re.sub(r"\.0+$", "", str(value).lower())
