"""Assistants in a short form, and first messages to them that say indirectly what they want.

= Title of the assistant
flow_name | Title | Description. | an example; another example | slot, another slot
  a message that asks for the flow; [words](slot) are a slot's value, in files whose values are marked
? topic_name | An example question?; another one?
  a message that asks for the topic
-
  a message that asks for nothing of them
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dialogue.nlu.slots.assistant_index import flow_label, topic_label
from dialogue.nlu.text.tokens import fold
from training.examples import Span

FOLDER = Path(__file__).parent / "written" / "requests"
# A file's name ends with its language.
LANGUAGES = {"english": "en", "spanish": "es"}
DONE = {"en": "Done.", "es": "Hecho."}
MARKED_VALUE = re.compile(r"\[(?P<words>[^\[\]]+)\]\((?P<slot>[^()]+)\)")


@dataclass(frozen=True)
class ListedMessage:
    """`label` is the flow or topic that the text asks for; "" if it asks for nothing. `spans` are where the words of
    values are; None where values are not marked.
    """

    text: str
    label: str
    spans: tuple[Span, ...] | None


@dataclass(frozen=True)
class ListedAssistant:
    """The assistant's files by name, and first messages to it."""

    language: str
    documents: Mapping[str, str]
    messages: tuple[ListedMessage, ...]


@dataclass
class _Listed:
    title: str
    language: str
    flows: dict[str, dict[str, object]] = field(default_factory=dict)
    topics: dict[str, dict[str, object]] = field(default_factory=dict)
    messages: list[ListedMessage] = field(default_factory=list)


def listed_assistants() -> list[ListedAssistant]:
    """Return the assistants of all files."""
    return [_assistant(listed) for file in sorted(FOLDER.glob("*.txt")) for listed in _read(file)]


def _read(file: Path) -> Iterator[_Listed]:
    text, language = file.read_text(encoding="utf-8"), LANGUAGES[file.stem.rpartition("_")[2]]
    are_values_marked, listed, label = MARKED_VALUE.search(text) is not None, None, ""
    for line in text.splitlines():
        if line.startswith("= "):
            if listed is not None:
                yield listed
            listed = _Listed(line[2:], language)
        elif listed is not None and line.startswith("  "):
            listed.messages.append(_message(line.strip(), label, are_values_marked))
        elif listed is not None and line.strip():
            label = _add(listed, line)
    if listed is not None:
        yield listed


def _message(line: str, label: str, are_values_marked: bool) -> ListedMessage:
    text, spans, end = "", [], 0
    for mark in MARKED_VALUE.finditer(line):
        text += line[end : mark.start()]
        spans.append((_slot_name(mark["slot"]), len(text), len(text) + len(mark["words"])))
        text, end = text + mark["words"], mark.end()
    return ListedMessage(text + line[end:], label, tuple(spans) if are_values_marked else None)


def _slot_name(words: str) -> str:
    return fold(words.strip()).replace(" ", "_")


def _add(listed: _Listed, line: str) -> str:
    """Add a flow or a topic; return the label of the messages that follow."""
    if line == "-":
        return ""
    name, *parts = (part.strip() for part in line.removeprefix("? ").split("|"))
    name = fold(name)
    if line.startswith("? "):
        listed.topics[name] = {"questions": parts[0].split("; "), "answer": DONE[listed.language]}
        return topic_label(name)
    title, description, examples, slots = parts
    words = [slot.strip() for slot in slots.split(",")]
    names = [_slot_name(word) for word in words]
    listed.flows[name] = {
        "flow": name,
        "title": title,
        "description": description,
        "examples": examples.split("; "),
        "slots": {slot: {"type": "text", "prompt": f"{word}?"} for slot, word in zip(names, words, strict=True)},
        "steps": [
            *({"step": f"ask_{slot}", "type": "collect", "slot": slot} for slot in names),
            {"step": "finish", "type": "say", "message": DONE[listed.language]},
        ],
    }
    return flow_label(name)


def _assistant(listed: _Listed) -> ListedAssistant:
    head = {
        "version": 1,
        "assistant": "listed",
        "title": listed.title,
        "language": listed.language,
        "knowledge": listed.topics,
    }
    flows = {f"{name}.yaml": json.dumps(flow) for name, flow in listed.flows.items()}
    return ListedAssistant(listed.language, {"assistant.yaml": json.dumps(head), **flows}, tuple(listed.messages))
