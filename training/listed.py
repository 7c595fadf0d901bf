"""Assistants in a short form, and first messages to them that say indirectly what they want.

= Title of the assistant
flow_name | Title | Description. | an example; another example | slot, another slot
  a message that asks for the flow
? topic_name | An example question?; another one?
  a message that asks for the topic
-
  a message that asks for nothing of them
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dialogue.engine.language.compiler import load_assistant
from dialogue.nlu.slots.assistant_index import flow_label, topic_label
from dialogue.nlu.text.tokens import fold
from training.requests.assistants import Message, Sample

FOLDER = Path(__file__).parents[1] / "written"
LANGUAGES = {"requests_english.txt": "en", "requests_spanish.txt": "es"}
DONE = {"en": "Done.", "es": "Hecho."}


@dataclass
class _Listed:
    title: str
    language: str
    flows: dict[str, dict[str, object]] = field(default_factory=dict)
    topics: dict[str, dict[str, object]] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)


def listed_samples() -> list[Sample]:
    """Return the assistants with their messages."""
    return [
        _sample(listed)
        for file, language in LANGUAGES.items()
        for listed in _read((FOLDER / file).read_text(encoding="utf-8"), language)
    ]


def _read(text: str, language: str) -> Iterator[_Listed]:
    listed, label = None, ""
    for line in text.splitlines():
        if line.startswith("= "):
            if listed is not None:
                yield listed
            listed = _Listed(line[2:], language)
        elif listed is not None and line.startswith("  "):
            listed.messages.append(Message(line.strip(), label))
        elif listed is not None and line.strip():
            label = _add(listed, line)
    if listed is not None:
        yield listed


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
    names = [fold(word).replace(" ", "_") for word in words]
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


def _sample(listed: _Listed) -> Sample:
    head = {
        "version": 1,
        "assistant": "listed",
        "title": listed.title,
        "language": listed.language,
        "knowledge": listed.topics,
    }
    flows = {f"{name}.yaml": json.dumps(flow) for name, flow in listed.flows.items()}
    return Sample(load_assistant({"assistant.yaml": json.dumps(head), **flows}), tuple(listed.messages))
