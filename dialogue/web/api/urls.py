"""The API's URLs below `/api/`: version 1 with its routers, its documentation, and a problem for everything else."""

import json
from asyncio import iscoroutinefunction
from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace
from django.apps import apps
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, path, re_path, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from dialogue.web.api import assistants, conversations, files, outreach, releases, reports, sessions
from dialogue.web.api.description import DescribedAPI
from dialogue.web.api.problems import add_problem_handlers, not_found, problem_of_response, problem_response
from dialogue.web.api.schemas import StrictJson

api = DescribedAPI(
    title="Soni Admin",
    version="1",
    description="Conversations and the gates in which people decide. Errors are application/problem+json.",
    parser=StrictJson(),
    docs_url=None,
    urls_namespace="api",
)
api.add_router("/conversations", conversations.router)
api.add_router("/conversations", reports.router)
api.add_router("/conversations", outreach.router)
api.add_router("/conversations", files.router)
api.add_router("/sessions", sessions.router)
api.add_router("/sessions", files.session_router)
api.add_router("/assistants", assistants.router)
api.add_router("/assistants", releases.router)
add_problem_handlers(api)


# The bundle writes style elements of its own and draws its arrows from data addresses; its scripts are files of ours.
@require_safe
@csp_replace({"style-src": [SELF, UNSAFE_INLINE]})
def docs_page(request: HttpRequest) -> HttpResponse:
    """Swagger UI over `/api/v1/openapi.json`, from ninja's own bundle; a signed-in reader can try the calls."""
    if not apps.is_installed("ninja"):  # its page and bundle are found by the app
        raise Http404
    settings = {"url": reverse("dialogue:api:openapi-json"), "layout": "BaseLayout", "deepLinking": True}
    context = {"swagger_settings": json.dumps(settings), "api": api, "add_csrf": True}
    return render(request, "ninja/swagger.html", context)


@csrf_exempt
def unknown_url(_request: HttpRequest, **_parts: str) -> HttpResponse:
    """The 404 of a URL that the API does not have."""
    problem = not_found()
    return problem_response(problem.status, problem.plain())


def with_problem_responses(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view, with ninja's bare error responses turned into problems."""
    if iscoroutinefunction(view):

        @wraps(view)
        async def asynchronous_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            return problem_of_response(await view(request, *args, **kwargs))

        return asynchronous_view

    @wraps(view)
    def synchronous_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return problem_of_response(view(request, *args, **kwargs))
        except Http404:
            return unknown_url(request)

    return synchronous_view


def version_1_patterns() -> list[URLPattern | URLResolver]:
    """Ninja's own patterns, each with problems for error responses."""
    patterns, _app, _namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            pattern.callback = with_problem_responses(pattern.callback)
    return patterns


urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/", (version_1_patterns(), "ninja", "api")),
    path("docs", docs_page, name="api-docs"),
    re_path(r"^.*$", unknown_url),
]
