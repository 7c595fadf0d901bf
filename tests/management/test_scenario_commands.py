"""Scenario files go into the database and come out as they were."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from dialogue.library.documents.versions import store_documents
from dialogue.models import Scenario
from tests.support.releases import demo

pytestmark = pytest.mark.django_db

TEXT = "assistant: ../assistants/bank  # ours\nscenarios: [{name: says hello, turns: [{user: hello}]}]\n"


def test_files_go_in_and_come_out_byte_for_byte(tmp_path: Path):
    store_documents(demo("bank"))
    (tmp_path / "hello.yaml").write_text(TEXT)

    call_command("load_scenarios", "bank", str(tmp_path), stdout=StringIO())
    call_command("load_scenarios", "bank", str(tmp_path), stdout=StringIO())
    call_command("dump_scenarios", "bank", str(tmp_path / "out"), stdout=StringIO())

    assert (tmp_path / "out" / "hello.yaml").read_text() == TEXT
    assert Scenario.objects.get().title == "says hello"


def test_a_file_that_is_none_is_said_and_the_others_are_taken(tmp_path: Path):
    store_documents(demo("bank"))
    (tmp_path / "hello.yaml").write_text(TEXT)
    (tmp_path / "wrong.yaml").write_text("scenarios: nowhere\n")
    said = StringIO()

    with pytest.raises(SystemExit):
        call_command("load_scenarios", "bank", str(tmp_path), stdout=StringIO(), stderr=said)

    assert "wrong.yaml:1" in said.getvalue()
    assert Scenario.objects.count() == 1


def test_an_assistant_that_is_not_there_is_named():
    with pytest.raises(CommandError, match="no assistant nobody"):
        call_command("load_scenarios", "nobody", ".")
