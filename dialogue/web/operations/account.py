"""A person's own settings: the language and the time zone in which they read pages and mails, and their password."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.password_validation import password_validators_help_texts
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST
from django.views.i18n import LANGUAGE_QUERY_PARAMETER, set_language

from dialogue.web.operations.sign_in import count_try, forgive_tries
from dialogue.web.shared.languages import offered_languages, store_language
from dialogue.web.shared.limits import LimitReached, address_of
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import is_staff
from dialogue.web.shared.times import span_text
from dialogue.web.shared.zones import UnknownZone, choose_zone, chosen_zone_of, zone_names

_SAVED = {
    "language": gettext_lazy("The language is saved. In your other browsers it counts from the next sign-in."),
    "zone": gettext_lazy("The time zone is saved. In your other browsers it counts from the next sign-in."),
    "password": gettext_lazy("The password is changed. Your other browsers have to sign in again."),
}
"""What the page says after something was saved."""


class LimitedPasswordForm(PasswordChangeForm):
    """The old password and twice the new one; tries count as those of the sign-in."""

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(request.user, data)  # type: ignore[arg-type]
        self.fields["new_password2"].label = _("Repeat the new password")
        self._request = request

    def clean_old_password(self) -> str:
        name, address = self.user.get_username(), address_of(self._request)
        try:
            count_try(name, address)
        except LimitReached as limit:
            text = _("Too many tries. Please wait %s, then try again.") % span_text(limit.wait + timedelta(minutes=1))
            raise forms.ValidationError(text, code="too_many_tries") from None
        password: str = super().clean_old_password()
        forgive_tries(name, address)
        return password


@needs(is_staff)
@require_GET
def account_page(request: HttpRequest) -> HttpResponse:
    """The settings of the person who is signed in."""
    return _page(request)


@needs(is_staff)
@require_POST
def save_zone(request: HttpRequest) -> HttpResponse:
    """Store the time zone; an empty field goes back to the browser's."""
    name = request.POST.get("zone", "").strip()
    try:
        choose_zone(request, person_of_request(request).id, name)
    except UnknownZone as refused:
        return _page(request, zone=name, zone_error=str(refused), status=422)
    return redirect(reverse("dialogue:account") + "?saved=zone")


def save_language(request: HttpRequest) -> HttpResponse:
    """Django's own view, which leads back to the page in another language; an account keeps the choice too."""
    response = set_language(request)
    language = request.POST.get(LANGUAGE_QUERY_PARAMETER, "")
    if language in dict(offered_languages()):
        store_language(response, request.user.pk, language)
    return response


@sensitive_post_parameters()
@needs(is_staff)
@require_POST
def save_password(request: HttpRequest) -> HttpResponse:
    """Change the password; this browser stays signed in, and all others have to sign in again."""
    form = LimitedPasswordForm(request, request.POST)
    if not form.is_valid():
        return _page(request, form=form, status=422)
    update_session_auth_hash(request, form.save())
    return redirect(reverse("dialogue:account") + "?saved=password")


def _page(
    request: HttpRequest, *, form: LimitedPasswordForm | None = None, status: int = 200, **facts: str
) -> HttpResponse:
    context = {
        "zone": chosen_zone_of(request),
        "zone_error": "",
        "zones": zone_names(),
        "saved": _SAVED.get(request.GET.get("saved", "")),
        "password_form": form or LimitedPasswordForm(request),
        "password_rules": password_validators_help_texts(),
        **facts,
    }
    return render(request, "dialogue/account/account.html", context, status=status)
