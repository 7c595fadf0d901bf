"""The person behind a request. Rights are read once a request, from the database, never from a session."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from dialogue.desk.access.people import Caller, Person, person_of_account
from dialogue.models.account import Account
from dialogue.turns import clock

Arguments = ParamSpec("Arguments")
Response = TypeVar("Response", bound=HttpResponseBase)
View = Callable[Concatenate[HttpRequest, Arguments], Response]

VISITOR = Person(id=0, name="", rights=frozenset(), groups=frozenset())
"""A person who is not signed in."""


def person_of_request(request: HttpRequest) -> Person:
    """Return the person behind this request with their current rights; VISITOR without an account."""
    person: Person | None = getattr(request, "soni_person", None)
    if person is None:
        user = request.user  # Django reads it in this request; anonymous when the account is closed
        person = person_of_account(user) if isinstance(user, Account) and user.is_active else VISITOR
        request.soni_person = person  # type: ignore[attr-defined]
    return person


def account_of_request(request: HttpRequest) -> Account | None:
    """Return the account that is signed in, or None."""
    return request.user if isinstance(request.user, Account) else None


def caller_of(request: HttpRequest, through: str = "page") -> Caller:
    """Return the person as a caller of the desk."""
    return Caller(person_of_request(request).id, through)


def needs(
    allowed: Callable[[Person], bool],
) -> Callable[[View[Arguments, Response]], View[Arguments, Response | HttpResponse]]:
    """Require a signed-in person who is `allowed`. For others the page is a 404, which reveals nothing."""

    def decorate(view: View[Arguments, Response]) -> View[Arguments, Response | HttpResponse]:
        @wraps(view)
        def guarded(
            request: HttpRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs
        ) -> Response | HttpResponse:
            if request.user.is_anonymous:
                return _ask_to_sign_in(request)
            if not allowed(person_of_request(request)):
                raise Http404
            with clock.cached_now() if request.method == "GET" else nullcontext():
                return view(request, *args, **kwargs)

        return guarded

    return decorate


def _ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect a page to the sign-in. A script gets 401, so that what was typed on its page stays."""
    by_script = "hx-request" in request.headers or "json" in request.headers.get("accept", "")
    return HttpResponse(status=401) if by_script else redirect_to_login(request.get_full_path())
