"""Folders are checked, loaded and dumped from the command line."""

import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from shutil import copytree

import pytest
from django.core.management import CommandError, call_command

from dialogue.engine.actions import registry
from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.models import Assistant, FlowVersion
from soni_admin.__main__ import ENDED_BY_SIGPIPE

BANK = ASSISTANTS_FOLDER / "bank"


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The bank with a slot that is written wrong."""
    folder = Path(copytree(BANK, tmp_path / "bank"))
    flow = folder / "transfer_money.yaml"
    flow.write_text(flow.read_text().replace("slot: iban}", "slot: ibna}"))
    return folder


def test_a_folder_without_errors_passes():
    assert printed("check_flows", str(BANK)).endswith("No errors.\n")


def test_every_error_is_a_line_with_file_line_column_and_code(broken: Path):
    out = StringIO()

    with pytest.raises(CommandError) as ended:
        call_command("check_flows", str(broken), stdout=out)

    assert ended.value.returncode == 1
    line = next(line for line in out.getvalue().splitlines() if "E-FLOW" in line)
    assert line.startswith(f"{broken}/transfer_money.yaml:41:")
    assert line.endswith("there is no slot `ibna`. Did you mean `iban`?")


@pytest.mark.parametrize(
    ("table", "value", "said"),
    [
        ("_functions", lambda amount: {}, "an action is called as send_money(inputs, key=…, conversation=…)"),
        ("_versions", 2, "version 1 of `send_money` is not registered; the registered version is 2"),
        ("_duplicates", "shop.pay and bank.pay", "two functions are registered as `send_money`: shop.pay and bank.pay"),
    ],
)
def test_a_function_that_publishing_would_refuse_is_an_error_already(monkeypatch, table: str, value, said: str):
    monkeypatch.setitem(getattr(registry, table), "send_money", value)
    out = StringIO()

    with pytest.raises(CommandError):
        call_command("check_flows", str(BANK), stdout=out)

    assert f"{BANK}/assistant.yaml:13:3: E-FLOW: " in out.getvalue()
    assert said in out.getvalue()


def test_one_document_is_checked_in_its_folder(broken: Path):
    out = StringIO()

    call_command("check_flows", str(broken / "check_balance.yaml"), stdout=out)

    assert "transfer_money" not in out.getvalue()


@pytest.fixture
def ahead(tmp_path: Path) -> Path:
    """The bank with the contract of an action that has no Python here."""
    folder = Path(copytree(BANK, tmp_path / "ahead"))
    own = folder / "assistant.yaml"
    own.write_text(own.read_text().replace("actions:\n", "actions:\n  open_account: {inputs: {}, outputs: {}}\n", 1))
    return folder


def test_an_action_without_python_is_an_error_at_its_contract_s_line(ahead: Path):
    out = StringIO()
    lines = (ahead / "assistant.yaml").read_text().splitlines()

    with pytest.raises(CommandError):
        call_command("check_flows", str(ahead), stdout=out)

    place = f"{ahead}/assistant.yaml:{lines.index('  open_account: {inputs: {}, outputs: {}}') + 1}:3: "
    line = next(line for line in out.getvalue().splitlines() if line.startswith(place))
    assert "no Python action is registered as `open_account`" in line


def test_a_folder_whose_python_is_elsewhere_is_checked_with_any_action(ahead: Path):
    assert printed("check_flows", "--any-action", str(ahead)).endswith("No errors.\n")


@pytest.mark.django_db
def test_what_was_loaded_is_dumped_to_the_byte(tmp_path: Path):
    printed("load_flows", str(BANK), "--publish")
    printed("dump_flows", "bank", str(tmp_path))

    assert contents(tmp_path) == contents(BANK)
    assert (tmp_path / "documents" / "cards.md").is_file()


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file below a folder."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder): file.read_bytes() for file in files}


@pytest.mark.django_db
def test_loading_again_publishes_nothing(tmp_path: Path):
    printed("load_flows", str(BANK), "--publish")

    assert "nothing changed" in printed("load_flows", str(BANK), "--publish")
    assert Assistant.objects.get().releases.count() == 1


@pytest.mark.django_db
def test_documents_with_an_error_are_not_loaded(broken: Path):
    with pytest.raises(CommandError, match="refused"):
        printed("load_flows", str(broken))

    assert not FlowVersion.objects.exists()


@pytest.mark.django_db
def test_an_earlier_release_can_be_dumped(tmp_path: Path):
    printed("load_flows", str(BANK), "--publish")
    changed = Path(copytree(BANK, tmp_path / "changed"))
    (changed / "check_balance.yaml").write_text((BANK / "check_balance.yaml").read_text() + "# later\n")
    printed("load_flows", str(changed), "--publish")

    printed("dump_flows", "bank", str(tmp_path / "first"), "--release", "1")

    assert (tmp_path / "first" / "check_balance.yaml").read_bytes() == (BANK / "check_balance.yaml").read_bytes()


@pytest.mark.django_db
def test_an_unknown_assistant_is_refused_with_those_that_there_are(tmp_path: Path):
    printed("load_flows", str(BANK))

    with pytest.raises(CommandError, match="There are: bank"):
        printed("dump_flows", "bnak", str(tmp_path))


@pytest.mark.journey
def test_a_reader_that_has_enough_ends_a_command_without_a_traceback(broken: Path, tmp_path: Path):
    command = [sys.executable, "manage.py", "check_flows", str(broken)]
    root, environment = Path(__file__).parents[2], {**os.environ, "SONI_DATA": str(tmp_path)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=root, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()

    assert process.returncode == ENDED_BY_SIGPIPE
    assert "Traceback" not in errors and "BrokenPipe" not in errors
