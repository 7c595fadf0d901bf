"""The languages that pages are offered in, and where a choice is kept: in the browser's cookie, and with the account.

Pages and sockets read the cookie. The account's language is copied into it at the sign-in, and mails are written in it.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dialogue.models import Preference

LANGUAGES = ("en", "es")
"""The languages that the console speaks."""


def offered_languages() -> list[tuple[str, str]]:
    """(code, name) of the project's languages that the console speaks; none where the project has one language."""
    if not any(name.endswith("LocaleMiddleware") for name in settings.MIDDLEWARE):
        return []
    return [(code, name) for code, name in settings.LANGUAGES if code in LANGUAGES]


def keep_language(response: HttpResponseBase, language: str) -> None:
    """Store the language in the browser, in the cookie of Django's `LocaleMiddleware`."""
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        path=settings.LANGUAGE_COOKIE_PATH,
        domain=settings.LANGUAGE_COOKIE_DOMAIN,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite=settings.LANGUAGE_COOKIE_SAMESITE,
    )


def store_language(response: HttpResponseBase, account: int | None, language: str) -> None:
    """Store the language in the browser, and for a person who signed in with the account too."""
    keep_language(response, language)
    if account is not None:
        Preference.objects.update_or_create(user_id=account, defaults={"language": language})


def in_chosen_language(sign_in: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """The view of the sign-in, which gives the browser the language that the person chose before, in any browser."""

    @wraps(sign_in)
    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = sign_in(request, *args, **kwargs)
        if request.method == "POST" and request.user.is_authenticated:
            language = Preference.objects.filter(user=request.user.pk).values_list("language", flat=True).first()
            if language in dict(offered_languages()):
                keep_language(response, str(language))
        return response

    return view
