"""The verifier: everything that can be found out about an assistant before anybody talks with it."""

from collections.abc import Callable, Iterable, Iterator

from dialogue.engine.assistants import Assistant
from dialogue.engine.checks.between_flows import check_between_flows
from dialogue.engine.checks.cases import check_cases
from dialogue.engine.checks.contracts import check_contracts
from dialogue.engine.checks.declared_slots import check_own_slots
from dialogue.engine.checks.filling import check_filling
from dialogue.engine.checks.findings import Finding
from dialogue.engine.checks.flow_views import FlowView
from dialogue.engine.checks.gates import check_gates
from dialogue.engine.checks.names import check_names
from dialogue.engine.checks.ways import check_ways
from dialogue.engine.checks.whole_assistant import check_assistant

__all__ = ["Finding", "verify"]

_CHECKS: tuple[Callable[[FlowView], Iterable[Finding]], ...] = (
    check_names,
    check_own_slots,
    check_contracts,
    check_gates,
    check_cases,
    check_ways,
    check_filling,
)


def verify(assistant: Assistant, broken: frozenset[str] = frozenset()) -> Iterator[Finding]:
    """Every finding in the assistant and its flows; `broken` are flows whose documents make none yet."""
    yield from check_assistant(assistant)
    for flow in assistant.flows.values():
        view = FlowView(assistant, flow, broken)
        for check in _CHECKS:
            yield from check(view)
    yield from check_between_flows(assistant)
