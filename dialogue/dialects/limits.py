"""Limits of what agents may send. They are checked before anything is read, and each refusal names its limit."""

import json
from typing import Any

from dialogue.dialects.pauses import AskRefused

MAX_ASK_BYTES = 128 * 1024
MAX_DEPTH = 20
MAX_VALUES = 5_000
"""The values, keys and entries of one question, at all depths."""
MAX_PAUSES = 20
MAX_QUESTION_CHARACTERS = 8_000
MAX_NAME_CHARACTERS = 200
MAX_ARGUMENTS = 50


def read_json(text: str) -> Any:
    """Return what a JSON text says. Raises ValueError for one that is malformed, and for numbers that JSON lacks."""
    try:
        value = json.loads(text)
        json.dumps(value, allow_nan=False)
    except RecursionError:
        raise ValueError("the text is nested too deeply") from None
    return value


def check_size(ask: Any) -> None:
    """Raise AskRefused if the question is too large, too deep or has too many parts."""
    pending: list[tuple[Any, int]] = [(ask, 1)]
    count = 0
    while pending:
        value, depth = pending.pop()
        parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        count += 1 + len(parts)
        if depth > MAX_DEPTH:
            raise AskRefused("ask", f"at most {MAX_DEPTH} levels fit here")
        if count > 2 * MAX_VALUES:
            raise AskRefused("ask", f"at most {MAX_VALUES} values fit here")
        pending += [(part, depth + 1) for part in parts]
    if len(json.dumps(ask, ensure_ascii=False).encode("utf-8", "surrogatepass")) > MAX_ASK_BYTES:
        raise AskRefused("ask", f"at most {MAX_ASK_BYTES // 1024} KiB fit here")
