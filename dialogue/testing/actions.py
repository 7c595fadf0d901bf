"""Call a registered action as a flow does: inputs and results are read by its contract."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dialogue.engine.actions import ActionContext, registry
from dialogue.engine.language.compiler import ActionContract
from dialogue.engine.language.python_values import python_inputs, stored_results, to_python
from dialogue.engine.slots.values import value_from_any
from dialogue.testing.documents import load_folder


class ResultRefused(AssertionError):
    """The action returned something that its contract does not have."""


def call_action(
    folder: str | Path,
    name: str,
    inputs: Mapping[str, Any],
    *,
    key: str = "test-key",
    conversation: str = "test-conversation",
    context: ActionContext | None = None,
    now: datetime | None = None,
    timezone: str = "UTC",
) -> dict[str, Any]:
    """Call the action and return its outputs by name, in Python's types.

    The folder's contract says how: inputs may be written as in YAML ("2026-12-24", 12.5), and the function gets them in
    Python's types. Raises LookupError for an action without a contract or function, ValueRefused for an input of
    another type, ResultRefused for a result that does not fit, and whatever the action raises.
    """
    contract = load_folder(folder).actions.get(name)
    if contract is None or name not in registry:
        missing = "contract in assistant.yaml" if contract is None else "function. Import its module first"
        raise LookupError(f"The action `{name}` has no {missing}.")
    moment = now or datetime.now(UTC)
    stored = _stored_inputs(contract, inputs, moment, timezone)
    arguments = python_inputs(contract, stored)
    returned = asyncio.run(registry.call(name, arguments, key=key, conversation=conversation, context=context))
    results = stored_results(contract, returned, now=moment, timezone=timezone)
    if results.type_mismatch or results.unknown_outputs:
        raise ResultRefused(f"{name}: {results.type_mismatch} {results.unknown_outputs}".strip())
    return {output: to_python(contract.outputs[output], value) for output, value in results.outputs.items()}


def _stored_inputs(contract: ActionContract, inputs: Mapping[str, Any], now: datetime, timezone: str) -> dict[str, Any]:
    """Return the inputs as a flow stores them. Raises LookupError, ValueRefused."""
    for name in inputs:
        if name not in contract.inputs:
            raise LookupError(f"The contract has no input `{name}`. Its inputs are: {', '.join(contract.inputs)}.")
    missing = [name for name, slot in contract.inputs.items() if slot.required and name not in inputs]
    if missing:
        raise LookupError(f"The contract needs the input `{missing[0]}`.")
    return {
        name: value_from_any(contract.inputs[name], value, now=now, timezone=timezone) for name, value in inputs.items()
    }
