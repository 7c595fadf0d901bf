"""Lists cut into pages: a cursor holds the sort keys of the last row, so that rows which come or go shift nothing."""

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
    """One page of a list; `next` is the cursor of the page after it, None on the last."""

    rows: list[Row]
    next: str | None


def keyset_page(rows: QuerySet[Row], order: Sequence[str], *, cursor: str = "", limit: int = 50) -> Page[Row]:
    """The rows behind `cursor` in this order, whose last key no two rows share. Raises NotOffered."""
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
    """One page of the rows that are in any of `parts`, each of which the database finds in this order by one index.

    A condition that joins them by "or" would be sorted anew for every page. `scan_filter` is what no index finds: it is
    looked for among the next `MOST_SOUGHT` rows of each part, so that a page of few rows, or of none, may have a next
    one that goes on behind them. Raises NotOffered.
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
    """The first of all parts: of one at once, of many by their keys."""
    if len(parts) == 1:
        return list(parts[0].order_by(*order)[:count])
    return list(rows.filter(pk__in=first_keys(parts, order, count)).order_by(*order))


def named_order(orders: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    """The columns of the order of this name. Raises NotOffered, which names the orders that there are."""
    if name not in orders:
        facts = {"order": name[:40], "orders": ", ".join(orders)}
        raise NotOffered(_("Lists cannot be sorted by “%(order)s”. There are: %(orders)s.") % facts)
    return orders[name]


def _after_keys(order: Sequence[str], keys: Sequence[Any]) -> Q:
    """Later in the first key, or level in it and later in the next, and so on."""
    after, level = Q(), Q()
    for column, key in zip(order, keys, strict=True):
        after |= level & Q(**{_lookup_after(column): key})
        level &= Q(**{column.removeprefix("-"): key})
    # Said once more of the first key alone: an index begins there, and not at the list's first row.
    return Q(**{f"{_lookup_after(order[0])}e": keys[0]}) & after


def _up_to_keys(order: Sequence[str], keys: Sequence[Any]) -> Q:
    """Not behind it; of the first key alone too, so that an index ends there."""
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
