"""The record for other programs, a line an entry. Personal text stays here: a line holds its hash, and so verifies."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from io import StringIO
from typing import Any

from dialogue.models import AuditEntry

COLUMNS = (
    *("chain", "number", "at", "actor", "actor_id", "act", "subject"),
    *("facts", "detail_sha256", "previous_sha256", "sha256"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheets take for a formula at the beginning of a cell."""


def as_csv(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """A heading line, then one line an entry; facts as JSON."""
    yield _line(COLUMNS)
    for entry in entries:
        yield _line(_cell(value) for value in _plain(entry).values())


def as_json_lines(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """One JSON object a line."""
    for entry in entries:
        yield json.dumps(_plain(entry), ensure_ascii=False) + "\n"


FORMATS: dict[str, tuple[str, Callable[[Iterable[AuditEntry]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "jsonl": ("application/jsonl; charset=utf-8", as_json_lines),
}
"""By the file's ending: content type and writer."""


def _plain(entry: AuditEntry) -> dict[str, Any]:
    return {**{column: getattr(entry, column) for column in COLUMNS}, "at": entry.at.isoformat()}


def _cell(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _line(cells: Iterable[str]) -> str:
    line = StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
