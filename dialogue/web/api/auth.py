"""Authentication of the API: by API token, by session cookie, or by a conversation's token."""

import hashlib
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext as _
from ninja.security import APIKeyCookie, HttpBearer

from dialogue.desk.access.people import Caller, Person, read_person
from dialogue.models import ApiToken, hot_path
from dialogue.models.account import Account, open_accounts
from dialogue.web.api.problems import Problem, not_signed_in

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


@dataclass(frozen=True)
class Visitor:
    """A caller: `user` when signed in, `token` when a conversation's token came along."""

    user: Account | None = None
    token: str = ""

    def person(self) -> Person | None:
        """The person with their rights as they are now. Raises AccountClosed."""
        return read_person(self.user.pk) if self.user else None


class CsrfCheck(CsrfViewMiddleware):
    """Django's own check, with a yes or no in place of a page."""

    def passes(self, request: HttpRequest) -> bool:
        request.csrf_processing_done = False  # type: ignore[attr-defined]
        self.process_request(request)
        return self.process_view(request, lambda *_args: HttpResponse(), (), {}) is None

    def _reject(self, _request: HttpRequest, reason: str) -> HttpResponse:
        return HttpResponse(reason, status=403)


class BearerToken(HttpBearer):
    """A program's token."""

    def authenticate(self, request: HttpRequest, token: str) -> Any:
        return user_of_token(token)


class SessionCookie(APIKeyCookie):
    """A signed-in browser; what changes something needs the CSRF token too."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> Any:
        # A bearer token that is not valid must not be helped out by a cookie.
        return None if "Authorization" in request.headers else signed_in_user(request)

    def authenticate(self, request: HttpRequest, key: str | None) -> Any:
        return signed_in_user(request)


def user_of_token(token: str) -> Account | None:
    """The active user of an API token; None for an unknown or revoked one."""
    digest = hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()
    row = next(iter(hot_path.fetch(ApiToken, {"sha256": digest}, "AND revoked_at IS NULL")), None)
    return open_accounts().filter(pk=row.user_id).first() if row else None


def signed_in_user(request: HttpRequest) -> Account | None:
    """The user of the session cookie. Raises the 403 of a request that changes something without a CSRF token."""
    user = getattr(request, "user", None)
    if not isinstance(user, Account) or not user.is_authenticated:
        return None
    if request.method not in SAFE_METHODS and not CsrfCheck(lambda _request: HttpResponse()).passes(request):
        raise Problem(403, "csrf_failed", _("The CSRF token is missing or belongs to another page."))
    return user


def caller_of(request: HttpRequest) -> Caller:
    """The signed-in caller of a desk operation."""
    user = request.auth  # type: ignore[attr-defined]
    return Caller(user.pk, "api")


def person_of(request: HttpRequest) -> Person:
    """The signed-in person, with their rights as they are now."""
    user = request.auth  # type: ignore[attr-defined]
    return read_person(user.pk)


def visitor_of(request: HttpRequest) -> Visitor:
    """The caller, signed in or not; a bearer token that belongs to no user is taken for a conversation's."""
    scheme, _blank, bearer = request.headers.get("Authorization", "").partition(" ")
    if bearer:
        user = user_of_token(bearer.strip()) if scheme.lower() == "bearer" else None
        return Visitor(user) if user else Visitor(token=bearer.strip())
    token = request.GET.get("token", "")
    return Visitor(token=token) if token else Visitor(signed_in_user(request))


def person_or_401(visitor: Visitor) -> Person:
    """The visitor's person. Raises the 401 of a visitor without one."""
    person = visitor.person()
    if person is None:
        raise not_signed_in()
    return person
