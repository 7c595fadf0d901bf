"""Keyset pagination: the cursor holds the last row's sort keys, so that new and deleted rows shift no page."""

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _

from dialogue.desk.queue.bounded import MAX_SCANNED_ROWS, first_keys, scan_end

Row = TypeVar("Row", bound=Model)

MAX_PAGE_ROWS = 200
EVERYTHING = Q()


class NotOffered(ValueError):
    """An order, a filter or a cursor that a list does not offer."""


@dataclass(frozen=True)
class Page(Generic[Row]):
    """One page of a list; `next` is the cursor of the following page, None on the last."""

    rows: list[Row]
    next: str | None


def keyset_page(rows: QuerySet[Row], order: Sequence[str], *, cursor: str = "", limit: int = 50) -> Page[Row]:
    """Return the rows after `cursor`. The last column of `order` must be unique. Raises NotOffered."""
    return keyset_page_of_parts(rows, [Q()], order, cursor=cursor, limit=limit)


def keyset_page_of_parts(
    rows: QuerySet[Row],
    parts: Sequence[Q],
    order: Sequence[str],
    *,
    scan_filter: Q = EVERYTHING,
    cursor: str = "",
    limit: int = 50,
) -> Page[Row]:
    """Return one page of the rows in any of `parts`, each of which one index has in this order.

    A condition that joins the parts by "or" would have to be sorted for every page. `scan_filter` is the condition that
    no index supports: it is tested on the next `MAX_SCANNED_ROWS` rows of each part, so a page with few rows or none
    may have a next page, which continues after them. Raises NotOffered.
    """
    if cursor:
        rows = rows.filter(_after_keys(order, _decode_cursor(rows, order, cursor)))
    queries, end = [rows.filter(part) for part in parts], None
    if scan_filter:
        end = scan_end(queries, order, MAX_SCANNED_ROWS)
        within = scan_filter & _up_to_keys(order, end) if end else scan_filter
        queries = [part.filter(within) for part in queries]
    limit = max(1, min(limit, MAX_PAGE_ROWS))
    page_rows = _first_rows(rows, queries, order, limit + 1)
    if len(page_rows) > limit:
        end = _sort_keys(page_rows[limit - 1], order)
    return Page(page_rows[:limit], _encode_cursor(end) if end else None)


def _first_rows(rows: QuerySet[Row], parts: Sequence[QuerySet[Row]], order: Sequence[str], count: int) -> list[Row]:
    """Return the first rows of all parts; with several parts, their keys are found first."""
    if len(parts) == 1:
        return list(parts[0].order_by(*order)[:count])
    return list(rows.filter(pk__in=first_keys(parts, order, count)).order_by(*order))


def named_order(orders: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    """Return the columns of the order of this name. Raises NotOffered, which lists the orders."""
    if name not in orders:
        facts = {"order": name[:40], "orders": ", ".join(orders)}
        raise NotOffered(_("Lists cannot be sorted by “%(order)s”. Choose: %(orders)s.") % facts)
    return orders[name]


def _after_keys(order: Sequence[str], keys: Sequence[Any]) -> Q:
    """Rows after these keys: later in the first column, or equal in it and later in the next, and so on."""
    after, level = Q(), Q()
    for column, key in zip(order, keys, strict=True):
        after |= level & Q(**{_lookup_after(column): key})
        level &= Q(**{column.removeprefix("-"): key})
    # Repeated for the first column alone, so that an index scan starts there and not at the first row.
    return Q(**{f"{_lookup_after(order[0])}e": keys[0]}) & after


def _up_to_keys(order: Sequence[str], keys: Sequence[Any]) -> Q:
    """Rows up to these keys; repeated for the first column alone, so that an index scan ends there."""
    column = order[0].removeprefix("-")
    return Q(**{f"{column}__{'gte' if order[0].startswith('-') else 'lte'}": keys[0]}) & ~_after_keys(order, keys)


def _lookup_after(column: str) -> str:
    return f"{column[1:]}__lt" if column.startswith("-") else f"{column}__gt"


def _sort_keys(row: Model, order: Sequence[str]) -> list[Any]:
    return [getattr(row, column.removeprefix("-")) for column in order]


def _encode_cursor(keys: Sequence[Any]) -> str:
    words = [str(key) for key in keys]
    return base64.urlsafe_b64encode(json.dumps(words).encode()).decode().rstrip("=")


def _decode_cursor(rows: QuerySet[Row], order: Sequence[str], cursor: str) -> list[Any]:
    try:
        keys = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        fields = [rows.model._meta.get_field(column.removeprefix("-")) for column in order]
        return [_python_key(field, key) for field, key in zip(fields, keys, strict=True)]
    except (ValueError, TypeError, RecursionError, binascii.Error, ValidationError):
        raise NotOffered(_("This cursor is not one of ours.")) from None


def _python_key(field: Any, key: Any) -> Any:
    if not isinstance(key, str):
        raise TypeError(key)
    return field.to_python(key)
