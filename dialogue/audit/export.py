"""Export the audit trail, one line an entry. Personal text is not exported: a line holds only its hash.

The column `test` is "test" for the entries of test conversations, which decided nothing for a customer.
"""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from io import StringIO
from itertools import islice
from typing import Any
from uuid import UUID

from dialogue.models import AuditEntry, Conversation

COLUMNS = (
    *("chain", "number", "at", "actor", "actor_id", "act", "subject"),
    *("facts", "detail_sha256", "previous_sha256", "sha256"),
)
TEST_COLUMN = "test"
MARKED_AT_ONCE = 500
"""Entries whose conversations are looked up in one query."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets read a cell that starts with one of these as a formula."""


def as_csv(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """Yield a header line, then one line an entry. Facts are JSON; cells that look like formulas are quoted."""
    yield csv_line((*COLUMNS, TEST_COLUMN))
    for values in _marked_values(entries):
        yield csv_line(values.values())


def as_json_lines(entries: Iterable[AuditEntry]) -> Iterator[str]:
    """Yield one JSON object a line, with the keys of `COLUMNS` and `test`."""
    for values in _marked_values(entries):
        yield json.dumps(values, ensure_ascii=False) + "\n"


FORMATS: dict[str, tuple[str, Callable[[Iterable[AuditEntry]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", as_csv),
    "jsonl": ("application/jsonl; charset=utf-8", as_json_lines),
}
"""By the file's ending: content type and writer."""


def chains_of_tests(entries: Iterable[AuditEntry]) -> frozenset[str]:
    """Return the ids of the test conversations among the chains of these entries."""
    ids = set()
    for entry in entries:
        with suppress(ValueError):  # another chain, such as that of the console
            ids.add(UUID(entry.chain))
    tests = Conversation.objects.filter(pk__in=ids, test=True) if ids else Conversation.objects.none()
    return frozenset(map(str, tests.values_list("pk", flat=True)))


def _marked_values(entries: Iterable[AuditEntry]) -> Iterator[dict[str, Any]]:
    remaining = iter(entries)
    while batch := list(islice(remaining, MARKED_AT_ONCE)):
        tests = chains_of_tests(batch)
        for entry in batch:
            values = {column: getattr(entry, column) for column in COLUMNS}
            mark = TEST_COLUMN if entry.chain in tests else ""
            yield {**values, "at": entry.at.isoformat(), TEST_COLUMN: mark}


def csv_line(values: Iterable[Any]) -> str:
    """Return one line of CSV: None is empty, a dict is JSON, and text that looks like a formula is quoted."""
    line = StringIO()
    csv.writer(line).writerow(map(_cell_text, values))
    return line.getvalue()


def _cell_text(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
