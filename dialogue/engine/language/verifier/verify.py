"""The verifier: runs every check of an assistant before it talks to users."""

from collections.abc import Callable, Collection, Iterable, Iterator

from dialogue.engine.language.documents import Assistant
from dialogue.engine.language.verifier.assignments import check_assignments
from dialogue.engine.language.verifier.assistant_document import SignatureCheck, check_assistant
from dialogue.engine.language.verifier.between_flows import check_between_flows
from dialogue.engine.language.verifier.called_flows.failures import check_failures, check_flows_of_settings
from dialogue.engine.language.verifier.called_flows.needs import check_needs
from dialogue.engine.language.verifier.cases import check_cases, check_exhausted
from dialogue.engine.language.verifier.choices.checks import check_data_choices, check_shared_choices
from dialogue.engine.language.verifier.computed_settings import check_assistant_settings, check_computed_settings
from dialogue.engine.language.verifier.contracts import check_contracts
from dialogue.engine.language.verifier.control_flow import check_control_flow
from dialogue.engine.language.verifier.declared_slots import check_own_slots
from dialogue.engine.language.verifier.findings import Finding
from dialogue.engine.language.verifier.flow_views import FlowView
from dialogue.engine.language.verifier.human_steps import check_human_steps
from dialogue.engine.language.verifier.loops import check_loops
from dialogue.engine.language.verifier.messages import check_first_texts, check_messages
from dialogue.engine.language.verifier.names import check_names
from dialogue.engine.language.verifier.slot_filling import check_slot_filling
from dialogue.engine.language.verifier.waits import check_events, check_waits

__all__ = ["Finding", "verify"]

Check = Callable[[FlowView], Iterable[Finding]]
_CHECKS: tuple[Check, ...] = (
    check_names,
    check_loops,
    check_own_slots,
    check_data_choices,
    check_contracts,
    check_assignments,
    check_failures,
    check_needs,
    check_computed_settings,
    check_human_steps,
    check_waits,
    check_cases,
    check_messages,
    check_first_texts,
)
_PATH_CHECKS: tuple[Check, ...] = (check_control_flow, check_slot_filling, check_exhausted)
_BROKEN_PATH_RULES = frozenset({"unknown_step", "duplicate_step", "jump_into_loop", "no_path"})
"""Errors that break paths: after one of these, the path checks would only report its consequences."""


def verify(
    assistant: Assistant,
    broken: frozenset[str] = frozenset(),
    registered: Collection[str] | None = None,
    flow_names: Collection[str] | None = None,
    signature_check: SignatureCheck | None = None,
) -> Iterator[Finding]:
    """Yield every finding in the assistant and its flows.

    `broken` names the flows whose documents cannot be loaded, `registered` the Python actions (None: not checked),
    `flow_names` the flows to check (None: all). `signature_check` compares a Python function with its contract.
    """
    yield from check_assistant(assistant, registered, signature_check)
    yield from check_shared_choices(assistant)
    yield from check_flows_of_settings(assistant, broken)
    yield from check_assistant_settings(assistant)
    yield from check_events(assistant, broken)
    for name, flow in assistant.flows.items():
        if flow_names is None or name in flow_names:
            view = FlowView(assistant, flow, broken)
            findings = [finding for check in _CHECKS for finding in check(view)]
            yield from findings
            if not any(finding.rule in _BROKEN_PATH_RULES for finding in findings):
                for check in _PATH_CHECKS:
                    yield from check(view)
    yield from check_between_flows(assistant, broken)
