"""A process notices that the files of its actions have changed, and loads them again while they are being written."""

import importlib
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dialogue.engine.actions import registry
from dialogue.turns.compiled_releases import registered_actions
from dialogue.turns.process import code_changes
from dialogue.turns.process.code_changes import (
    notice_code_changes,
    outdated_modules,
    remember_code,
    unloadable_modules,
)

ACTIONS = """
from dialogue.engine.actions import registry
from written_shop.prices import PRICE


@registry.action("written_price")
def price(inputs, *, key, conversation):
    return {"price": PRICE, "version": 1}
"""


class Written:
    """The package of a project's actions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "written_shop"
        self.folder.mkdir()
        for name, text in (("__init__", ""), ("prices", "PRICE = 5\n"), ("actions", ACTIONS)):
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.folder / f"{name}.py"
        path.write_text(text)
        # A second write within the clock's resolution would look like the first.
        later = path.stat().st_mtime_ns + 1_000_000_000 * (len(text) % 7 + 2)
        os.utime(path, ns=(later, later))

    def notice(self) -> None:
        """As before a turn, a second later."""
        code_changes._code.next_look = 0.0
        notice_code_changes()

    @staticmethod
    def result() -> dict[str, int]:
        function = registry._functions["written_price"]
        answer: dict[str, int] = function({}, key="k", conversation="c")
        return answer


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings) -> Iterator[Written]:
    shop = Written(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(registry, "_functions", dict(registry._functions))
    settings.SONI = {"ACTIONS": ["written_shop.actions"], "RELOAD_ACTIONS": True}
    importlib.import_module("written_shop.actions")
    remember_code()
    yield shop
    for name in [name for name in sys.modules if name.startswith("written_shop")]:
        del sys.modules[name]
    settings.SONI = {}
    remember_code()


def test_a_changed_action_is_loaded_again_before_the_next_turn(written: Written):
    written.write("actions", ACTIONS.replace('"version": 1', '"version": 2'))
    assert outdated_modules() == ["written_shop.actions"]

    written.notice()

    assert written.result() == {"price": 5, "version": 2}
    assert outdated_modules() == []


def test_a_changed_module_that_the_actions_import_is_loaded_again_with_them(written: Written):
    written.write("prices", "PRICE = 7  # dearer\n")

    written.notice()

    assert written.result() == {"price": 7, "version": 1}


def test_a_file_that_cannot_be_loaded_leaves_the_old_functions(written: Written, caplog):
    written.write("actions", "def broken(:\n")

    written.notice()

    assert written.result() == {"price": 5, "version": 1}
    assert "written_shop.actions has changed and cannot be loaded. Its old functions stay." in caplog.text
    assert unloadable_modules() == ["written_shop.actions"]

    written.write("actions", ACTIONS.replace('"version": 1', '"version": 33'))
    written.notice()
    assert written.result()["version"] == 33
    assert unloadable_modules() == []


def test_elsewhere_a_process_says_once_that_it_runs_old_code(written: Written, settings, caplog):
    settings.SONI = {**settings.SONI, "RELOAD_ACTIONS": False}
    written.write("actions", ACTIONS.replace('"version": 1', '"version": 2'))

    with caplog.at_level(logging.WARNING):
        written.notice()
        written.notice()

    assert written.result()["version"] == 1
    assert caplog.text.count("runs older code than the files of written_shop.actions. Restart it.") == 1
    assert outdated_modules() == ["written_shop.actions"]


@pytest.mark.parametrize("setting", ["DEBUG", "DEVELOPMENT"])
def test_in_development_code_is_loaded_again_without_a_setting(written: Written, settings, setting: str):
    settings.SONI = {"ACTIONS": ["written_shop.actions"]}
    setattr(settings, setting, True)
    written.write("prices", "PRICE = 8\n\n")

    written.notice()

    assert written.result()["price"] == 8


def test_an_action_that_was_just_written_is_known_to_the_check_of_flows(written: Written):
    written.write("actions", ACTIONS + ACTIONS.partition("\n\n\n")[2].replace("written_price", "written_weight"))
    code_changes._code.next_look = 0.0

    assert "written_weight" in registered_actions()


def test_files_are_looked_at_once_a_second_at_most(written: Written):
    written.notice()
    written.write("prices", "PRICE = 9\n\n\n")

    notice_code_changes()
    assert written.result()["price"] == 5
    written.notice()
    assert written.result()["price"] == 9


def test_modules_outside_of_the_package_are_not_watched(written: Written):
    assert sorted(code_changes._code.stamps) == ["written_shop.actions", "written_shop.prices"]
