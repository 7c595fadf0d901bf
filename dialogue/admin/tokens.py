"""API tokens: listed and revoked here, created on the console's page. Both are recorded in the audit trail."""

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.admin.reading import AnyAdmin, moment_column
from dialogue.desk.access.api_tokens import revoke_token
from dialogue.desk.access.token_scopes import scope_names
from dialogue.models import ApiToken
from dialogue.models.account import Account


@admin.register(ApiToken)
class ApiTokenAdmin(AnyAdmin):
    """Tokens are created and revoked, never changed and never shown again."""

    fields = ("name", "user", "scopes", "created_at", "ends_at", "last_used_at", "revoked_at")
    list_display: tuple[str, ...] = ("name", "user", "allowed", "creation", "end", "last_use", "revocation")
    search_fields = ("name",)
    list_select_related = ("user",)
    creation = moment_column("created_at", gettext_lazy("Created"))
    end = moment_column("ends_at", gettext_lazy("Ends"), without=gettext_lazy("no end date"))
    last_use = moment_column("last_used_at", gettext_lazy("Last use"), without=gettext_lazy("never"))
    revocation = moment_column("revoked_at", gettext_lazy("Revoked"))
    list_filter: ClassVar[tuple[Any, ...]] = ("user",)
    actions = ("revoke",)

    @admin.display(description=gettext_lazy("May do"), ordering="scopes")
    def allowed(self, token: ApiToken) -> str:
        """The scopes in words; without a limit, the token may do what its account may do."""
        return _("All that the account may do") if token.scopes is None else ", ".join(scope_names(token.scopes))

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Go to the form of the console: there is one way to create a token."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        return redirect(f"{reverse('dialogue:tokens')}?new")

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Require the permission to see tokens too, as the console's page does."""
        return super().has_add_permission(request) and self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Allow changes in the list only, for the revoke action; the page of one token is read-only."""
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    @admin.action(description=gettext_lazy("Revoke the selected API tokens"), permissions=["change"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        for token in tokens.filter(revoked_at__isnull=True):
            revoke_token(token, _account_of(request))


def _account_of(request: HttpRequest) -> Account:
    """The account of an admin request; the admin lets visitors in nowhere."""
    if not isinstance(request.user, Account):
        raise PermissionDenied
    return request.user
