"""manage.py startassistant writes an assistant whose own tests pass."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.support.processes.server import ROOT


def start(folder: Path, name: str = "returns", **options: str) -> str:
    out = StringIO()
    call_command("startassistant", name, folder=folder, stdout=out, **options)
    return out.getvalue()


def test_it_writes_flows_actions_a_scenario_and_a_test_and_says_what_comes_next(tmp_path: Path):
    printed = start(tmp_path, title="Returns & refunds")

    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert files == [
        "returns/__init__.py",
        "returns/actions.py",
        "returns/flows/assistant.yaml",
        "returns/flows/track_order.yaml",
        "returns/scenarios/track_order.yaml",
        "returns/test_returns.py",
    ]
    assert "title: Returns & refunds" in (tmp_path / "returns" / "flows" / "assistant.yaml").read_text()
    assert "SONI_ACTIONS=dialogue.library.demo.actions,returns.actions" in printed
    assert f"manage.py load_flows {tmp_path}/returns/flows --publish" in printed


@pytest.mark.parametrize("name", ["Returns", "1st", "re-turns", "class", "x" * 50, "../returns", ""])
def test_a_name_that_cannot_be_a_package_is_refused(tmp_path: Path, name: str):
    with pytest.raises(CommandError, match="is not a name"):
        start(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_a_name_that_is_taken_is_refused(tmp_path: Path):
    with pytest.raises(CommandError, match="a Python module 'json' already"):
        start(tmp_path, "json")
    start(tmp_path)
    with pytest.raises(CommandError, match="exists already"):
        start(tmp_path)
    with pytest.raises(CommandError, match="There is no folder"):
        start(tmp_path / "nowhere")


def test_a_title_cannot_break_the_documents(tmp_path: Path):
    start(tmp_path, title='Re: "turns" {x}\n"""')

    assert "title: Re turns x" in (tmp_path / "returns" / "flows" / "assistant.yaml").read_text()


@pytest.mark.journey
def test_its_own_tests_pass(tmp_path: Path):
    start(tmp_path)

    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), "returns"],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": f"{tmp_path}:{ROOT}",
            "PYTEST_ADDOPTS": "",
            "DJANGO_SETTINGS_MODULE": "soni_admin.settings",
            "DATABASE_URL": "",
            "SONI_DATA": str(tmp_path / "data"),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert "6 passed" in tested.stdout, tested.stdout + tested.stderr
