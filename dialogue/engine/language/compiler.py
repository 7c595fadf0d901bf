"""The entry point of the flow language: its models, and the functions that load and check documents."""

from collections.abc import Collection, Mapping

from dialogue.engine.language.documents import ActionContract, Assistant, Flow, Knowledge, Settings
from dialogue.engine.language.loader import errors_in, load_documents
from dialogue.engine.language.schema import json_schema
from dialogue.engine.language.steps import (
    END,
    Action,
    AnyStep,
    Assign,
    Branch,
    Call,
    Case,
    Channel,
    Collect,
    Confirm,
    Escalation,
    ForEach,
    Handoff,
    Human,
    HumanAction,
    Link,
    Loop,
    Retry,
    Say,
    Step,
    WaitStep,
    While,
)
from dialogue.engine.language.verifier.assistant_document import SignatureCheck
from dialogue.engine.slots.definitions.options import Option
from dialogue.engine.slots.models import Slot
from dialogue.engine.source.problems import FlowProblems, Problem

__all__ = [
    "END", "Action", "ActionContract", "AnyStep", "Assign", "Assistant", "Branch", "Call", "Case", "Channel", "Collect",
    "Confirm", "Escalation", "Flow", "FlowProblems", "ForEach", "Handoff", "Human", "HumanAction", "Knowledge", "Link",
    "Loop", "Option", "Problem", "Retry", "Say", "Settings", "Slot", "Step", "WaitStep", "While", "check_documents",
    "json_schema", "load_assistant",
]  # fmt: skip


def load_assistant(documents: Mapping[str, str]) -> Assistant:
    """Return the assistant that these documents (file name → text) define. Raises FlowProblems for any error."""
    loaded = load_documents(documents)
    if loaded.assistant is None or any(errors_in(loaded.problems)):
        raise FlowProblems(loaded.problems)
    return loaded.assistant


def check_documents(
    documents: Mapping[str, str],
    registered: Collection[str] | None = None,
    signature_check: SignatureCheck | None = None,
) -> list[Problem]:
    """Return every error and warning in the documents, assistant.yaml first, then by file, line and column.

    `registered` holds the names of the Python actions: with it, a contract without an action is an error too.
    `signature_check` adds an error for each action whose function does not fit its contract.
    """
    return load_documents(documents, registered, signature_check=signature_check).problems
