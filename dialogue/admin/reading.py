"""Rows that are there to be read, by whoever may see them all; what superusers read of conversations is on record."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.text import smart_split, unescape_string_literal
from django.utils.translation import gettext_lazy

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.access.people import SEE_EVERY_CHAT, AccountClosed, Person, read_person
from dialogue.turns import clock

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
else:
    AnyAdmin = admin.ModelAdmin

MAX_SEARCHED_ROWS = 200
"""How many hits of a search are looked at behind their mask, the newest first."""

_known: WeakKeyDictionary[HttpRequest, Person | None] = WeakKeyDictionary()


def person_of(request: HttpRequest) -> Person | None:
    """The person behind an admin request, with their rights as they are when it comes: every model asks for them."""
    if request not in _known:
        _known[request] = _read(request)
    return _known[request]


def _read(request: HttpRequest) -> Person | None:
    try:
        return read_person(request.user.pk) if request.user.pk else None
    except AccountClosed:
        return None


def record_look(request: HttpRequest, act: str, facts: dict[str, Any]) -> None:
    """In the console's chain: that somebody read, checked or took away what is not their own work to see."""
    with transaction.atomic():
        done = Act(act, request.user.get_username(), request.user.pk, facts=facts)
        chain.record(CONSOLE, [done], clock.now())


class ReadOnlyAdmin(AnyAdmin):
    """Nobody adds, changes or deletes here, superusers included; only those look who may see every such row."""

    list_per_page = 50
    show_full_result_count = False
    every = ""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        person = person_of(request)
        return person is not None and (person.superuser or person.has(self.every))

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        self._tell(request, "listed")
        return super().changelist_view(request, extra_context)

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        self._tell(request, object_id)
        return super().change_view(request, object_id, form_url, extra_context)

    def _tell(self, request: HttpRequest, what: str) -> None:
        """What superusers read of conversations here is on record; for everybody else it is their work."""
        person = person_of(request)
        if self.every == SEE_EVERY_CHAT and person and person.superuser and not person.has(SEE_EVERY_CHAT):
            record_look(request, "conversation.looked", {"model": self.opts.model_name, "row": what[:64]})

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """No action of the list: the admin's own one deletes."""
        return {}


class MaskedAdmin(ReadOnlyAdmin):
    """A list of rows that quote what people said: sensitive values are masked in it, and its search finds none."""

    list_select_related: ClassVar[tuple[str, ...]] = ()
    search_help_text = gettext_lazy("Sensitive values are masked here, and the search does not find them.")

    def mask(self, rows: Sequence[Any]) -> None:
        """Put the mask over the sensitive values of rows that were read for the list; nothing of it is saved."""
        raise NotImplementedError

    def searchable(self, row: Any) -> str:
        """What the search may find of a row that is masked."""
        raise NotImplementedError

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return MaskedList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """The newest rows that hold the words, without those that hold them behind the mask only."""
        found, may_repeat = super().get_search_results(request, queryset, search_term)
        words = [_unquoted(word).casefold() for word in smart_split(search_term)]
        if not words:
            return found, may_repeat
        rows = list(found.select_related(*self.list_select_related).order_by(*self.ordering or ())[:MAX_SEARCHED_ROWS])
        self.mask(rows)
        texts = {row.pk: self.searchable(row).casefold() for row in rows}
        readable = [key for key, text in texts.items() if all(word in text for word in words)]
        return queryset.filter(pk__in=readable), False


class MaskedList(ChangeList):
    """The page of rows that the list shows, masked."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = list(self.result_list)
        if isinstance(self.model_admin, MaskedAdmin):
            self.model_admin.mask(self.result_list)


def _unquoted(word: str) -> str:
    """A word of the search without its quotes, as the admin's own search reads it."""
    quoted = word.startswith(('"', "'")) and word[0] == word[-1]
    return unescape_string_literal(word) if quoted else word
