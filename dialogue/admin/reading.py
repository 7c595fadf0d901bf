"""Base classes for read-only admins. What superusers read of conversations is recorded in the audit trail."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.text import capfirst, smart_split, unescape_string_literal
from django.utils.translation import gettext_lazy

from dialogue.admin.names import CHOICE_LABELS
from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.access.people import SEE_EVERY_CHAT, AccountClosed, Person, read_person
from dialogue.desk.forms.time_elements import time_element
from dialogue.models import Conversation
from dialogue.turns import clock

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
else:
    AnyAdmin = admin.ModelAdmin

TECHNICAL = gettext_lazy("Technical details")
MAX_SEARCHED_ROWS = 200
"""Matches of a search that are redacted and searched again, the newest first."""

_people: WeakKeyDictionary[HttpRequest, Person | None] = WeakKeyDictionary()


def person_of(request: HttpRequest) -> Person | None:
    """The person of an admin request, or None. Read once a request, because the admin asks for every model."""
    if request not in _people:
        _people[request] = _read_person(request)
    return _people[request]


def _read_person(request: HttpRequest) -> Person | None:
    try:
        return read_person(request.user.pk) if request.user.pk else None
    except AccountClosed:
        return None


def record_access(request: HttpRequest, act: str, facts: dict[str, Any]) -> None:
    """Record in the console's chain that a person read, verified or exported records."""
    with transaction.atomic():
        done = Act(act, request.user.get_username(), request.user.pk, facts=facts)
        chain.record(CONSOLE, [done], clock.now())


def moment_column(field: str, title: Any, *, without: Any = "–") -> Callable[[Any, Any], str]:
    """A column with a moment in the reader's zone, sortable, as the console writes it; `without` stands for none."""

    @admin.display(description=title, ordering=field)
    def column(_admin: Any, row: Any) -> str:
        at: datetime | None = getattr(row, field)
        return time_element(at) if at else capfirst(str(without))

    return column


TONES = {
    "waiting": "warm",
    "open": "warm",
    "claimed": "blue",
    "running": "blue",
    "pending": "blue",
    "applying": "blue",
    "due": "blue",
    "intended": "blue",
    "done": "good",
    "submitted": "good",
    "applied": "good",
    "succeeded": "good",
    "finished": "good",
    "expired": "bad",
    "failed": "bad",
    "incident": "bad",
    "unknown": "bad",
}
"""The colours of states, as the console shows them; others are grey."""


def state_column(field: str, title: Any) -> Callable[[Any, Any], str]:
    """A column with a state as a chip, sortable."""

    @admin.display(description=title, ordering=field)
    def column(_admin: Any, row: Any) -> str:
        state = str(getattr(row, field))
        if state in {"", "none"}:
            return "–"
        words = getattr(row, f"get_{field}_display", lambda: CHOICE_LABELS.get(state.title(), state))()
        return format_html('<span class="chip {}">{}</span>', TONES.get(state, ""), words)

    return column


@admin.display(description=gettext_lazy("Conversation"))
def conversation_column(row: Any) -> str:
    """The customer of the row's conversation, as a link to its page in the console."""
    return conversation_link(row.conversation)


def conversation_link(conversation: Conversation) -> str:
    """A link to the conversation's page in the console: its customer and the beginning of its id."""
    address = reverse("dialogue:conversation", args=[conversation.pk])
    return format_html(
        '<a href="{}"><bdi>{}</bdi> {}</a>', address, conversation.customer_text, short_id(conversation.pk)
    )


def short_id(identity: object) -> str:
    """The beginning of an id, which tells rows of a list apart."""
    return str(identity)[:8]


class ReadOnlyAdmin(AnyAdmin):
    """Rows cannot be added, changed or deleted, not even by superusers. `view_permission` is needed to see them."""

    list_per_page = 50
    show_full_result_count = False
    view_permission = ""
    list_title: Any = ""
    """The heading of the list; by default the model's name."""
    sections: tuple[tuple[Any, tuple[str, ...]], ...] = ()
    """Headings on the page of a row, each with its fields; fields that stand in none of them come first."""
    technical: tuple[str, ...] = ()
    """Fields that explain a row to who maintains the system; they are folded away, below all others."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        person = person_of(request)
        return person is not None and (person.superuser or person.has(self.view_permission))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> list[tuple[Any, Any]]:
        fields = [str(field) for field in self.get_fields(request, obj)]
        grouped = {name for _title, names in self.sections for name in names}
        first = [name for name in fields if name not in grouped and name not in self.technical]
        sections: list[tuple[Any, dict[str, Any]]] = [
            (None, {"fields": first}),
            *((title, {"fields": names}) for title, names in self.sections),
        ]
        if self.technical:
            sections.append((TECHNICAL, {"fields": self.technical, "classes": ("collapse",)}))
        return [section for section in sections if section[1]["fields"]]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        self._record_superuser(request, "listed")
        title = self.list_title or capfirst(self.opts.verbose_name_plural)
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        self._record_superuser(request, object_id)
        return super().change_view(request, object_id, form_url, extra_context)

    def _record_superuser(self, request: HttpRequest, row: str) -> None:
        """Record what superusers read of conversations without the permission of their own to see them all."""
        person = person_of(request)
        if self.view_permission == SEE_EVERY_CHAT and person and person.superuser and not person.has(SEE_EVERY_CHAT):
            record_access(request, "conversation.looked", {"model": self.opts.model_name, "row": row[:64]})

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Remove all list actions: the admin's default one deletes."""
        return {}


class RedactedListAdmin(ReadOnlyAdmin):
    """A list of rows that quote messages: sensitive values are redacted, and the search does not find them."""

    list_select_related: ClassVar[tuple[str, ...]] = ()
    search_help_text = gettext_lazy("Sensitive values are masked here, and the search does not find them.")

    def redact_rows(self, rows: Sequence[Any]) -> None:
        """Redact the sensitive values of rows that were read for the list. The rows are never saved."""
        raise NotImplementedError

    def searchable_text(self, row: Any) -> str:
        """The text of a redacted row in which the search looks."""
        raise NotImplementedError

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return RedactedChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The newest rows whose redacted text holds all the words.

        The database finds the words also in sensitive values: such rows are dropped here.
        """
        matches, may_repeat = super().get_search_results(request, queryset, search_term)
        words = [_strip_quotes(word).casefold() for word in smart_split(search_term)]
        if not words:
            return matches, may_repeat
        rows = list(
            matches.select_related(*self.list_select_related).order_by(*self.ordering or ())[:MAX_SEARCHED_ROWS]
        )
        self.redact_rows(rows)
        texts = {row.pk: self.searchable_text(row).casefold() for row in rows}
        readable = [key for key, text in texts.items() if all(word in text for word in words)]
        return queryset.filter(pk__in=readable), False


class RedactedChangeList(ChangeList):
    """Redacts the rows of the page that the list shows."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        if isinstance(self.model_admin, RedactedListAdmin):
            self.model_admin.redact_rows(self.result_list)


def _strip_quotes(word: str) -> str:
    """A search word without its quotes, as Django's admin reads it."""
    quoted = word.startswith(('"', "'")) and word[0] == word[-1]
    return unescape_string_literal(word) if quoted else word
