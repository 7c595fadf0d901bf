"""API tokens: created and revoked here. Both are recorded in the audit trail."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.admin.reading import AnyAdmin, moment_column
from dialogue.desk.access.api_tokens import create_token, revoke_token
from dialogue.desk.access.token_scopes import DEFAULT_DAYS, SCOPES, end_after
from dialogue.models import ApiToken
from dialogue.models.account import Account
from dialogue.turns import clock

MAX_DAYS = 3650

if TYPE_CHECKING:
    AnyForm = forms.ModelForm[Any]
else:
    AnyForm = forms.ModelForm


class TokenForm(AnyForm):
    """Form of a new token: its person, its name, its scopes and its end. The text is generated and shown once."""

    scopes = forms.MultipleChoiceField(
        choices=[(name, f"{name}: {meaning}") for name, meaning in SCOPES.items()],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Without a scope it may do all that its account may do."),
    )
    days = forms.IntegerField(
        min_value=0,
        max_value=MAX_DAYS,
        required=False,
        initial=DEFAULT_DAYS,
        help_text=gettext_lazy("After so many days it is refused. 0: it has no end."),
    )
    name = forms.CharField(max_length=100, help_text=gettext_lazy("What it is for, so that it can be revoked later."))

    class Meta:
        model = ApiToken
        fields = ("user", "name", "scopes")


@admin.register(ApiToken)
class ApiTokenAdmin(AnyAdmin):
    """Tokens are created and revoked, never changed and never shown again."""

    form = TokenForm
    list_display = ("name", "user", "allowed", "creation", "end", "last_use", "revocation")
    search_fields = ("name",)
    list_select_related = ("user",)
    creation = moment_column("created_at", gettext_lazy("Created"))
    end = moment_column("ends_at", gettext_lazy("Ends"), without=gettext_lazy("no end date"))
    last_use = moment_column("last_used_at", gettext_lazy("Last used"), without=gettext_lazy("never"))
    revocation = moment_column("revoked_at", gettext_lazy("Revoked"))
    list_filter = ("user",)
    actions = ("revoke",)

    @admin.display(description=gettext_lazy("May do"), ordering="scopes")
    def allowed(self, token: ApiToken) -> str:
        """The scopes; without any, the token may do what its person may do."""
        return ", ".join(token.scopes) if token.scopes else _("all that the person may do")

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Allow changes in the list only, for the revoke action; the page of one token is read-only."""
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("sha256",)

    def save_model(self, request: HttpRequest, obj: ApiToken, form: Any, change: bool) -> None:
        days = form.cleaned_data["days"]
        obj.scopes = form.cleaned_data["scopes"] or None
        obj.ends_at = end_after(DEFAULT_DAYS if days is None else days, clock.now()) if days != 0 else None
        token = create_token(obj, _account_of(request))
        shown_once = _("The token is shown only now: %s") % token
        messages.success(request, shown_once)

    @admin.action(description=gettext_lazy("Revoke the chosen tokens"), permissions=["change"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        for token in tokens.filter(revoked_at__isnull=True):
            revoke_token(token, _account_of(request))


def _account_of(request: HttpRequest) -> Account:
    """The account of an admin request; the admin lets visitors in nowhere."""
    if not isinstance(request.user, Account):
        raise PermissionDenied
    return request.user
