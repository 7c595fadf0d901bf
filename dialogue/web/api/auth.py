"""Authentication of the API: by API token, by session cookie, or by a conversation's token.

Each route says with `@scoped(…)` which scopes of an API token open it. A token that is limited to scopes opens nothing
where a route says nothing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.translation import gettext as _
from ninja.decorators import decorate_view
from ninja.errors import AuthenticationError
from ninja.operation import Operation
from ninja.security import APIKeyCookie, HttpBearer
from ninja.utils import contribute_operation_callback

from dialogue.desk.access.api_tokens import TokenRefused, find_token
from dialogue.desk.access.people import Caller, Person, read_person
from dialogue.desk.access.token_scopes import CHAT, CONVERSATIONS_READ
from dialogue.models import ApiToken
from dialogue.models.account import Account, open_accounts
from dialogue.web.api.problems import Problem, scope_missing, token_refused

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

View = TypeVar("View", bound=Callable[..., Any])


def scoped(*scopes: str) -> Callable[[View], View]:
    """Declare the scopes that open a route, each by itself; without any, the route needs no token."""

    def with_scopes(run: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(run)
        def run_scoped(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            request.api_scopes = scopes  # type: ignore[attr-defined]
            return run(request, *args, **kwargs)

        return run_scoped

    def describe(operation: Operation) -> None:
        operation.openapi_extra = {**(operation.openapi_extra or {}), "x-token-scopes": list(scopes)}

    def declare(view: View) -> View:
        view.api_scopes = scopes  # type: ignore[attr-defined]
        contribute_operation_callback(view, describe)
        return decorate_view(with_scopes)(view)

    return declare


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
        return user_of_token(request, token)


class SessionCookie(APIKeyCookie):
    """A signed-in browser; what changes something needs the CSRF token too."""

    param_name = settings.SESSION_COOKIE_NAME

    def __call__(self, request: HttpRequest) -> Any:
        # A bearer token that is not valid must not be helped out by a cookie.
        return None if "Authorization" in request.headers else signed_in_user(request)

    def authenticate(self, request: HttpRequest, key: str | None) -> Any:
        return signed_in_user(request)


def user_of_token(request: HttpRequest, token: str) -> Account | None:
    """The active user of an API token; None for an unknown one.

    Raises the 401 of a token that was revoked or has ended, and the 403 of one whose scopes do not open this route.
    """
    try:
        row = find_token(token)
    except TokenRefused as refused:
        raise token_refused(refused.row) from None
    if row is None:
        return None
    request.api_token = row  # type: ignore[attr-defined]
    need_scope(request, *getattr(request, "api_scopes", ()))
    return open_accounts().filter(pk=row.user_id).first()


def token_of_request(request: HttpRequest) -> ApiToken | None:
    """The API token with which the caller was authenticated; None for browsers and customers."""
    return getattr(request, "api_token", None)


def need_scope(request: HttpRequest, *scopes: str) -> None:
    """Raise the 403 of an API token that is limited to scopes of which none is one of these."""
    token = token_of_request(request)
    if token is not None and not token.has_scope(*scopes):
        raise scope_missing(token, scopes)


def is_only_chatting(request: HttpRequest) -> bool:
    """Whether only the scope `chat` opens this route: for conversations of the account, seen as their customer does."""
    token = token_of_request(request)
    if token is None or token.scopes is None or CONVERSATIONS_READ in token.scopes:
        return False
    return set(getattr(request, "api_scopes", ())) & set(token.scopes) == {CHAT}


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
        user = user_of_token(request, bearer.strip()) if scheme.lower() == "bearer" else None
        return Visitor(user) if user else Visitor(token=bearer.strip())
    token = request.GET.get("token", "")
    return Visitor(token=token) if token else Visitor(signed_in_user(request))


def person_or_401(visitor: Visitor) -> Person:
    """The visitor's person. Raises the 401 of a visitor without one."""
    person = visitor.person()
    if person is None:
        raise AuthenticationError
    return person
