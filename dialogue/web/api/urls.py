"""The API's URLs below `/api/`: version 1 with its routers, its documentation, and a problem for everything else."""

from asyncio import iscoroutinefunction
from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from dialogue.web.api import assistants, conversations, files, outreach, releases, reports, sessions
from dialogue.web.api.description import DescribedAPI
from dialogue.web.api.documentation import ApiReference, reference_of
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


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """The calls of `/api/v1/openapi.json` as a page, with an example of each; everybody may read it."""
    facts = {"reference": _reference(), "description": api.description}
    return render(request, "dialogue/api_docs/api_docs.html", facts)


@cache
def _reference() -> ApiReference:
    return reference_of(api.get_openapi_schema(path_prefix=api.get_root_path({})))


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
