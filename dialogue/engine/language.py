"""The flow language: its models, and the door through which documents become an assistant."""

from collections.abc import Mapping

from dialogue.engine.assistants import ActionContract, Assistant, Flow, Knowledge, Settings, digest_of
from dialogue.engine.problems import FlowProblems, Problem
from dialogue.engine.slots import Option, Slot
from dialogue.engine.step_models import (
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
    Handoff,
    Human,
    HumanAction,
    Link,
    Retry,
    Say,
    Step,
    While,
)

__all__ = [
    "END", "Action", "ActionContract", "AnyStep", "Assign", "Assistant", "Branch", "Call", "Case", "Channel", "Collect",
    "Confirm", "Escalation", "Flow", "FlowProblems", "Handoff", "Human", "HumanAction", "Knowledge", "Link", "Option",
    "Problem", "Retry", "Say", "Settings", "Slot", "Step", "While", "load_assistant",
]  # fmt: skip


def load_assistant(documents: Mapping[str, str]) -> Assistant:
    """The assistant that these documents (file name → text) make; raises FlowProblems."""
    from dialogue.engine.source import read_tree

    context = {"language": "en"}
    trees = {name: read_tree(text) for name, text in documents.items()}
    assistant = Assistant.model_validate(trees.pop("assistant.yaml"), context=context)
    flows = [Flow.model_validate(tree, context=context) for tree in trees.values()]
    return assistant.with_flows(flows, digest_of(documents))
