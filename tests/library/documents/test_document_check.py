"""A text that is being written is checked among the saved ones; of those only what belongs to it is told."""

import pytest

from dialogue.engine.language.compiler import check_documents
from dialogue.library.documents.document_check import check_text
from dialogue.library.documents.versions import Edit, save_flow
from dialogue.models import Assistant

Documents = dict[str, str]
DOUBTFUL = """
flow: doubtful
description: It reads what nothing filled.
slots:
  amount: {type: money}
steps:
  - {step: tell, type: say, message: "It was {amount}."}
"""


@pytest.mark.parametrize("name", ["check_balance", "renamed"])
def test_all_of_a_flow_is_told_whatever_its_file_is_called(bank: Assistant, documents: Documents, name: str):
    among = {**documents, f"{name}.yaml": DOUBTFUL}
    expected = [each for each in check_documents(among) if each.file == f"{name}.yaml"]

    assert check_text(bank, name, DOUBTFUL).problems == tuple(expected) != ()


def test_what_is_wrong_in_another_flow_is_told_with_the_assistants_own_document_only(
    bank: Assistant, documents: Documents
):
    save_flow(bank, Edit("doubtful", DOUBTFUL), None)

    own = check_text(bank, "assistant", documents["assistant.yaml"])
    other = check_text(bank, "check_balance", documents["check_balance.yaml"])

    assert "doubtful.yaml" in {each.file for each in own.problems}
    assert {each.file for each in other.problems} <= {"check_balance.yaml"}
