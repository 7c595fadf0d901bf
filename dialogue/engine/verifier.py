"""The verifier: everything that can be found out about an assistant before anybody talks with it."""

from collections.abc import Callable, Collection, Iterable, Iterator

from dialogue.engine.assistants import Assistant
from dialogue.engine.checks.between_flows import check_between_flows
from dialogue.engine.checks.cases import check_cases, check_exhausted
from dialogue.engine.checks.contracts import check_contracts
from dialogue.engine.checks.declared_slots import check_own_slots
from dialogue.engine.checks.filling import check_filling
from dialogue.engine.checks.findings import Finding
from dialogue.engine.checks.flow_views import FlowView
from dialogue.engine.checks.gates import check_gates
from dialogue.engine.checks.names import check_names
from dialogue.engine.checks.ways import check_ways
from dialogue.engine.checks.whole_assistant import Misfit, check_assistant

__all__ = ["Finding", "verify"]

Check = Callable[[FlowView], Iterable[Finding]]
_CHECKS: tuple[Check, ...] = (check_names, check_own_slots, check_contracts, check_gates, check_cases)
_CHECKS_OF_WAYS: tuple[Check, ...] = (check_ways, check_filling, check_exhausted)
_MISLEADING = frozenset({"unknown_step", "duplicate_step", "jump_into_loop", "no_path"})
"""Where ways lead nowhere, whatever else is said about ways would only follow from that."""


def verify(
    assistant: Assistant,
    broken: frozenset[str] = frozenset(),
    registered: Collection[str] | None = None,
    wanted: Collection[str] | None = None,
    misfit: Misfit | None = None,
) -> Iterator[Finding]:
    """Every finding in the assistant and its flows.

    `broken` are flows whose documents make none yet, `registered` the actions that there are in Python, if known,
    `wanted` the flows to look into, if not all, `misfit` tells of Python functions that do not fit their contract.
    """
    yield from check_assistant(assistant, registered, misfit)
    for name, flow in assistant.flows.items():
        if wanted is None or name in wanted:
            yield from _verify_flow(FlowView(assistant, flow, broken))
    yield from check_between_flows(assistant)


def _verify_flow(view: FlowView) -> Iterator[Finding]:
    findings = [finding for check in _CHECKS for finding in check(view)]
    yield from findings
    if not any(finding.rule in _MISLEADING for finding in findings):
        for check in _CHECKS_OF_WAYS:
            yield from check(view)
