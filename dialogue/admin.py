"""Django's admin: what happened is there to be read, by nobody to be changed; people, groups and tokens are managed."""

import hashlib
import secrets
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.audit.export import FORMATS
from dialogue.audit.report import Report
from dialogue.audit.streaming import streamed
from dialogue.desk.people import EXPORT, SEE_EVERY_CHAT, AccountClosed, Person, read_person
from dialogue.models import (
    ApiToken,
    Assistant,
    AuditEntry,
    Conversation,
    Event,
    FlowVersion,
    HITLSession,
    Message,
    Release,
    Submission,
    Turn,
)
from dialogue.turns import clock

if TYPE_CHECKING:
    AnyAdmin = admin.ModelAdmin[Any]
    AnyForm = forms.ModelForm[Any]
else:
    AnyAdmin, AnyForm = admin.ModelAdmin, forms.ModelForm

admin.site.site_title = "Soni"
admin.site.site_header = "Soni"
admin.site.index_title = gettext_lazy("Records, people and tokens")
admin.site.site_url = "/"


def person_of(request: HttpRequest) -> Person | None:
    """The person behind an admin request, with their rights as they are now."""
    try:
        return read_person(request.user.pk) if request.user.pk else None
    except AccountClosed:
        return None


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
            _record_check(request, "conversation.looked", {"model": self.opts.model_name, "row": what[:64]})

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """No action of the list: the admin's own one deletes."""
        return {}


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """The chained record: everybody with the permission sees their own acts, auditors and supervisors all."""

    list_display = ("at", "act", "actor", "subject", "chain", "number")
    list_filter = ("act", "actor")
    date_hierarchy = "at"
    search_fields = ("actor", "act", "subject", "chain")
    ordering = ("-at", "-id")
    readonly_fields = ("personal_text",)
    change_list_template = "admin/dialogue/auditentry/list.html"

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
        _record_check(request, "audit.exported", {"format": ending, "filters": request.GET.urlencode()[:500]})
        response = streamed(request, write(found.select_related(None).iterator(2000)), content_type)
        response["Content-Disposition"] = f'attachment; filename="audit.{ending}"'
        return response

    def verify(self, request: HttpRequest) -> HttpResponse:
        """The page that runs the check and shows how far it is."""
        self._check_exports(request)
        context = {**self.admin_site.each_context(request), "title": _("Verify the audit"), "opts": self.opts}
        return render(request, "admin/dialogue/auditentry/verify.html", context)

    def run_check(self, request: HttpRequest) -> HttpResponseBase:
        """Every chain, a line for each 2,000 entries; the last line says whether all is whole."""
        self._check_exports(request)
        _record_check(request, "audit.verified", {})
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

    @staticmethod
    def _sees_all(person: Person) -> bool:
        return person.superuser or person.has("view_every_auditentry")

    @admin.display(description=gettext_lazy("personal text"))
    def personal_text(self, entry: AuditEntry) -> str:
        detail = getattr(entry, "detail", None)
        if detail is None:
            return _("none, or erased")
        return format_html("<code>{}</code>", detail.text)


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    every = "view_every_conversation"
    list_display = ("id", "customer", "assistant", "state", "test", "active_at")
    list_filter = ("state", "assistant", "test", "channel")
    date_hierarchy = "active_at"
    search_fields = ("id", "user_ref", "user__username", "user__first_name", "user__last_name")
    exclude = ("token_sha256", "stack", "lease_owner", "lease_until", "epoch")
    list_select_related = ("assistant", "user")


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin):
    """Plain transcripts: not for auditors, who read them masked in the console."""

    every = "view_every_conversation"
    list_display = ("at", "conversation", "seq", "role", "text")
    list_filter = ("role",)
    date_hierarchy = "at"
    search_fields = ("text", "key")
    ordering = ("-at", "-id")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        person = person_of(request)
        return person is not None and not person.checks_only and super().has_view_permission(request, obj)


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    every = "view_every_conversation"
    list_display = ("finished_at", "conversation", "number", "state", "milliseconds", "llm_calls", "tokens")
    list_filter = ("state",)
    date_hierarchy = "finished_at"
    ordering = ("-finished_at", "-id")
    exclude = ("record", "stack")


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    every = "view_every_conversation"
    list_display = ("accepted_at", "conversation", "number", "kind", "state", "attempts", "reference")
    list_filter = ("state", "kind")
    date_hierarchy = "accepted_at"
    search_fields = ("reference", "client_id")
    ordering = ("-accepted_at", "-id")
    exclude = ("payload", "understanding", "body_sha256")


@admin.register(HITLSession)
class HITLSessionAdmin(ReadOnlyAdmin):
    every = "view_every_hitlsession"
    list_display = ("name", "title", "flow", "step", "state", "delivery", "decided_as", "decided_at", "expires_at")
    list_filter = ("state", "delivery", "kind", "audience", "flow")
    date_hierarchy = "opened_at"
    search_fields = ("title", "flow", "step", "decided_as")
    ordering = ("-number",)
    exclude = ("shown", "values", "schema", "actions", "digest")


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    every = "view_every_hitlsession"
    list_display = ("at", "session", "operation", "by", "through", "status", "code", "accepted")
    list_filter = ("accepted", "operation", "status", "through")
    date_hierarchy = "at"
    ordering = ("-at", "-id")
    exclude = ("values", "body_sha256")


@admin.register(Assistant, FlowVersion)
class VersionAdmin(ReadOnlyAdmin):
    every = "view_flow"


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    every = "view_flow"
    list_display = ("assistant", "number", "published_at", "published_by", "note", "engine_version")
    list_filter = ("assistant",)
    date_hierarchy = "published_at"
    search_fields = ("note",)


class TokenForm(AnyForm):
    """A new token needs a person and a name; its text is made here and shown once."""

    name = forms.CharField(max_length=100, help_text=gettext_lazy("What it is for, so that it can be revoked later."))

    class Meta:
        model = ApiToken
        fields = ("user", "name")


@admin.register(ApiToken)
class ApiTokenAdmin(AnyAdmin):
    """Tokens are made and revoked, never changed, never shown again."""

    form = TokenForm
    list_display = ("name", "user", "created_at", "revoked_at")
    list_filter = ("user",)
    actions = ("revoke",)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Only to choose tokens for being revoked in the list; one alone can be read."""
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("sha256",)

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        token = secrets.token_urlsafe(32)
        obj.sha256 = hashlib.sha256(token.encode()).hexdigest()
        super().save_model(request, obj, form, change)
        _record(request, "token.made", obj)
        shown_once = _("The token is shown only now: %s") % token
        messages.success(request, shown_once)

    @admin.action(description=gettext_lazy("Revoke the chosen tokens"), permissions=["change"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        for token in tokens.filter(revoked_at__isnull=True):
            token.revoked_at = clock.now()
            with transaction.atomic():
                token.save(update_fields=["revoked_at"])
                _record(request, "token.revoked", token)


def _record_check(request: HttpRequest, act: str, facts: dict[str, Any]) -> None:
    with transaction.atomic():
        done = Act(act, request.user.get_username(), request.user.pk, facts=facts)
        chain.record(CONSOLE, [done], clock.now())


def _lines(texts: Iterable[str]) -> Iterator[str]:
    return (f"{text}\n" for text in texts)


def _record(request: HttpRequest, act: str, token: ApiToken) -> None:
    """Inside the admin's transaction."""
    name, number = request.user.get_username(), request.user.pk
    facts = {"token": token.name, "user": token.user_id}
    chain.record(CONSOLE, [Act(act, name, number, subject=f"token {token.pk}", facts=facts)], clock.now())
