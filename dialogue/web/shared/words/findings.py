"""Findings about documents in the reader's language, and in the words of the editor's fields.

The engine writes findings in English and for authors of YAML. Their templates are entries of the catalogues.
"""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language, gettext, gettext_noop

from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import Problem
from dialogue.engine.source.value_errors import ValueRefused


def problem_words(problem: Problem) -> dict[str, str]:
    """Return {text, advice, field_text, field_advice} in the reader's language; the last two name fields, not keys."""
    return {
        "text": in_words(problem.text),
        "advice": in_words(problem.advice),
        "field_text": in_field_words(problem.text),
        "field_advice": in_field_words(problem.advice),
    }


def in_words(text: Any) -> str:
    """Return a finding's text or advice in the reader's language; what is no phrase stays as it is."""
    return _translate(text, {})


def in_field_words(text: Any) -> str:
    """Return the same for a person who sees fields: "Choose where it goes" for "Write on_error: <step>"."""
    return _translate(text, FIELD_WORDS)


def in_other_words(text: Any, other_words: Mapping[str, str]) -> str:
    """Return the same with `other_words`: a template for each template that the page says in its own way."""
    return _translate(text, other_words)


def _translate(value: Any, other_words: Mapping[str, str]) -> str:
    if isinstance(value, ValueRefused):
        return value.sentence(get_language() or "en")
    text = str(value)
    if not isinstance(text, Phrase) or not text.template:
        return text
    words = gettext(other_words.get(text.template, text.template))
    if text.parameters:
        words = words.format_map({name: _translate(part, other_words) for name, part in text.parameters.items()})
    if text.part != "all":
        first, _, rest = words.partition(". ")
        words = first if text.part == "first" else rest
    return words[:1].upper() + words[1:] if text.is_capitalized else words


