"""Edits on the graph: the smallest change of the text."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from dialogue.engine.language.compiler import check_documents
from dialogue.library.documents import graph_edits
from dialogue.library.documents.flow_text import EditRefused, FlowText, TextChange, apply_changes
from dialogue.library.documents.graph_edits import EDITS, EXIT_KEYS
from tests.support.releases import DEMO

GARDEN = """\
# The garden's own flow
flow: water_plants   # daily
description: Waters the plants.
examples: [water the plants]
slots:
  bed: {type: text, prompt: Which bed?}
  again: {type: boolean, prompt: Once more?}
steps:
  # first the bed
  - {step: ask_bed, type: collect, slot: bed, next: check}   # asked once

  - step: check
    type: branch
    # two ways
    cases:
      - {when: "bed == 'ask_bed'", next: ask_bed}
      - when: "bed == 'roses'"   # thorny
        next: "approve"
    else: tell

  # people look at roses
  - step: approve
    type: human
    title: May the roses be watered?
    actions: [{id: yes_please, label: Yes}, {id: tell, label: Tell only}]
    next: {yes_please: tell}
    timeout: 1h
    on_timeout: tell
  - step: rounds
    type: while
    condition: "approve.action == 'tell' and again"
    do:
      # one round
      - {step: splash, type: say, message: "Splash, approve. said {approve.action}"}
      - step: more
        type: collect
        slot: again
    next: tell
  - step: tell
    type: say
    message: |
      Done with {bed},
      # no comment
      {approve.action}.

# the end
"""
COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)
NAMES = ["ask_bed", "check", "approve", "rounds", "splash", "more", "tell", "new_one", "other", "end"]


def edited(text: str, act: str, *words: str) -> str:
    return apply_changes(text, EDITS[act](text, *words).changes)


def comments(text: str) -> list[str]:
    return [each for each in COMMENT.findall(text) if each != "# no comment"]


def test_a_new_name_goes_everywhere_the_step_is_meant_and_nowhere_else():
    text = edited(GARDEN, "rename", "approve", "ask_gardener")

    assert "- step: ask_gardener\n" in text
    assert 'next: "ask_gardener"' in text
    assert "ask_gardener.action == 'tell' and again" in text
    assert '"Splash, approve. said {ask_gardener.action}"' in text
    assert "{ask_gardener.action}.\n" in text
    assert "  # people look at roses" in text


def test_an_outcome_of_the_same_name_and_a_quoted_text_keep_theirs():
    renamed = edited(GARDEN, "rename", "tell", "speak")
    asked = edited(GARDEN, "rename", "ask_bed", "which_bed")

    assert "on_timeout: tell" in renamed
    assert "{id: tell, label: Tell only}" in renamed
    assert "next: {yes_please: speak}" in renamed
    assert "approve.action == 'tell'" in renamed
    assert "bed == 'ask_bed'\", next: which_bed}" in asked


def test_a_way_is_led_elsewhere_or_said_for_the_first_time():
    assert "{step: ask_bed, type: collect, slot: bed, next: tell}   # asked once" in edited(
        GARDEN, "connect", "ask_bed", "next", "tell"
    )
    assert "else: end\n" in edited(GARDEN, "connect", "check", "else", "end")
    assert 'next: "rounds"' in edited(GARDEN, "connect", "check", "cases.1.next", "rounds")
    assert "next: {yes_please: tell, tell: rounds}" in edited(GARDEN, "connect", "approve", "next.tell", "rounds")
    assert "slot: again\n        on_failure: tell\n" in edited(GARDEN, "connect", "more", "on_failure", "tell")


def test_a_step_that_is_taken_out_leaves_no_way_to_nowhere():
    text = edited(GARDEN, "delete", "approve")

    assert "approve" not in {item.name for item in FlowText.read(text).step_items()}
    assert 'next: "rounds"' in text
    assert "  # people look at roses" in text


def test_a_comment_between_a_steps_lines_that_is_about_the_flow_stays():
    outer = "# ---- who decides ----"
    text = GARDEN.replace("    title: May the roses", f"{outer}\n  # and this\n    # its own\n    title: May the roses")

    left = edited(text, "delete", "approve")

    assert f"  # people look at roses\n{outer}\n  # and this\n  - step: rounds" in left
    assert "# its own" not in left
    assert FlowText.read(left)


def test_a_line_of_a_quoted_text_that_looks_like_a_comment_goes_with_its_step():
    text = GARDEN.replace("    title: May the roses be watered?", '    title: "May\n# the roses\n      be watered?"')

    assert "# the roses" not in edited(text, "delete", "approve")


def test_a_step_is_put_before_another_and_changes_places_with_its_neighbours():
    def names(text: str) -> list[str]:
        return [item.name for item in FlowText.read(text).step_items()]

    assert names(edited(GARDEN, "before", "approve", "check"))[:3] == ["ask_bed", "approve", "check"]
    assert names(edited(GARDEN, "before", "tell", "ask_bed"))[0] == "tell"
    assert names(edited(GARDEN, "down", "approve")) == [
        "ask_bed",
        "check",
        "rounds",
        "splash",
        "more",
        "approve",
        "tell",
    ]
    assert names(edited(GARDEN, "up", "tell")) == ["ask_bed", "check", "approve", "tell", "rounds", "splash", "more"]
    assert names(edited(GARDEN, "before", "tell", "more")) == names(edited(GARDEN, "up", "tell"))
    assert names(edited(GARDEN, "up", "more"))[4:6] == ["more", "splash"]
    assert edited(GARDEN, "up", "ask_bed") == edited(GARDEN, "down", "tell") == GARDEN


def test_a_new_step_stands_behind_the_one_that_was_chosen():
    text = edited(GARDEN, "add", "ask_bed", "say", "greet")

    assert (
        "# asked once\n  - step: greet\n    type: say\n    message: Write what is said here\n\n  - step: check" in text
    )


def test_a_step_is_moved_with_the_comment_above_it():
    text = edited(GARDEN, "move", "approve", "ask_bed")

    assert "# asked once\n  # people look at roses\n  - step: approve\n" in text
    assert sorted(text.splitlines()) == sorted(GARDEN.splitlines())
    assert [item.name for item in FlowText.read(edited(GARDEN, "move", "check", "")).step_items()][:2] == [
        "check",
        "ask_bed",
    ]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("rename", ("nobody", "x")),
        ("rename", ("tell", "check")),
        ("rename", ("tell", "Tell me")),
        ("rename", ("tell", "end")),
        ("connect", ("tell", "next", "nowhere")),
        ("connect", ("tell", "message", "check")),
        ("connect", ("approve", "next", "ask_bed")),
        ("move", ("splash", "tell")),
        ("before", ("splash", "tell")),
        ("before", ("rounds", "splash")),
        ("up", ("nobody",)),
        ("disconnect", ("ask_bed", "next")),
    ],
)
def test_what_would_break_the_flow_is_refused(act: str, words: tuple[str, ...]):
    with pytest.raises(EditRefused):
        edited(GARDEN, act, *words)


def test_offsets_are_counted_as_a_browser_counts():
    text = "# 🌱 seeds\n" + GARDEN

    change = graph_edits.editor_changes(graph_edits.rename_step(text, "splash", "spray"), text)["changes"][0]

    units = text.encode("utf-16-le")[change["from"] * 2 : change["to"] * 2].decode("utf-16-le")
    assert units == "splash"


ACTS = some.one_of(
    some.tuples(some.just("rename"), some.sampled_from(NAMES), some.sampled_from(NAMES)),
    some.tuples(some.just("connect"), some.sampled_from(NAMES), some.sampled_from(EXIT_KEYS), some.sampled_from(NAMES)),
    some.tuples(some.just("disconnect"), some.sampled_from(NAMES), some.sampled_from(EXIT_KEYS)),
    some.tuples(
        some.just("add"),
        some.sampled_from(NAMES),
        some.sampled_from(sorted(graph_edits.STEP_TEMPLATES)),
        some.sampled_from(NAMES),
    ),
    some.tuples(some.just("move"), some.sampled_from(NAMES), some.sampled_from(["", *NAMES])),
    some.tuples(some.just("before"), some.sampled_from(NAMES), some.sampled_from(NAMES)),
    some.tuples(some.sampled_from(["up", "down", "delete"]), some.sampled_from(NAMES)),
)


@settings(max_examples=16, deadline=None)
@given(some.lists(ACTS, max_size=8))
def test_after_any_edits_the_text_is_a_flow_with_all_its_comments_and_its_other_lines(acts: list[tuple[str, ...]]):
    text = GARDEN
    for act, *words in acts:
        try:
            changes = EDITS[act](text, *words).changes
        except EditRefused:
            continue
        lines = _untouched(text, changes)
        own = _own_comments(text, words[0]) if act == "delete" else []
        before, text = text, apply_changes(text, changes)
        FlowText.read(text)
        assert sorted([*comments(text), *own]) == sorted(comments(before))
        assert _is_part_of(lines, text.splitlines())


@settings(max_examples=8, deadline=None)
@given(some.lists(some.sampled_from(NAMES), max_size=5, unique=True))
def test_after_steps_were_taken_out_no_way_leads_to_nowhere(gone: list[str]):
    text = GARDEN
    for step in gone:
        try:
            text = edited(text, "delete", step)
        except EditRefused:
            continue

    wrong = check_documents({"assistant.yaml": "version: 1\nassistant: garden\n", "water_plants.yaml": text})

    assert [each for each in wrong if each.rule == "unknown_step"] == []
    assert {"# The garden's own flow", "# daily", "# the end", "  # first the bed".strip()} <= set(comments(text))


@pytest.mark.parametrize("file", sorted(DEMO.glob("*/*.yaml")), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_renaming_every_step_of_the_demo_and_back_changes_nothing(file: Path):
    if file.stem == "assistant":
        return
    text = file.read_text()
    documents = {each.name: each.read_text() for each in file.parent.glob("*.yaml")}

    for item in FlowText.read(text).step_items():
        other = edited(text, "rename", item.name, "renamed_once")
        assert [
            str(each) for each in check_documents({**documents, file.name: other}) if each.severity == "error"
        ] == []
        assert edited(other, "rename", "renamed_once", item.name) == text


def _untouched(text: str, changes: list[TextChange]) -> list[str]:
    """The lines that no change touches, in their order, unless lines were moved."""
    if len(changes) == 2 and changes[0].insert.strip("\n") in text:
        return []
    touched = {number for each in changes for number in _lines_of(text, each)}
    return [line for number, line in enumerate(text.splitlines()) if number not in touched]


def _is_part_of(lines: list[str], others: list[str]) -> bool:
    rest = iter(others)
    return all(line in rest for line in lines)


def _lines_of(text: str, change: TextChange) -> range:
    last = max(change.start, change.end - 1)
    return range(text.count("\n", 0, change.start), text.count("\n", 0, last) + 1)


def _own_comments(text: str, step: str) -> list[str]:
    """The comments that are plainly a step's: on its lines, or between them and deeper than its dash."""
    flow = FlowText.read(text)
    item = flow.step_item(step)
    block = flow.text[flow.dash_of(item) : flow.last_line_of(item)]
    indent = flow.indent_of(item)
    lines = [line for line in block.splitlines() if not re.match(rf" {{0,{indent}}}#", line)]
    return comments("\n".join(lines))


ON_ERROR = """\
flow: tell
description: Tells.
settings: {on_error: sorry}
steps:
  - {step: look, type: action, call: look}
  - {step: done, type: say, message: Done., next: end}
  - {step: sorry, type: say, message: Sorry., next: end}
"""


def test_the_step_for_failures_of_the_flow_is_renamed_with_its_setting():
    changes = graph_edits.rename_step(ON_ERROR, "sorry", "apology").changes

    assert "settings: {on_error: apology}" in apply_changes(ON_ERROR, changes)


def test_failures_lead_on_when_their_step_is_deleted():
    changes = graph_edits.delete_step(ON_ERROR, "sorry").changes

    assert "settings: {on_error: end}" in apply_changes(ON_ERROR, changes)


def test_a_new_step_has_its_first_texts_in_the_assistants_language():
    changes = graph_edits.add_step(ON_ERROR, "done", "human", "approval", "es-MX").changes

    text = apply_changes(ON_ERROR, changes)
    assert "title: Escribe lo que hay que decidir" in text
    assert "{id: approve, label: Aprobar}" in text


def test_a_step_without_a_name_is_refused_with_a_reason():
    with pytest.raises(EditRefused, match="needs a name"):
        graph_edits.add_step(ON_ERROR, "sorry", "say", "")


def test_a_title_becomes_the_name_of_a_new_step():
    added = graph_edits.add_step(ON_ERROR, "done", "say", "¿Revisar la petición?")

    assert added.select == "revisar_la_peticion"
    assert "- step: revisar_la_peticion\n" in apply_changes(ON_ERROR, added.changes)


@pytest.mark.parametrize("typed", ["end", "End", "Done", "???"])
def test_a_title_of_which_no_new_name_can_be_made_is_refused(typed: str):
    with pytest.raises(EditRefused):
        graph_edits.add_step(ON_ERROR, "sorry", "say", typed)
