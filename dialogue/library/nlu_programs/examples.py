"""Add an utterance to the examples of the flow that it meant, in an author's draft."""

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
    flow, utterance = FlowText.read(text), " ".join(example.split())[:MAX_EXAMPLE_CHARACTERS]
    if not utterance:
        raise EditRefused("An example needs words.")
    examples = value_of(flow.root, "examples")
    if examples is None:
        return _first_example(flow, utterance)
    if not isinstance(examples, SequenceNode):
        raise EditRefused("The flow's examples are not a list. Write one a line, after a dash.")
    if utterance.casefold() in {str(item.value).casefold() for item in examples.value}:
        raise ExampleKnown(utterance)
    return _append_example(flow, examples, utterance)


def _first_example(flow: FlowText, example: str) -> TextChange:
    """Below the description, which is where people look for it."""
    above = value_of(flow.root, "description") or value_of(flow.root, "flow")
    at = flow.line_end(flow.end_of(above)) if above else 0
    return TextChange(
        at, at, f"\nexamples:\n  - {_yaml_text(example)}" if above else f"examples:\n  - {_yaml_text(example)}\n"
    )


def _append_example(flow: FlowText, examples: SequenceNode, example: str) -> TextChange:
    if examples.flow_style:
        before = flow.text[: examples.end_mark.index - 1].rstrip()
        comma = "" if before.endswith(("[", ",")) else ", "
        return TextChange(len(before), len(before), comma + json.dumps(example, ensure_ascii=False))
    last = examples.value[-1]
    start = flow.line_start(last.start_mark.index)
    indent = flow.text[start : flow.text.index("-", start)]
    at = flow.line_end(flow.end_of(last))
    return TextChange(at, at, f"\n{indent}- {_yaml_text(example)}")


def _yaml_text(example: str) -> str:
    """Plain where YAML reads it as text, else in quotes."""
    plain = _PLAIN.fullmatch(example) and example.casefold() not in _WORDS and "{" not in example[:1]
    return example if plain else json.dumps(example, ensure_ascii=False)
