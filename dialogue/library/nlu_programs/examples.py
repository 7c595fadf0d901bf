"""Add an utterance to the examples of the flow that it meant, in an author's draft."""

import json
import re
from collections.abc import Callable

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, SequenceNode

from dialogue.engine.source.parser import SourceRefused, read_source
from dialogue.engine.source.phrases import Phrase
from dialogue.library.documents.flow_text import EditRefused, FlowText, TextChange, apply_changes, value_of
from dialogue.library.documents.versions import Edit, draft_of, keep_draft
from dialogue.models import Assistant, Flow
from dialogue.models.account import Account
from dialogue.models.assistants.flow import OWN_DOCUMENT

MAX_EXAMPLE_CHARACTERS = 500
# Acts whose phrases mean the same in every assistant.
CLEAR_ACTS = ("yes", "no", "cancel", "restart", "person", "skip", "repeat", "help")
_PLAIN = re.compile(r"[A-Za-zÀ-ÿ¿¡][\wÀ-ÿ ,.!?'{}]*[\w.!?}]")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


class ExampleKnown(Exception):
    """The flow has this example already."""


def add_example(assistant: Assistant, name: str, example: str, author: Account) -> int:
    """Put a text among the examples of a flow, in this author's draft; gives its line there.

    Raises EditRefused where the draft cannot be read, ExampleKnown, and Flow.DoesNotExist.
    """
    return _change_draft(assistant, name, lambda text: example_change(text, example), author)


def _change_draft(assistant: Assistant, name: str, change_of: Callable[[str], TextChange], author: Account) -> int:
    flow = Flow.objects.select_related("head").get(assistant=assistant, name=name, archived=False)
    draft = draft_of(flow, author)
    text = draft.text if draft else flow.head.text if flow.head else ""
    base = draft.base if draft else flow.head.number if flow.head else 0
    change = change_of(text)
    keep_draft(assistant, Edit(name, apply_changes(text, [change]), base=base), author)
    return text.count("\n", 0, change.start) + 1 + change.insert.rstrip().count("\n")


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


def add_act_phrase(assistant: Assistant, act: str, phrase: str, author: Account) -> int:
    """Put a text among the assistant's phrases for an act, in this author's draft of assistant.yaml; gives its line.

    Raises EditRefused where the draft cannot be read or the phrase means something else, ExampleKnown, and
    Flow.DoesNotExist.
    """
    return _change_draft(assistant, OWN_DOCUMENT, lambda text: act_phrase_change(text, act, phrase), author)


def act_phrase_change(text: str, act: str, phrase: str) -> TextChange:
    """The smallest change that makes this one of the phrases for the act. Raises EditRefused, ExampleKnown."""
    document, words = _read_document(text), " ".join(phrase.split())[:MAX_EXAMPLE_CHARACTERS]
    if not words:
        raise EditRefused(Phrase("An example needs words."))
    refuse_other_act(act, words)
    phrases = value_of(document.root, "phrases")
    if phrases is None:
        at = len(text.rstrip())
        return TextChange(at, at, f"\nphrases:\n  {act}:\n    - {_yaml_text(words)}")
    if not isinstance(phrases, MappingNode) or phrases.flow_style or not phrases.value:
        raise EditRefused(Phrase("The assistant's phrases are not a list. Write one a line, after a dash."))
    _refuse_known_phrase(phrases, act, words)
    return _append_phrase(document, phrases, act, words)


def _refuse_known_phrase(phrases: MappingNode, act: str, words: str) -> None:
    for name, known in phrases.value:
        items = known.value if isinstance(known, SequenceNode) else []
        if words.casefold() not in {str(item.value).casefold() for item in items}:
            continue
        if name.value == act:
            raise ExampleKnown(words)
        known_act = name.value
        raise EditRefused(Phrase("This stands among the phrases for `{act}`. Delete it there first.", act=known_act))


def _append_phrase(document: FlowText, phrases: MappingNode, act: str, words: str) -> TextChange:
    """Below the act's phrases, or as the first of the act below all."""
    of_act = value_of(phrases, act)
    if isinstance(of_act, SequenceNode) and of_act.value:
        return _append_example(document, of_act, words)
    if of_act is not None:
        raise EditRefused(Phrase("The assistant's phrases are not a list. Write one a line, after a dash."))
    indent = " " * document.column_of(phrases.value[0][0].start_mark.index)
    at = document.line_end(document.end_of(phrases))
    return TextChange(at, at, f"\n{indent}{act}:\n{indent}  - {_yaml_text(words)}")


def refuse_other_act(act: str, phrase: str) -> None:
    """Raise EditRefused where every assistant understands the phrase as another act, which comes first."""
    from dialogue.nlu.slots.assistant_index import ACT_FIELDS  # the understanding is loaded when an act is corrected
    from dialogue.nlu.text.lexicons import LEXICONS
    from dialogue.nlu.text.tokens import folded_words

    words, field = tuple(folded_words(phrase)), ACT_FIELDS.get(act, act)
    for lexicon in LEXICONS.values():
        others = [name for name in CLEAR_ACTS if name != field and words in getattr(lexicon.acts, name)]
        if others and words not in getattr(lexicon.acts, field):
            raise EditRefused(
                Phrase("This always means `{act}`. Write the words that were meant otherwise.", act=others[0])
            )


def _read_document(text: str) -> FlowText:
    try:
        read_source(text)
        root = YAML(typ="safe", pure=True).compose(text)
    except (SourceRefused, YAMLError) as error:
        raise EditRefused(Phrase("The text cannot be read yet: {error}", error=error)) from error
    if not isinstance(root, MappingNode) or root.flow_style:
        raise EditRefused(Phrase("The assistant's phrases are not a list. Write one a line, after a dash."))
    return FlowText(text, root)


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
