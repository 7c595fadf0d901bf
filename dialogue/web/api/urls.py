"""The API's URLs below `/api/`: version 1 with its routers, its documentation, and a problem for everything else."""

import json
from asyncio import iscoroutinefunction
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, wraps
from time import monotonic
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, URLResolver, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from dialogue.web.api import assistants, conversations, files, outreach, receipts, releases, reports, requests, sessions
from dialogue.web.api.auth import token_of_request
from dialogue.web.api.description import DescribedAPI
from dialogue.web.api.documentation import ApiReference, reference_of
from dialogue.web.api.problems import add_problem_handlers, not_found, problem_of_response, problem_response
from dialogue.web.api.schemas import StrictJson
from dialogue.web.shared.call_log import FIRST_FAILURE, QUOTING_NOTHING, ApiCall, note_call

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
api.add_router("/receipts", receipts.router)
api.add_router("/requests", requests.router)
api.add_router("/sessions", sessions.router)
api.add_router("/sessions", files.session_router)
api.add_router("/sessions", receipts.session_router)
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
            begun = monotonic()
            return _noted(request, problem_of_response(await view(request, *args, **kwargs)), begun)

        return asynchronous_view

    @wraps(view)
    def synchronous_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        begun = monotonic()
        try:
            response = problem_of_response(view(request, *args, **kwargs))
        except Http404:
            response = unknown_url(request)
        return _noted(request, response, begun)

    return synchronous_view


def _noted(request: HttpRequest, response: HttpResponse, begun: float) -> HttpResponse:
    """The response, after its call was noted for the page Integrate."""
    token = token_of_request(request)
    route = request.resolver_match.route if request.resolver_match else request.path
    code, detail = _problem_of(response) if response.status_code >= FIRST_FAILURE else ("", "")
    caller, milliseconds = token.name if token else "", round((monotonic() - begun) * 1000)
    method = str(request.method)
    note_call(ApiCall(datetime.now(UTC), method, route, response.status_code, code, caller, milliseconds, detail))
    return response


def _problem_of(response: HttpResponse) -> tuple[str, str]:
    """The code of a refusal, and its words where they quote nothing of the request."""
    try:
        problem = json.loads(response.content)
        code = str(problem.get("code", ""))
        return code, str(problem.get("detail", "")) if code in QUOTING_NOTHING else ""
    except (AttributeError, ValueError):  # a stream, or no JSON
        return "", ""


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