FIELD_WORDS: Mapping[str, str] = {
    "Write on_error: <step> to say what happens then, here or for the whole flow in its settings": gettext_noop(
        "Choose under “If it fails” where it goes then, here or for the whole flow in its settings"
    ),
    "a choice has no `options`": gettext_noop("a choice has no options yet"),
    "Write options: [first, second]": gettext_noop("Add at least one option"),
    "an object has no `fields`": gettext_noop("an object has no fields yet"),
    "Write fields: {name: {type: text}}": gettext_noop("Add at least one field"),
    "the action `{name}` has no contract": gettext_noop("the assistant does not know the action `{name}` yet"),
    "Declare the action": gettext_noop("Choose another action, or “New action…”, which describes it in the settings"),
    "Declare the {word}": gettext_noop("Choose another one, or add it first"),
    "no Python action is registered as `{name}`": gettext_noop("nobody has programmed the action `{name}` yet"),
    'Register it with @registry.action("{name}")': gettext_noop("Ask the people who program for it"),
    "`{path}` is missing": gettext_noop("this field is empty"),
    "Write {path}: …": gettext_noop("Fill it in"),
    "this human step does not say what happens on expiry: `{path}` is missing": gettext_noop(
        "nothing says yet what happens when staff do not answer in time"
    ),
    "Write timeout: 30m and on_timeout: <an action that refuses, or a step>": gettext_noop(
        "Choose a time limit, and what happens then: an answer that refuses, or a step"
    ),
    "Write timeout: 30m": gettext_noop("Choose a time limit"),
    "`on_timeout` never happens, because there is no `timeout`": gettext_noop(
        "this never happens, because there is no time limit"
    ),
    "Write timeout: 5d and on_timeout: <step>": gettext_noop("Choose a time limit, and where it goes then"),
    "Add on_timeout: <step>, or on_timeout: end": gettext_noop("Choose where it goes when the time is over"),
    "without `timeout` the flow waits for `{event}` until the conversation ends": gettext_noop(
        "without a time limit the flow waits for `{event}` until the conversation ends"
    ),
    "`due` is later than `timeout`": gettext_noop("it is due later than the time limit"),
    "Make `due` shorter than `timeout`": gettext_noop("Choose a shorter time than the time limit"),
    "Make `after` shorter than `timeout`": gettext_noop("Choose a shorter time than the time limit"),
    "Add {id}: <step> to `next`": gettext_noop("Choose the next step of `{id}`"),
    "Give one of them another id": gettext_noop("Give one of them another name"),
    "two actions have the id `{id}`": gettext_noop("two answers have the name `{id}`"),
    "Write next: end in one of the steps": gettext_noop("Let one of the steps lead to the end"),
    "Lead to it with `next`, or delete it": gettext_noop("Choose it as the next step of another one, or delete it"),
    "Lead a refusal to another step with `next`": gettext_noop("Choose another next step for one of the answers"),
    "Write another step, or delete `on_deny`": gettext_noop("Choose another step after “no”"),
    "Give the slot a `prompt`": gettext_noop("Write the slot's question"),
    "`{slot}` has no prompt, so the question uses general words": gettext_noop(
        "`{slot}` has no question of its own, so it is asked in general words"
    ),
    "Delete the default, or write force: true": gettext_noop(
        "Delete the value at the start, or choose “Ask even if it is known”"
    ),
    "Add a step of type collect with slot: {name}, or delete the slot": gettext_noop(
        "Add a step that asks for `{name}`, or delete the slot"
    ),
    "Ask for it on every path to this step, or write {{{name}|other}}": gettext_noop(
        "Ask for it on every way to this step, or write other words for that case: {{{name}|other}}"
    ),
    "Write inputs: {{{name}: <slot>}}, or declare a slot `{name}`": gettext_noop(
        "Write under “Inputs” what `{name}` gets, or add a slot `{name}`"
    ),
    "Write inputs: {{{name}: <slot>}}": gettext_noop("Write under “Inputs” what `{name}` gets"),
    "Write outputs: {{{name}: <slot>}}, or delete the step": gettext_noop(
        "Choose under “Results” the slot that keeps `{name}`, or delete the step"
    ),
    "Delete `retry`, or make the action idempotent": gettext_noop(
        "Delete “Try again”, or tick “Safe to repeat” at the action if it is"
    ),
    "`{call}` is not idempotent: a repeated call may do its work twice": gettext_noop(
        "`{call}` is not safe to repeat: a second call may do its work twice"
    ),
    "Delete `start: false`, or call the flow": gettext_noop(
        "Tick “May be started by a message”, or let another flow run it"
    ),
    "`{flow}` can never start: start is false, and no flow that can start leads to it": gettext_noop(
        "`{flow}` can never start: no message may start it, and no flow that can start leads to it"
    ),
    "Add the `if`, or delete the message": gettext_noop("Fill in “Only if”, or delete the message"),
    "this message is never sent, because the flow has no `if`": gettext_noop(
        "this message is never sent, because the flow has no condition"
    ),
    "Add a step of type handoff to it": gettext_noop("Add a step to it in which a person takes the chat"),
    "Declare its outputs, or delete `effect: none`": gettext_noop(
        "Add its results, or choose that it changes something"
    ),
    "Write type: choice and value: <field>": gettext_noop("Choose the type “Choice” and the field that is its value"),
    "Add `each` and `line`, or a `table`": gettext_noop("Fill in the list to show and its line, or a table"),
    "Write two steps of type say": gettext_noop("Make two steps, each with one of them"),
    "Use a `while`, which has a limit, or ask something in between (a collect with force: true)": gettext_noop(
        "Use a step that repeats, which has a limit, or ask something in between (“Ask even if it is known”)"
    ),
    "Delete the default, or the entry in `needs`": gettext_noop(
        "Delete the value at the start, or the entry under “Needs”"
    ),
    "Delete the step, or the entry in `needs`": gettext_noop("Delete the step, or the entry under “Needs”"),
    "Write effect: none in its contract if it only reads": gettext_noop(
        "Choose “Only reads” at the action in the settings, if it does"
    ),
    "Use slots of assistant.yaml": gettext_noop("Use slots of the assistant's settings"),
    "`{name}` is also declared in assistant.yaml": gettext_noop("the assistant's settings have a slot `{name}` too"),
    "Write round({text}), or give `{name}` the type number": gettext_noop(
        "Write round({text}), or give `{name}` the type “Number”"
    ),
    "Give the slot the type list": gettext_noop("Give the slot the type “List”"),
    "Write an amount and a unit (w, d, h, m, s), such as 30m or 1h30m": gettext_noop("Choose an amount and a unit"),
    "Write lowercase letters, digits and underscores, starting with a letter, at most 64 characters": gettext_noop(
        "Use lowercase letters, digits and _, starting with a letter, at most 64 characters"
    ),
}
"""Words for people who see fields, by the template that they stand for. Both have the same parameters."""
