"""The audit entries in the admin, in the words of the console."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.admin.audit import AuditEntryAdmin
from dialogue.admin.names import MODEL_NAMES
from dialogue.admin.reading import person_of, short_id
from dialogue.audit.chain import CONSOLE
from dialogue.desk.forms.time_elements import time_element
from dialogue.models import AuditEntry
from dialogue.web.audit.views import entry_in_words, rows_in_words
from dialogue.web.audit.words import AuditRow, act_text


class WordedChangeList(ChangeList):
    """Reads what the sentences name for the whole page at once."""

    def __init__(self, request: HttpRequest, *arguments: Any) -> None:
        self.person = person_of(request)
        super().__init__(request, *arguments)

    def get_results(self, request: HttpRequest) -> None:
        """Give each entry its row in words."""
        super().get_results(request)
        self.result_list = list(self.result_list)
        if self.person is not None:
            for entry, row in zip(self.result_list, rows_in_words(self.result_list, self.person), strict=True):
                entry.in_words = row


class ActFilter(admin.AllValuesFieldListFilter):
    """Kinds of acts in words."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        """Return Django's choices, each with its words."""
        for choice in super().choices(changelist):
            yield {**choice, "display": act_text(str(choice["display"]))}


class WordedAuditAdmin(AuditEntryAdmin):
    """The list says what happened and to what; the page of an entry shows what the console shows."""

    list_filter = (("act", ActFilter), "actor")
    list_display = ("second", "sentence", "chain_and_number")

    @admin.display(description=gettext_lazy("When"), ordering="at")
    def second(self, entry: AuditEntry) -> str:
        """Return the moment with its seconds, which tell the entries of a minute apart."""
        return time_element(entry.at, has_seconds=True)

    @admin.display(description=gettext_lazy("What happened"), ordering="act")
    def sentence(self, entry: AuditEntry) -> str:
        """Return the sentence with its links, and below it what it does not say."""
        row = _row(entry)
        more = [_about(row), _("Through: %s") % row.channel if row.channel else ""]
        small = format_html_join(" · ", "<bdi>{}</bdi>", ((text,) for text in more if text))
        return format_html("{} <small>{}</small>", row.sentence, small) if small else row.sentence

    @admin.display(description=gettext_lazy("Chain"), ordering="chain")
    def chain_and_number(self, entry: AuditEntry) -> str:
        """Return the chain and the number in it."""
        chain = _("Console") if entry.chain == CONSOLE else short_id(entry.chain)
        return f"{chain} {entry.number}"

    def get_changelist(self, request: HttpRequest, **options: Any) -> type[ChangeList]:
        """Return the list that knows the words."""
        return WordedChangeList

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *arguments: Any, **options: Any
    ) -> HttpResponse:
        """Add what the template of the console's page shows."""
        person = person_of(request)
        if person is not None and isinstance(context.get("original"), AuditEntry):
            context |= entry_in_words(context["original"], person)
        return super().render_change_form(request, context, *arguments, **options)


def _row(entry: AuditEntry) -> AuditRow:
    """The entry in words, which the list has read with the others."""
    row: AuditRow = entry.in_words  # type: ignore[attr-defined]
    return row


def _about(row: AuditRow) -> str:
    """What the gate asks, the kind of records that were read, or the subject; empty where the sentence says it."""
    if row.gate_text:
        return row.gate_text
    subject = "" if row.subject.casefold() in row.act.casefold() else row.subject
    return _records_read(row.entry) or subject


def _records_read(entry: AuditEntry) -> str:
    """The kind of records that an administrator read, with the row: "Conversations (list)"; else empty."""
    named = {model._meta.model_name: names for model, names in MODEL_NAMES.items()}
    if entry.act != "conversation.looked" or entry.facts.get("model") not in named:
        return ""
    singular, plural = named[entry.facts["model"]]
    row = str(entry.facts.get("row", ""))
    if row == "listed":
        return _("%s (list)") % capfirst(plural)
    return f"{capfirst(singular)} {short_id(row)}"
