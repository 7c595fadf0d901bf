"""Steps that failed without an action, such as one whose expression was given up, from the record of their turn."""

from collections.abc import Mapping
from typing import Any


def failed_steps(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return `{step, error}` for each of them, in the order of the turn."""
    steps = record.get("steps") or ()
    return [{"step": entry["step"], "error": entry["error"]} for entry in steps if entry.get("error")]
