"""What the admin's pages show in the frame of the console: their names, the pages above them, and cells in words."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django import template
from django.contrib.admin.templatetags.admin_list import result_headers
from django.contrib.admin.templatetags.admin_urls import admin_urlquote
from django.contrib.admin.utils import lookup_field
from django.contrib.admin.views.main import ChangeList
from django.db.models import Model
from django.db.models.options import Options
from django.template.context import RequestContext
from django.urls import NoReverseMatch, reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from dialogue.models.sessions.session import FAR_FUTURE
from soni_admin.records.fact_words import words_of_field
from soni_admin.records.kinds import (
    NOTHING,
    RecordGroup,
    add_words,
    console_page_of,
    console_page_words,
    grouped_kinds,
    name_of,
)
from soni_admin.records.list_cells import list_rows, yes_or_no
from soni_admin.records.sentences import sentences_of

register = template.Library()


@register.simple_tag(takes_context=True)
def page_name(context: RequestContext) -> str:
    """What the page shows: the kind of a list, the name of a record, or what is done with it."""
    if "cl" in context:
        return _plural(context["opts"], getattr(context["cl"].model_admin, "list_title", ""))
    if "app_list" in context and "opts" not in context:
        return _("Records")
    if _shows_record(context):
        return name_of(context["original"])
    if context.get("add") and "adminform" in context:
        return add_words(context["opts"])
    if "action_list" in context:
        return _("History")
    if context.get("original") and "adminForm" in context:
        return _("Password")
    return str(context.get("title") or "")


@register.simple_tag(takes_context=True)
def pages_above(context: RequestContext) -> list[tuple[str, str]]:
    """Names and addresses of the pages above this one, the highest first."""
    opts, record = context.get("opts"), context.get("original") or context.get("object")
    if opts is None:
        return []
    above = [(_("Records"), reverse("admin:index"))]
    if "cl" not in context:
        above += [(_plural(opts), reverse(admin_list_name(opts)))]
        if record and not _shows_record(context):
            address = reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[admin_urlquote(record.pk)])
            above += [(name_of(record), address)]
    return above


def _shows_record(context: RequestContext) -> bool:
    """Whether the page is a record's own, not one of the pages below it."""
    return bool(context.get("original")) and "adminform" in context


def _plural(opts: "Options[Any] | None", title: Any = "") -> str:
    return str(title or capfirst(opts.verbose_name_plural if opts else ""))


@register.filter
def admin_list_name(opts: "Options[Any]") -> str:
    """The name of the URL of a model's list."""
    return f"admin:{opts.app_label}_{opts.model_name}_changelist"


@register.simple_tag
def record_groups(app_list: Sequence[Mapping[str, Any]]) -> list[RecordGroup]:
    """The models that Django lists for this reader, grouped by what they are about."""
    return grouped_kinds(app_list)


@register.simple_tag
def record_name(record: Model) -> str:
    """What people call the record."""
    return name_of(record)


@register.simple_tag
def console_page(record: Model | None) -> str:
    """The address of the console's page about this record; empty where there is none."""
    return console_page_of(record) if record is not None else ""


register.filter(add_words)
register.filter(console_page_words)
register.filter(sentences_of)


@register.filter
def fact(field: Any) -> SafeString | str:
    """The value of a read-only field in words; empty where there is none."""
    record, name = field.form.instance, field.field["field"]
    _field, _attribute, value = lookup_field(name, record, field.model_admin)
    words = words_of_field(record, str(name))
    if words is not None:
        return words
    if isinstance(value, bool):
        return yes_or_no(value)
    if isinstance(value, Model):
        return _record_link(value)
    if value == FAR_FUTURE:
        return ""
    if isinstance(value, dict | list) and value:
        return format_html("<pre>{}</pre>", json.dumps(value, indent=2, ensure_ascii=False, default=str))
    text: SafeString | str = field.contents()
    if text in (NOTHING, ""):
        return ""
    return text


def _record_link(record: Model) -> SafeString | str:
    """The name of a record, as a link to its page where the admin has one."""
    opts = record._meta
    try:
        address = reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[admin_urlquote(record.pk)])
    except NoReverseMatch:
        return name_of(record)
    return format_html('<a href="{}"><bdi>{}</bdi></a>', address, name_of(record))


@register.filter
def has_facts(fieldset: Iterable[Iterable[Any]]) -> bool:
    """Whether a part of the page has a field to fill in, or one with a value to read."""
    return any(not field.is_readonly or fact(field) for line in fieldset for field in line)


@register.filter
def chosen_date(changelist: ChangeList) -> str:
    """The year, the month or the day that the list is narrowed to; empty for all."""
    field, params = changelist.date_hierarchy, changelist.params
    parts = [str(params.get(f"{field}__{part}", "")) for part in ("year", "month", "day")]
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit()]
    if not numbers or len(numbers) < len(list(filter(None, parts))):
        return ""
    try:
        year, month, day = [*numbers, 1, 1][:3]
        chosen = date(year, month, day)
    except ValueError:
        return ""
    return date_format(chosen, ("Y", "YEAR_MONTH_FORMAT", "DATE_FORMAT")[len(numbers) - 1])


@register.simple_tag
def list_heads(changelist: ChangeList) -> list[Mapping[str, Any]]:
    """The heads of the columns, as Django makes them for its template."""
    return list(result_headers(changelist))


register.simple_tag(list_rows)
