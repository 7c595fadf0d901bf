"""One value of a YAML text is set with the smallest change."""

import random
from pathlib import Path
from typing import Any

import pytest

from dialogue.engine.source.parser import read_source
from dialogue.library.documents.flow_text import EditRefused, apply_changes
from dialogue.library.documents.value_edits import ValueEdit, set_values, step_paths
from dialogue.library.documents.yaml_writing import same_value

TEXT = """\
# how money leaves
flow: send
title: Send money  # for people
examples: [send money, "pay {who}"]
slots:
  amount: {type: money, currency: EUR}
  who:
    type: text
    # asked first
    prompt: 'Who gets it?'
steps:
  # the first question
  - {step: ask, type: collect, slot: amount}
  - step: gate
    type: human
    title: Approve
    actions:
      - {id: yes_please, label: Approve}  # green
      - {id: no_thanks, label: Reject}
    timeout: 30m
    on_timeout: no_thanks
  # the end
  - step: done
    type: say
    message: >-
      It is
      done.
"""


def edited(text: str, *edits: ValueEdit) -> str:
    return apply_changes(text, set_values(text, edits))


def changed_lines(text: str, *edits: ValueEdit) -> tuple[list[str], list[str]]:
    """The lines that are gone, and those that are new."""
    before, after = text.splitlines(), edited(text, *edits).splitlines()
    return [line for line in before if line not in after], [line for line in after if line not in before]


def test_a_text_is_replaced_in_its_own_quotes_and_its_comment_stays():
    assert changed_lines(TEXT, ValueEdit(("title",), "Pay")) == (
        ["title: Send money  # for people"], ["title: Pay  # for people"],
    )  # fmt: skip
    assert changed_lines(TEXT, ValueEdit(("slots", "who", "prompt"), "Who's it for?"))[1] == [
        "    prompt: 'Who''s it for?'"
    ]


def test_a_change_is_only_the_characters_that_differ():
    (change,) = set_values(TEXT, [ValueEdit(("title",), "Send all money")])
    assert (TEXT[change.start : change.end], change.insert) == ("", "all ")


def test_a_key_is_added_at_its_usual_place():
    gone, new = changed_lines(
        TEXT, ValueEdit(("description",), "Pays", order=("flow", "title", "description", "slots"))
    )
    assert (gone, new) == ([], ["description: Pays"])
    assert edited(TEXT, ValueEdit(("description",), "Pays", order=("title", "description"))).splitlines()[3] == new[0]
    assert changed_lines(TEXT, ValueEdit(("message",), "Wait: soon", "gate")) == ([], ['    message: "Wait: soon"'])
    assert changed_lines(TEXT, ValueEdit(("force",), True, "ask"))[1] == [
        "  - {step: ask, type: collect, slot: amount, force: true}"
    ]


def test_a_key_goes_with_its_line_only():
    assert changed_lines(TEXT, ValueEdit(("slots", "who", "prompt"), removes=True)) == (
        ["    prompt: 'Who gets it?'"], [],
    )  # fmt: skip
    assert changed_lines(TEXT, ValueEdit(("slots", "amount", "currency"), removes=True))[1] == [
        "  amount: {type: money}"
    ]


def test_entries_of_lists_are_added_changed_and_deleted_one_by_one():
    three = [{"id": "yes_please", "label": "Approve"}, {"id": "later"}, {"id": "no_thanks", "label": "Reject"}]
    assert changed_lines(TEXT, ValueEdit(("actions",), three, "gate")) == ([], ["      - {id: later}"])
    assert changed_lines(TEXT, ValueEdit(("actions", 0), removes=True, step="gate"))[1] == []
    assert changed_lines(TEXT, ValueEdit(("actions", 1, "label"), "No", "gate"))[1] == [
        "      - {id: no_thanks, label: No}"
    ]
    assert changed_lines(TEXT, ValueEdit(("examples", 2), "give, take"))[1] == [
        'examples: [send money, "pay {who}", "give, take"]'
    ]
    assert changed_lines(TEXT, ValueEdit(("examples",), ["pay {who}"]))[1] == ['examples: ["pay {who}"]']


