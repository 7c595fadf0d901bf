"""A text that is being written is checked among the saved ones; of those only what belongs to it is told."""

import pytest

from dialogue.engine.language.compiler import check_documents
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.document_check import check_text
from dialogue.library.documents.versions import Edit, save_flow
from dialogue.library.releases.releases import publish
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


def test_an_action_without_python_code_is_a_warning_in_a_draft_and_an_error_when_it_is_published(
    bank: Assistant, documents: Documents
):
    sketch = documents["assistant.yaml"].replace(
        "actions:\n", "actions:\n  weigh_gold: {outputs: {grams: integer}}\n", 1
    )

    drafted = [each for each in check_text(bank, "assistant", sketch).problems if each.rule == "unregistered_action"]
    save_flow(bank, Edit("assistant", sketch, 1), None)
    with pytest.raises(FlowProblems, match="no Python action is registered as `weigh_gold`"):
        publish(bank)

    assert [(each.code, each.severity) for each in drafted] == [("W-FLOW", "warning")]
    assert 'Register it with @registry.action("weigh_gold"). Until then tests simulate it' in drafted[0].advice


def test_a_step_that_calls_an_action_without_python_code_says_so(bank: Assistant, documents: Documents):
    sketch = documents["assistant.yaml"].replace(
        "actions:\n", "actions:\n  weigh_gold: {outputs: {grams: integer}}\n", 1
    )
    save_flow(bank, Edit("assistant", sketch, 1), None)
    flow = (
        "flow: weigh\ndescription: Weigh.\nexamples: [weigh]\nsteps:\n  - {step: ask, type: action, call: weigh_gold}\n"
    )

    (problem,) = [each for each in check_text(bank, "weigh", flow).problems if each.rule == "unregistered_action"]

    assert (problem.severity, problem.file, problem.line) == ("warning", "weigh.yaml", 5)
    assert problem.path == "weigh.steps.ask.call"


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("outdated_modules", "If it is in shop.actions, restart the server"),
        (
            "unloadable_modules",
            "The changed file of shop.actions cannot be loaded: the log of the server has the reason",
        ),
    ],
)
def test_where_the_file_of_an_action_has_changed_and_is_not_loaded_the_warning_says_so(
    bank: Assistant, documents: Documents, monkeypatch: pytest.MonkeyPatch, state: str, told: str
):
    monkeypatch.setattr(f"dialogue.library.documents.document_check.{state}", lambda: ["shop.actions"])
    sketch = documents["assistant.yaml"].replace(
        "actions:\n", "actions:\n  weigh_gold: {outputs: {grams: integer}}\n", 1
    )

    (problem,) = [each for each in check_text(bank, "assistant", sketch).problems if each.rule == "unregistered_action"]

    assert told in problem.advice
