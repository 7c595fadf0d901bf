"""The rows of a list of Django's admin as cells.

Django's own tag writes each cell as markup, without the title of its column.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.templatetags.admin_urls import add_preserved_filters
from django.contrib.admin.utils import display_for_field, display_for_value, lookup_field
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import ForeignKey, Model
from django.utils.translation import gettext as _

from soni_admin.records.fact_words import words_of_field
from soni_admin.records.kinds import NOTHING, name_of

STATES = ("state", "state_chip", "standing")
"""The columns with the state of a row."""
CHECKBOX = "action_checkbox"
"""What Django calls the column of boxes that select rows."""


@dataclass(frozen=True)
class Cell:
    """One cell of a list; phones show the title of its column beside it, the address leads to the record.

    The cell of a box that selects the row has the row's number as value, and what the box does as title.
    """

    name: str
    title: str
    value: Any
    address: str

    @property
    def is_empty(self) -> bool:
        """Whether a phone can leave it out."""
        return self.value == NOTHING and not self.address

    @property
    def is_state(self) -> bool:
        """Whether a phone shows it beside the name of the row."""
        return self.name in STATES

    @property
    def is_checkbox(self) -> bool:
        """Whether it selects the row."""
        return self.name == CHECKBOX


def list_rows(changelist: ChangeList, heads: Sequence[Mapping[str, Any]]) -> list[list[Cell]]:
    """The rows of the page; `heads` are the heads of the columns as Django makes them."""
    columns = [(column, str(head["text"])) for column, head in zip(changelist.list_display, heads, strict=True)]
    return [[_cell(changelist, row, column, title) for column, title in columns] for row in changelist.result_list]


def yes_or_no(value: bool) -> str:
    """The word for which Django shows a picture."""
    return _("Yes") if value else _("No")


def _cell(changelist: ChangeList, row: Any, column: Any, title: str) -> Cell:
    name, address = getattr(column, "__name__", str(column)), ""
    if name == CHECKBOX:
        return Cell(name, _("Select %s") % name_of(row), row.pk, "")
    if column in (changelist.list_display_links or ()):
        filters: dict[str, Any] = {"preserved_filters": changelist.preserved_filters, "opts": changelist.opts}
        address = add_preserved_filters(filters, changelist.url_for_result(row))
    return Cell(name, title, _value(changelist.model_admin, row, column), address)


def _value(model_admin: Any, row: Model, column: Any) -> Any:
    try:
        field, _attribute, value = lookup_field(column, row, model_admin)
    except ObjectDoesNotExist:
        return NOTHING
    words = words_of_field(row, str(column))
    if words is not None:
        return words or NOTHING
    if isinstance(value, bool):
        return yes_or_no(value)
    if isinstance(field, ForeignKey):
        return name_of(getattr(row, field.name)) if value is not None else NOTHING
    if field is None or field.auto_created:
        return display_for_value(value, NOTHING) or NOTHING
    return display_for_field(value, field, NOTHING) or NOTHING
