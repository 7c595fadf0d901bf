"""Assistants and messages to them that somebody wrote by hand: YAML documents, one an assistant.

    assistant: {title: City bicycle workshop, language: en}
    flows: [{name, title, description, examples, slots: [{name, type, options, description, prompt}]}]
    topics: [{name, questions, answer}]
    messages: [{text, wants: [flow], topic, act, values: {slot: words}}]                     # nothing runs yet
    answers: [{flow, asked: slot or confirm, filled: {slot: words}, text, values, act, wants, topic}]

`values` are words of the text; "the big one = large" says what words mean for an option or a yes/no slot.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from dialogue.nlu.text.tokens import fold

TYPES = {"number": "integer"}
MESSAGES = {"en": ("Shall I do that?", "Done."), "es": ("¿Lo hago?", "Hecho.")}


@dataclass(frozen=True)
class WrittenCase:
    """A message where it is said, and what it means. `flow` is "" for a first message."""

    text: str
    flow: str
    asked: str
    filled: Mapping[str, str]
    values: Mapping[str, str]
    wants: tuple[str, ...]
    topic: str
    act: str


@dataclass(frozen=True)
class WrittenAssistant:
    """`documents` are the flows by file name, `types` the slots' types by flow and slot."""

    name: str
    language: str
    documents: Mapping[str, str]
    types: Mapping[tuple[str, str], str]
    cases: tuple[WrittenCase, ...]


def read_assistants(path: Path) -> list[WrittenAssistant]:
    """Return the assistants of a file or of a folder; a file may hold several documents."""
    files = sorted(path.glob("*.yaml")) if path.is_dir() else [path]
    return [_assistant(content) for file in files for content in YAML(typ="safe").load_all(file)]


def _assistant(content: Mapping[str, Any]) -> WrittenAssistant:
    name = re.sub(r"\W+", "_", fold(content["assistant"]["title"])).strip("_")
    head, flows, topics = content["assistant"], content["flows"], content.get("topics") or []
    language = head.get("language", "en")
    assistant = {
        "version": 1,
        "assistant": name,
        "title": head["title"],
        "language": language,
        "knowledge": {topic["name"]: {"questions": topic["questions"], "answer": topic["answer"]} for topic in topics},
    }
    documents = {f"{flow['name']}.yaml": json.dumps(_flow(flow, language)) for flow in flows}
    types = {(flow["name"], slot["name"]): slot["type"] for flow in flows for slot in flow.get("slots") or []}
    return WrittenAssistant(
        name, language, {"assistant.yaml": json.dumps(assistant), **documents}, types, tuple(_cases(content))
    )


def _flow(flow: Mapping[str, Any], language: str) -> dict[str, Any]:
    """Return the flow: it asks for each slot, which may be skipped, then whether it shall be done."""
    slots = {slot["name"]: _slot(slot) for slot in flow.get("slots") or []}
    question, done = MESSAGES.get(language, MESSAGES["en"])
    return {
        "flow": flow["name"],
        "title": flow["title"],
        "description": flow.get("description", flow["title"]),
        "examples": [re.sub("[{}]", "", example) for example in flow.get("examples") or []],
        "slots": slots,
        "steps": [
            *({"step": f"ask_{slot}", "type": "collect", "slot": slot} for slot in slots),
            {"step": "check", "type": "confirm", "message": question},
            {"step": "done", "type": "say", "message": done},
        ],
    }


def _slot(slot: Mapping[str, Any]) -> dict[str, Any]:
    shown = {"type": TYPES.get(slot["type"], slot["type"]), "required": False, "prompt": slot["prompt"]}
    if slot.get("description"):
        shown["description"] = slot["description"]
    if slot.get("options"):
        shown["options"] = [{"value": option_key(option), "label": str(option)} for option in slot["options"]]
    return shown


def option_key(option: object) -> str:
    """Return the value of an option, as it is stored."""
    return re.sub(r"\W+", "_", fold(str(option))).strip("_")


def _cases(content: Mapping[str, Any]) -> Iterator[WrittenCase]:
    for row in (*(content.get("messages") or []), *(content.get("answers") or [])):
        yield WrittenCase(
            text=str(row["text"]),
            flow=row.get("flow") or "",
            asked=row.get("asked") or "",
            filled=_texts(row.get("filled")),
            values=_texts(row.get("values")),
            wants=tuple(row.get("wants") or ()),
            topic=row.get("topic") or "",
            act=_act(row.get("act")),
        )


def _texts(values: Mapping[str, Any] | None) -> dict[str, str]:
    return {name: _text(value) for name, value in (values or {}).items()}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _act(act: object) -> str:
    """YAML 1.1 reads an unquoted yes as true."""
    return {True: "yes", False: "no"}[act] if isinstance(act, bool) else str(act or "")


def said_and_meant(value: str) -> tuple[str, str]:
    """Return the words of a value, and the option that they mean, or ""."""
    words, separator, meant = value.rpartition(" = ")
    return (words, meant) if separator else (value, "")


def first_messages(cases: Sequence[WrittenCase]) -> list[WrittenCase]:
    """Return the cases in which nothing runs yet."""
    return [case for case in cases if not case.flow]
