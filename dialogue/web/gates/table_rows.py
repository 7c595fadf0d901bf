"""Rows of a table in a form: the buttons that add and remove one, for pages without scripts."""

from collections.abc import Mapping
from dataclasses import replace

from django.http import HttpRequest

from dialogue.web.gates.forms import PREFIX, FormInput, is_row_number

ROWS = "rows"
"""Name of the buttons. Their values are "add:value.items" and "remove:value.items.2"."""


def change_rows(request: HttpRequest, typed: FormInput) -> FormInput | None:
    """Return the input with one row more or less if such a button was pressed; None for every other button."""
    act, _colon, table = request.POST.get(ROWS, "").partition(":")
    table = table.removeprefix(PREFIX)
    if act == "add":
        return replace(typed, longer_table=table)
    field, _dot, row = table.rpartition(".")
    if act != "remove" or not is_row_number(row):
        return None
    return replace(typed, values=_without_row(typed.values, field, int(row)))


def _without_row(values: Mapping[str, str], field: str, removed: int) -> dict[str, str]:
    """Return the values without a row of the field; the rows below it move up."""
    kept: dict[str, str] = {}
    for name, value in values.items():
        row = _row_of(name, field)
        if row is None or row < removed:
            kept[name] = value
        elif row > removed:
            path = name.removeprefix(f"{field}.").partition(".")[2]
            kept[f"{field}.{row - 1}.{path}"] = value
    return kept


def _row_of(name: str, field: str) -> int | None:
    if not name.startswith(f"{field}."):
        return None
    row = name.removeprefix(f"{field}.").partition(".")[0]
    return int(row) if is_row_number(row) else None
