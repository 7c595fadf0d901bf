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

from dialogue.desk.bounded import first_keys

Row = TypeVar("Row", bound=Model)

MOST_ROWS = 200


class NotOffered(ValueError):
    """An order, a filter or a cursor that a list does not offer."""


@dataclass(frozen=True)
class Page(Generic[Row]):
    """One page of a list; `next` is the cursor of the page after it, None on the last."""

    rows: list[Row]
    next: str | None


def page(rows: QuerySet[Row], order: Sequence[str], *, cursor: str = "", limit: int = 50) -> Page[Row]:
    """The rows behind `cursor` in this order, whose last key no two rows share. Raises NotOffered."""
    if cursor:
        rows = rows.filter(_behind(order, _read(rows, order, cursor)))
    limit = max(1, min(limit, MOST_ROWS))
    found = list(rows.order_by(*order)[: limit + 1])
    return Page(found[:limit], _written(found[limit - 1], order) if len(found) > limit else None)


def page_of_parts(
    rows: QuerySet[Row], parts: Sequence[Q], order: Sequence[str], *, cursor: str = "", limit: int = 50
) -> Page[Row]:
    """One page of the rows that are in any of `parts`, each of which the database finds in this order by one index.

    A condition that joins them by "or" would be sorted anew for every page. Raises NotOffered.
    """
    if len(parts) == 1:
        return page(rows.filter(parts[0]), order, cursor=cursor, limit=limit)
    behind = _behind(order, _read(rows, order, cursor)) if cursor else Q()
    count = max(1, min(limit, MOST_ROWS)) + 1
    keys = first_keys([rows.filter(part, behind) for part in parts], order, count)
    return page(rows.filter(pk__in=keys), order, limit=limit)


def named_order(orders: Mapping[str, tuple[str, ...]], name: str) -> tuple[str, ...]:
    """The columns of the order of this name. Raises NotOffered, which names the orders that there are."""
    if name not in orders:
        facts = {"order": name[:40], "orders": ", ".join(orders)}
        raise NotOffered(_("Lists cannot be sorted by “%(order)s”. There are: %(orders)s.") % facts)
    return orders[name]


def _behind(order: Sequence[str], keys: Sequence[Any]) -> Q:
    """Later in the first key, or level in it and later in the next, and so on."""
    behind, level = Q(), Q()
    for column, key in zip(order, keys, strict=True):
        name = column.removeprefix("-")
        beyond = f"{name}__lt" if column.startswith("-") else f"{name}__gt"
        behind |= level & Q(**{beyond: key})
        level &= Q(**{name: key})
    return behind


def _written(row: Model, order: Sequence[str]) -> str:
    keys = [str(getattr(row, column.removeprefix("-"))) for column in order]
    return base64.urlsafe_b64encode(json.dumps(keys).encode()).decode().rstrip("=")


def _read(rows: QuerySet[Row], order: Sequence[str], cursor: str) -> list[Any]:
    try:
        keys = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        fields = [rows.model._meta.get_field(column.removeprefix("-")) for column in order]
        return [_key(field, key) for field, key in zip(fields, keys, strict=True)]
    except (ValueError, TypeError, RecursionError, binascii.Error, ValidationError):
        raise NotOffered(_("This cursor is not one of ours.")) from None


def _key(field: Any, key: Any) -> Any:
    if not isinstance(key, str):
        raise TypeError(key)
    return field.to_python(key)
