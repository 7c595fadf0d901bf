"""What is wrong in a scenario file is said with its line and column."""

from pathlib import Path

import pytest

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.scenarios.format.reading import read_script, scenario_files_at

HEAD = f"assistant: {ASSISTANTS_FOLDER / 'bank'}\nscenarios:\n  - name: one\n    turns:\n"


def problems(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "wrong.yaml"
    file.write_text(text)
    with pytest.raises(FlowProblems) as refused:
        read_script(file)
    return [str(problem).removeprefix(f"{file}:") for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        ("{user: hi, expcet: {}}", "5:20: E-SCENARIO: unknown key `expcet`. Did you mean `expect`?"),
        ("{user: hi, stubs: {}}", "5:20: E-SCENARIO: `stubs` has no place here. It belongs to the top of the file"),
        ("{user: hi, tags: [a]}", "5:20: E-SCENARIO: `tags` has no place here. It belongs to a scenario"),
        ("{user: Hello, it is me.}", "5:23: E-SCENARIO: the text of `user` ends at its comma, so `it is me.` is read"),
        ("{user: hi, restart: true}", "5:9: E-SCENARIO: a turn has exactly one of user, choose,"),
        ("{clock: soon}", "5:17: E-SCENARIO: 'soon' is not a duration."),
        ("{user: hi, commands: [fly]}", "5:31: E-SCENARIO: 'fly' is no command"),
        ("{operator: {claim: {}, say: hi}}", "5:20: E-SCENARIO: an operator does one thing in a turn"),
        ("{user: hi, expect: {messages: [3]}}", "5:40: E-SCENARIO: write a message's key, or {key: {contains: […]}}"),
        ("{user: hi", "6:1: E-YAML:"),
    ],
)
def test_a_wrong_turn_is_named_with_its_place(turn: str, said: str, tmp_path: Path):
    (found,) = problems(tmp_path, f"{HEAD}      - {turn}\n")

    assert found.startswith(said)


def test_a_missing_assistant_is_named_where_it_is_written(tmp_path: Path):
    (found,) = problems(tmp_path, "assistant: ./nobody\nscenarios: [{name: one, turns: [{user: hi}]}]\n")

    assert found.startswith("1:12: E-SCENARIO: ")
    assert "is no folder" in found


def test_a_folder_stands_for_its_yaml_files(tmp_path: Path):
    for name in ("b.yaml", "a.yaml", "notes.txt"):
        (tmp_path / name).touch()

    assert [path.name for path in scenario_files_at([tmp_path, tmp_path / "b.yaml"])] == ["a.yaml", "b.yaml", "b.yaml"]
