"""Scenario files run from the command line, in a database of their own."""

import json
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.management import call_command

from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.models import Assistant, Conversation
from tests.support.soni_settings import change

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.journey]

FILE = """
assistant: {folder}
stubs: {{read_balance: [{{returns: {{balance: 5}}}}]}}
scenarios:
  - name: a balance
    turns:
      - {{user: balance, commands: [{{start_flow: check_balance}}], expect: {{messages: [{key}]}}}}
"""


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.yaml"
    file.write_text(FILE.format(folder=ASSISTANTS_FOLDER / "bank", key="tell"))
    return file


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.yaml"
    file.write_text(FILE.format(folder=ASSISTANTS_FOLDER / "bank", key="done"))
    return file


def run(*arguments: str) -> tuple[str, str, int]:
    """Output, error output and exit status."""
    out, err = StringIO(), StringIO()
    try:
        call_command("run_scenarios", *arguments, stdout=out, stderr=err)
    except SystemExit as ended:
        return out.getvalue(), err.getvalue(), int(ended.code or 0)
    return out.getvalue(), err.getvalue(), 0


def test_the_last_line_is_the_sum(good: Path):
    out, _err, status = run(str(good))

    assert out.splitlines()[-1] == "1 of 1 scenarios, 1 of 1 turns as expected"
    assert status == 0


def test_a_scenario_that_falls_short_shows_expected_and_got_and_ends_with_1(good: Path, bad: Path):
    out, _err, status = run(str(good), str(bad))

    assert "expected done\n             got      say:tell" in out
    assert out.splitlines()[-1] == "1 of 2 scenarios, 1 of 2 turns as expected"
    assert status == 1


def test_nothing_of_it_is_left_in_the_database(good: Path):
    run(str(good))

    assert not Assistant.objects.exists()
    assert not Conversation.objects.exists()


def test_a_broken_file_is_named_and_the_others_are_played(good: Path, tmp_path: Path):
    broken = tmp_path / "a_broken.yaml"
    broken.write_text("assistant: nowhere\nscenarios: []\n")

    out, err, status = run(str(tmp_path))

    assert f"{broken}:2:12: E-SCENARIO:" in err
    assert out.splitlines()[-1] == "1 of 1 scenarios, 1 of 1 turns as expected"
    assert status == 1


def test_machines_read_json_or_junit(good: Path, bad: Path):
    plain = json.loads(run(str(good), "--format", "json")[0])
    suites = ElementTree.fromstring(run(str(bad), "--format", "junit")[0])

    assert plain["summary"]["text"] == "1 of 1 scenarios, 1 of 1 turns as expected"
    assert plain["scenarios"][0]["turns"][0]["seen"]["messages"][0]["key"] == "say:tell"
    assert [suite.attrib["failures"] for suite in suites] == ["1"]


def test_coverage_lists_what_was_never_reached(good: Path):
    out, _err, _status = run(str(good), "--coverage")

    assert "step transfer_money.send" in out
    assert "step check_balance.tell" not in out
    assert "command restart" in out


@pytest.mark.parametrize(("embedded", "comparison"), [("auto", "by meaning"), ("off", "by words")])
def test_the_understanding_that_serves_is_named(good: Path, settings: Any, embedded: str, comparison: str):
    change(settings, NLU_EMBEDDED=embedded)

    out, err, _status = run(str(good), "--nlu", "learned")

    assert err.startswith(f"Understanding: learned, {comparison}, no language model.")
    assert "1 of 1 scenarios" in out