def test_a_slot_is_renamed_in_place():
    slots = {"sum": {"type": "money", "currency": "EUR"}, "who": read_source(TEXT).tree["slots"]["who"]}
    assert changed_lines(TEXT, ValueEdit(("slots",), slots)) == (
        ["  amount: {type: money, currency: EUR}"], ["  sum: {type: money, currency: EUR}"],
    )  # fmt: skip


def test_a_text_of_several_lines_stands_below_a_bar():
    assert edited(TEXT, ValueEdit(("message",), "One\nTwo", "done")).endswith("    message: |-\n      One\n      Two\n")
    assert changed_lines(TEXT, ValueEdit(("message",), "Done.", "done"))[1] == ["    message: Done."]


def test_a_line_that_becomes_too_long_gets_lines_of_its_own():
    long = "Which amount of money shall be sent to the person that you have just told me about?"
    assert changed_lines(TEXT, ValueEdit(("slots", "amount", "prompt"), long))[1] == [
        "  amount:", "    type: money", "    currency: EUR", f"    prompt: {long}",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value", ["true", "12", "a: b", "a #b", "~", "", " x", "no", "0123", "{x}", "- a", "é😀", "=x"]
)
def test_a_text_comes_back_as_the_same_text(value: str):
    for path in (("title",), ("slots", "amount", "prompt"), ("examples", 0)):
        assert read_source(edited(TEXT, ValueEdit(path, value))).tree is not None


def test_a_text_that_cannot_be_read_is_refused_in_words():
    with pytest.raises(EditRefused, match="cannot be read yet"):
        set_values("flow: [", [ValueEdit(("title",), "x")])
    with pytest.raises(EditRefused, match="There is no step `nowhere`"):
        set_values(TEXT, [ValueEdit(("title",), "x", "nowhere")])


@pytest.mark.parametrize("value", [{"a": {"": 1}}, "\u202e", "\ud800"])
def test_a_value_that_the_language_does_not_read_is_refused_in_words(value: Any):
    with pytest.raises(EditRefused, match="cannot be written here"):
        set_values(TEXT, [ValueEdit(("note",), value)])


@pytest.mark.parametrize("path", [("steps", "x"), ("flow", "x"), ("steps", 9), ("steps", 9, "message")])
def test_a_place_that_is_not_there_is_refused_in_words(path: tuple[str | int, ...]):
    with pytest.raises(EditRefused, match="cannot be set here"):
        set_values(TEXT, [ValueEdit(path, "x")])


def test_the_steps_of_loops_are_found_too():
    tree = {"steps": [{"step": "a", "do": [{"step": "b"}]}, {"step": "c"}]}
    assert dict(step_paths(tree)) == {"a": ("steps", 0), "b": ("steps", 0, "do", 0), "c": ("steps", 1)}


DEMO = sorted(Path("dialogue/library/demo/assistants").rglob("*.yaml"))


@pytest.mark.parametrize("file", DEMO, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_any_value_of_the_demo_can_be_changed_added_and_deleted_and_comments_stay(file: Path):
    text, chance = file.read_text(), random.Random(file.stem)
    paths = [path for path in all_paths(read_source(text).tree) if path]
    for path in chance.sample(paths, min(12, len(paths))):
        for edit in (
            ValueEdit(path, "Words: of [mine]"),
            ValueEdit(path, {"a": [1, {"b": None}]}),
            ValueEdit(path, 0.5),
        ):
            changed = edited(text, edit)
            assert same_value(value_at(read_source(changed).tree, path), edit.value)
            assert changed.count("#") == text.count("#")
        try:
            shorter = edited(text, ValueEdit(path, removes=True))
        except EditRefused:
            continue
        assert len(shorter) < len(text)


def all_paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, tuple) else ()
    return [path, *(inner for key, entry in entries for inner in all_paths(entry, (*path, key)))]


def value_at(tree: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree
