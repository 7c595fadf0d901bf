"""What differs between two sets of documents, step by step."""

from dialogue.library.documents.step_changes import changed_steps
from tests.support.releases import GREETER

BEFORE = {"greet.yaml": GREETER["greet.yaml"]}


def changes(old: str, new: str) -> dict[str, str]:
    """Of the greeting flow with one text replaced by another: step → kind."""
    after = {"greet.yaml": BEFORE["greet.yaml"].replace(old, new)}
    return {each.step: each.kind for each in changed_steps(BEFORE, after)}


def test_the_same_texts_have_no_difference():
    assert changed_steps(BEFORE, BEFORE) == []


def test_a_changed_step_has_its_lines_before_and_after():
    after = {"greet.yaml": BEFORE["greet.yaml"].replace("{greeting}", "{greeting}!")}

    (change,) = changed_steps(BEFORE, after)

    assert (change.flow, change.step, change.kind, change.type) == ("greet", "done", "changed", "say")
    assert [line[0] for line in change.lines] == ["-", "+"]


def test_a_comment_or_a_blank_line_changes_nothing():
    assert changes("steps:\n", "steps:\n\n  # they greet\n") == {}


def test_a_new_step_and_one_that_is_gone_are_told():
    assert changes("step: ask,", "step: ask_name,") == {"ask_name": "new", "ask": "gone"}


def test_what_stands_above_the_steps_is_a_change_of_its_own():
    assert changes("Who are you?", "What is your name?") == {"": "changed"}


def test_a_whole_flow_is_new():
    kinds = {each.kind for each in changed_steps({}, BEFORE)}

    assert kinds == {"new"}


def test_a_step_in_a_comment_is_no_step():
    head = "# End a flow with:\n#   - {step: rate, type: link}\nflow: satisfaction\nsteps:\n"

    changes = changed_steps({}, {"satisfaction.yaml": f"{head}  - {{step: ask, type: say}}\n"})

    assert [change.step for change in changes] == ["", "ask"]
