"""A project outside the package extends it by settings alone; docs/extending.md shows how, and is run here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.database.migrated import NAME, copy_migrated
from tests.support.processes.guide_project import Project, guide_project
from tests.support.processes.server import ROOT

pytestmark = pytest.mark.journey

TABLES = """
import json
from dialogue.engine.ports.commands import from_plain, to_plain
from dialogue.nlu.llm.model_answer import Said, read_commands, answer_for_command
from dialogue.nlu.llm.signatures import SoniDU
from dialogue.scenarios.format.schema import scenario_schema
from dialogue.web.scenarios.page import COMMANDS
from shop.commands import Wave

plain = ["wave", {"wave": "left"}, {"wave": {"hand": "left", "times": 0}}]
told = [Said(command="wave", name="left", value="2"), Said(command="wave", value="many"), Said(command="repeat")]
print(json.dumps({
    "round": [to_plain(command) for each in plain for command in from_plain(each)],
    "heard": [to_plain(command) for command in read_commands(told, None, str)],
    "said": answer_for_command(Wave("left", 2)).model_dump(),
    "answers": Said.model_json_schema()["properties"]["command"]["enum"],
    "instructions": SoniDU().understand.signature.instructions,
    "schema": json.dumps(scenario_schema()),
    "listed": list(COMMANDS),
}))
"""


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """The guide's project beside a migrated database."""
    project = guide_project(tmp_path)
    (tmp_path / "data").mkdir()
    copy_migrated(tmp_path / "data" / NAME)
    return project


def flows(shop: Project) -> str:
    return str(shop.folder / "shop" / "flows")


def test_check_load_and_scenarios_know_the_same_validators_actions_and_commands(shop: Project) -> None:
    checked = shop.manage("check_flows", flows(shop))
    loaded = shop.manage("load_flows", flows(shop), "--publish")
    played = shop.manage("run_scenarios", str(shop.folder / "shop" / "scenarios"), "--coverage")

    assert "No errors." in checked.stdout
    assert "shop: release 1 is active." in loaded.stdout, loaded.stdout + loaded.stderr
    assert "1 of 1 scenarios, 4 of 4 turns as expected" in played.stdout, played.stdout + played.stderr
    assert "command wave" not in played.stdout
    assert "command repeat" in played.stdout


def test_check_load_and_scenarios_refuse_the_same_validator_that_is_not_registered(shop: Project) -> None:
    shop.write("shop/rules.py", (shop.folder / "shop" / "rules.py").read_text().replace('"order_number"', '"number"'))

    refused = [
        shop.manage("check_flows", flows(shop)),
        shop.manage("load_flows", flows(shop)),
        shop.manage("run_scenarios", str(shop.folder / "shop" / "scenarios")),
    ]

    for each in refused:
        assert each.returncode == 1
        assert "no validator is registered as `order_number`" in each.stdout + each.stderr


def test_a_command_with_one_handler_is_in_every_table(shop: Project) -> None:
    printed = shop.manage("shell", "-v0", "-c", TABLES)

    assert printed.returncode == 0, printed.stderr
    tables = json.loads(printed.stdout)
    assert tables["round"] == ["wave", {"wave": "left"}, {"wave": {"hand": "left", "times": 0}}]
    assert tables["heard"] == [{"wave": {"hand": "left", "times": 2}}, "repeat"]
    assert tables["said"] == {"command": "wave", "name": "left", "value": "2"}
    assert tables["answers"][-1] == "wave"
    assert "wave HAND TIMES: the user says hello or goodbye by waving" in tables["instructions"]
    assert "by waving" in tables["schema"]
    assert "wave" in tables["listed"]


def test_an_understanding_of_ones_own_gives_the_command_and_the_record_shows_it(shop: Project) -> None:
    shop.manage("load_flows", flows(shop), "--publish")

    talked = shop.manage("chat", "shop", "-v", typed="👋👋👋\nwhere is my order\n")

    assert "*waves 3 times back*" in talked.stdout, talked.stdout + talked.stderr
    assert "Which order?" in talked.stdout
    conversation = next(line.split()[1] for line in talked.stdout.splitlines() if line.startswith("conversation"))
    traced = shop.manage("conversations", "trace", conversation, "1").stdout
    record = json.loads(traced.partition("\n")[2])
    assert record["proposed"] == [{"wave": {"hand": "left", "times": 3}}]
    assert record["path"][0]["part"] == "waving"


def test_knowledge_and_help_of_ones_own_answer(shop: Project) -> None:
    shop.manage("load_flows", flows(shop), "--publish")

    talked = shop.manage("chat", "shop", typed="where is my order\nhow do I get a refund?\nhelp\nwhat is love?\n")

    assert "You get your money back within 14 days." in talked.stdout, talked.stdout + talked.stderr
    assert "From: Terms, 4 (https://shop.example/terms)" in talked.stdout
    assert "track an order (running: track)" in talked.stdout


def test_scenarios_are_understood_by_it(shop: Project) -> None:
    played = shop.manage("run_scenarios", str(shop.folder / "shop" / "scenarios"), "--nlu", "shop.nlu.Waving")

    assert "1 of 1 scenarios, 4 of 4 turns as expected" in played.stdout, played.stdout + played.stderr


def test_the_projects_own_tests_run_from_outside(shop: Project) -> None:
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(shop.folder), "shop/test_shop.py"],
        cwd=shop.folder,
        env={**shop.environment, "PYTHONPATH": f"{shop.folder}:{ROOT}", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "7 passed" in tested.stdout, tested.stdout + tested.stderr


@pytest.mark.parametrize(
    ("setting", "value", "reason"),
    [
        ("NLU", "shop.nlu.Nodding", 'does not define a "Nodding"'),
        ("NLU", "shop.nlu.__name__", "is str; write a class or function that takes the assistant"),
        ("SONI_ACTIONS", "shop.nothing", "No module named 'shop.nothing'"),
        ("SONI_COMMANDS", "shop.commands.Wave", "write a dict of command class and handler"),
        ("SONI_KNOWLEDGE", "shop.nothing.Library", "No module named 'shop.nothing'"),
    ],
)
def test_a_name_that_cannot_be_used_is_told_by_the_check(tmp_path: Path, setting: str, value: str, reason: str) -> None:
    shop = guide_project(tmp_path, **{setting: value})

    checked = shop.manage("check")

    assert checked.returncode == 1
    assert f"{setting} names {value}, which cannot be used" in checked.stderr
    assert reason in checked.stderr
    assert "HINT: Write" in checked.stderr


def test_a_handler_for_what_is_no_frozen_class_or_has_one_already_is_refused(tmp_path: Path) -> None:
    shop = guide_project(tmp_path)
    taken = "from dialogue.engine.ports.commands import Repeat\nCOMMANDS = {Repeat: lambda turn, command: None}\n"
    shop.write("shop/taken.py", taken)
    shop.write("shop/open.py", "class Wave: ...\nCOMMANDS = {Wave: lambda turn, command: None}\n")
    shop.environment["SONI_COMMANDS"] = "shop.taken.COMMANDS,shop.open.COMMANDS"

    checked = shop.manage("check")

    assert "repeat has a handler already" in checked.stderr
    assert "is not a frozen dataclass" in checked.stderr


def test_an_understanding_that_is_neither_a_mode_nor_a_dotted_name_is_refused(tmp_path: Path) -> None:
    checked = guide_project(tmp_path, NLU="clever").manage("check")

    assert "write one of rules, learned, llm, auto, or a dotted name" in checked.stderr
