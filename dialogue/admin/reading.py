"""Rows that are there to be read, by whoever may see them all; what superusers read of conversations is on record."""

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from django.contrib import admin
from django.db import transaction
from django.http import HttpRequest, HttpResponse

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.desk.people import SEE_EVERY_CHAT, AccountClosed, Person, read_person
from dialogue.turns import clock

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
else:
    AnyAdmin = admin.ModelAdmin


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
