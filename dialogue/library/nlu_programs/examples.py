"""What somebody said, as one more example of the flow that they meant: in its author's draft, to be read there."""

import json
import re

from ruamel.yaml.nodes import SequenceNode

from dialogue.library.documents.flow_text import EditRefused, FlowText, TextChange, apply_changes, value_of
from dialogue.library.documents.versions import Edit, draft_of, keep_draft
from dialogue.models import Assistant, Flow
from dialogue.models.account import Account

MAX_EXAMPLE_CHARACTERS = 500
_PLAIN = re.compile(r"[A-Za-zÀ-ÿ¿¡][\wÀ-ÿ ,.!?'{}]*[\w.!?}]")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


class ExampleKnown(Exception):
    """The flow has this example already."""


def add_example(assistant: Assistant, name: str, example: str, author: Account) -> int:
    """Put a text among the examples of a flow, in this author's draft; gives its line there.

    Raises EditRefused where the draft cannot be read, ExampleKnown, and Flow.DoesNotExist.
    """
    flow = Flow.objects.select_related("head").get(assistant=assistant, name=name, archived=False)
    draft = draft_of(flow, author)
    text = draft.text if draft else flow.head.text if flow.head else ""
    base = draft.base if draft else flow.head.number if flow.head else 0
    change = example_change(text, example)
    keep_draft(assistant, Edit(name, apply_changes(text, [change]), base=base), author)
    inserted = len(change.insert) - len(change.insert.lstrip("\n"))
    return text.count("\n", 0, change.start) + 1 + inserted


def example_change(text: str, example: str) -> TextChange:
    """The smallest change that makes this one of the flow's examples. Raises EditRefused, ExampleKnown."""
    flow, said = FlowText.read(text), " ".join(example.split())[:MAX_EXAMPLE_CHARACTERS]
    if not said:
        raise EditRefused("An example needs words.")
    listed = value_of(flow.root, "examples")
    if listed is None:
        return _first(flow, said)
    if not isinstance(listed, SequenceNode):
        raise EditRefused("The flow's examples are no list.")
    if said.casefold() in {str(each.value).casefold() for each in listed.value}:
        raise ExampleKnown(said)
    return _among(flow, listed, said)


def _first(flow: FlowText, said: str) -> TextChange:
    """Below the description, which is where people look for it."""
    above = value_of(flow.root, "description") or value_of(flow.root, "flow")
    at = flow.line_end(flow.end_of(above)) if above else 0
    return TextChange(at, at, f"\nexamples:\n  - {_written(said)}" if above else f"examples:\n  - {_written(said)}\n")


def _among(flow: FlowText, listed: SequenceNode, said: str) -> TextChange:
    if listed.flow_style:
        before = flow.text[: listed.end_mark.index - 1].rstrip()
        comma = "" if before.endswith(("[", ",")) else ", "
        return TextChange(len(before), len(before), comma + json.dumps(said, ensure_ascii=False))
    last = listed.value[-1]
    start = flow.line_start(last.start_mark.index)
    indent = flow.text[start : flow.text.index("-", start)]
    at = flow.line_end(flow.end_of(last))
    return TextChange(at, at, f"\n{indent}- {_written(said)}")


def _written(said: str) -> str:
    """Plain where YAML reads it as text, else in quotes."""
    plain = _PLAIN.fullmatch(said) and said.casefold() not in _WORDS and "{" not in said[:1]
    return said if plain else json.dumps(said, ensure_ascii=False)
