"""Export the audit trail, one line an entry. Personal text is not exported: a line holds only its hash."""

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
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets read a cell that starts with one of these as a formula."""


def as_csv(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """Yield a header line, then one line an entry. Facts are JSON; cells that look like formulas are quoted."""
    yield csv_line(COLUMNS)
    for entry in entries:
        yield csv_line(_entry_values(entry).values())


def as_json_lines(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """Yield one JSON object a line, with the keys of `COLUMNS`."""
    for entry in entries:
        yield json.dumps(_entry_values(entry), ensure_ascii=False) + "\n"


FORMATS: dict[str, tuple[str, Callable[[Iterable[AuditEntry]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "jsonl": ("application/jsonl; charset=utf-8", as_json_lines),
}
"""By the file's ending: content type and writer."""


def _entry_values(entry: AuditEntry) -> dict[str, Any]:
    return {**{column: getattr(entry, column) for column in COLUMNS}, "at": entry.at.isoformat()}


def csv_line(values: Iterable[Any]) -> str:
    """Return one line of CSV: None is empty, a dict is JSON, and text that looks like a formula is quoted."""
    line = StringIO()
    csv.writer(line).writerow(map(_cell_text, values))
    return line.getvalue()


def _cell_text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
