"""The audit trail in the admin: list, export and verification."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from dialogue.admin.reading import ReadOnlyAdmin, moment_column, person_of, record_access, short_id
from dialogue.audit.chain import CONSOLE
from dialogue.audit.export import FORMATS
from dialogue.audit.report import report_in
from dialogue.audit.streaming import stream_lines
from dialogue.desk.access.people import EXPORT, Person
from dialogue.desk.access.redaction import redactor_for
from dialogue.models import AuditDetail, AuditEntry, Conversation
from dialogue.turns.live.serializers import redacted_record


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """People with the permission see their own acts; auditors and supervisors see all."""

    list_display: tuple[str, ...] = ("moment", "act", "actor", "subject", "short_chain", "number")
    moment = moment_column("at", gettext_lazy("When"))
    list_filter: ClassVar[tuple[Any, ...]] = ("act", "actor")
    date_hierarchy = "at"
    search_fields = ("actor", "act", "subject", "chain")
    ordering = ("-at", "-id")
    readonly_fields = ("personal_text",)
    sections = (
        (gettext_lazy("Recorded facts"), ("facts", "personal_text")),
        (
            gettext_lazy("Place in the chain"),
            ("chain", "number", "sha256", "previous_sha256", "detail_sha256", "actor_id"),
        ),
    )
    change_list_template = "dialogue/admin/audit_list.html"

    def get_urls(self) -> list[URLPattern]:
        urls = [
            path("export/<slug:ending>/", self.admin_site.admin_view(require_GET(self.export)), name="audit_export"),
            path("verify/", self.admin_site.admin_view(require_GET(self.verify)), name="audit_verify"),
            path("verify/run/", self.admin_site.admin_view(require_GET(self.run_check)), name="audit_check"),
        ]
        return urls + super().get_urls()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {**(extra_context or {}), "exports": self._may_export(request)})

    def export(self, request: HttpRequest, ending: str) -> HttpResponseBase:
        """Download everything that the list shows with its filters and search. Raises Http404 for another format."""
        self._require_export(request)
        if ending not in FORMATS:
            raise Http404
        try:
            entries = self.get_changelist_instance(request).get_queryset(request)
        except IncorrectLookupParameters:
            raise Http404 from None
        content_type, write = FORMATS[ending]
        record_access(request, "audit.exported", {"format": ending, "filters": request.GET.urlencode()[:500]})
        response = stream_lines(request, write(entries.select_related(None).iterator(2000)), content_type)
        response["Content-Disposition"] = f'attachment; filename="audit.{ending}"'
        return response

    def verify(self, request: HttpRequest) -> HttpResponse:
        """The page that runs the verification and shows its progress."""
        self._require_export(request)
        context = {**self.admin_site.each_context(request), "title": _("Verify the audit"), "opts": self.opts}
        return render(request, "dialogue/admin/audit_verify.html", context)

    def run_check(self, request: HttpRequest) -> HttpResponseBase:
        """Verify every chain and stream the progress; the last line is the result."""
        self._require_export(request)
        record_access(request, "audit.verified", {})
        return stream_lines(request, report_in(get_language() or ""), "text/plain; charset=utf-8", chunk=1)

    def _may_export(self, request: HttpRequest) -> bool:
        person = person_of(request)
        return person is not None and person.has(EXPORT)

    def _require_export(self, request: HttpRequest) -> None:
        if not self._may_export(request):
            raise PermissionDenied

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        person = person_of(request)
        if person is None or not (person.superuser or person.has("view_auditentry")):
            return False
        return obj is None or self._sees_every_entry(person) or obj.actor_id == person.id

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEntry]:
        rows: QuerySet[AuditEntry] = super().get_queryset(request)
        person = person_of(request)
        return rows if person and self._sees_every_entry(person) else rows.filter(actor_id=request.user.pk)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Redact personal text for auditors, as in transcripts. The redacted entry is never saved."""
        entry: AuditEntry | None = super().get_object(request, object_id, from_field)
        detail: AuditDetail | None = getattr(entry, "detail", None)
        conversation = _conversation_of(entry) if entry and detail else None
        if detail and conversation:
            detail.text = redacted_record(detail.text, redactor_for(person_of(request), conversation))
        return entry

    @staticmethod
    def _sees_every_entry(person: Person) -> bool:
        return person.superuser or person.has("view_every_auditentry")

    @admin.display(description=gettext_lazy("Chain"), ordering="chain")
    def short_chain(self, entry: AuditEntry) -> str:
        """The beginning of a conversation's id, or the name of another chain."""
        return short_id(entry.chain)

    @admin.display(description=gettext_lazy("personal text"))
    def personal_text(self, entry: AuditEntry) -> str:
        detail = getattr(entry, "detail", None)
        if detail is None:
            return _("none, or erased")
        return format_html("<code>{}</code>", detail.text)


def _conversation_of(entry: AuditEntry) -> Conversation | None:
    """The conversation of the entry's chain; None for the console's chain."""
    return None if entry.chain == CONSOLE else Conversation.objects.filter(pk=entry.chain).first()
