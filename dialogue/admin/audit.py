"""The record: read, exported, and checked from its first entry to its last."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from dialogue.admin.reading import ReadOnlyAdmin, person_of, record_look
from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE
from dialogue.audit.export import FORMATS
from dialogue.audit.report import Report
from dialogue.audit.streaming import streamed
from dialogue.desk.access.looks import veil_for
from dialogue.desk.access.people import EXPORT, Person
from dialogue.models import AuditDetail, AuditEntry, Conversation
from dialogue.turns.live.serializers import redacted_record


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """The chained record: everybody with the permission sees their own acts, auditors and supervisors all."""

    list_display = ("at", "act", "actor", "subject", "chain", "number")
    list_filter = ("act", "actor")
    date_hierarchy = "at"
    search_fields = ("actor", "act", "subject", "chain")
    ordering = ("-at", "-id")
    readonly_fields = ("personal_text",)
    change_list_template = "dialogue/admin/audit_list.html"

    def get_urls(self) -> list[URLPattern]:
        own = [
            path("export/<slug:ending>/", self.admin_site.admin_view(require_GET(self.export)), name="audit_export"),
            path("verify/", self.admin_site.admin_view(require_GET(self.verify)), name="audit_verify"),
            path("verify/run/", self.admin_site.admin_view(require_GET(self.run_check)), name="audit_check"),
        ]
        return own + super().get_urls()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "exports": self._exports(request)})

    def export(self, request: HttpRequest, ending: str) -> HttpResponseBase:
        """What the list shows with these filters and this search, all of it, as one file."""
        self._check_exports(request)
        if ending not in FORMATS:
            raise Http404
        try:
            found = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            raise Http404 from None
        content_type, write = FORMATS[ending]
        record_look(request, "audit.exported", {"format": ending, "filters": request.GET.urlencode()[:500]})
        response = streamed(request, write(found.select_related(None).iterator(2000)), content_type)
        response["Content-Disposition"] = f'attachment; filename="audit.{ending}"'
        return response

    def verify(self, request: HttpRequest) -> HttpResponse:
        """The page that runs the check and shows how far it is."""
        self._check_exports(request)
        context = {**self.admin_site.each_context(request), "title": _("Verify the audit"), "opts": self.opts}
        return render(request, "dialogue/admin/audit_verify.html", context)

    def run_check(self, request: HttpRequest) -> HttpResponseBase:
        """Every chain, a line for each 2,000 entries; the last line says whether all is whole."""
        self._check_exports(request)
        record_look(request, "audit.verified", {})
        return streamed(request, _lines(Report().lines(chain.check())), "text/plain; charset=utf-8", chunk=1)

    def _exports(self, request: HttpRequest) -> bool:
        person = person_of(request)
        return person is not None and person.has(EXPORT)

    def _check_exports(self, request: HttpRequest) -> None:
        if not self._exports(request):
            raise PermissionDenied

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        person = person_of(request)
        if person is None or not (person.superuser or person.has("view_auditentry")):
            return False
        return obj is None or self._sees_all(person) or obj.actor_id == person.id

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        rows: QuerySet[AuditEntry] = super().get_queryset(request)
        person = person_of(request)
        return rows if person and self._sees_all(person) else rows.filter(actor_id=request.user.pk)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Who audits reads personal text masked, as transcripts are; nothing of it is saved."""
        entry: AuditEntry | None = super().get_object(request, object_id, from_field)
        detail: AuditDetail | None = getattr(entry, "detail", None)
        conversation = _conversation_of(entry) if entry and detail else None
        if detail and conversation:
            detail.text = redacted_record(detail.text, veil_for(person_of(request), conversation))
        return entry

    @staticmethod
    def _sees_all(person: Person) -> bool:
        return person.superuser or person.has("view_every_auditentry")

    @admin.display(description=gettext_lazy("personal text"))
    def personal_text(self, entry: AuditEntry) -> str:
        detail = getattr(entry, "detail", None)
        if detail is None:
            return _("none, or erased")
        return format_html("<code>{}</code>", detail.text)


def _conversation_of(entry: AuditEntry) -> Conversation | None:
    """The conversation whose chain the entry stands in; None for the console's own."""
    return None if entry.chain == CONSOLE else Conversation.objects.filter(pk=entry.chain).first()


def _lines(texts: Iterable[str]) -> Iterator[str]:
    return (f"{text}\n" for text in texts)
