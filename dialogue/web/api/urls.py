"""The API's addresses below `/api/`: version 1, its documentation, and a problem for everything else."""

from asyncio import iscoroutinefunction
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, path, re_path
from django.views.decorators.csrf import csrf_exempt

from dialogue.web.api.app import api
from dialogue.web.api.docs import docs_page
from dialogue.web.api.problems import not_found, plain_to_problem, problem_response


@csrf_exempt
def nowhere(_request: HttpRequest, **_parts: str) -> HttpResponse:
    """An address that the API does not have."""
    problem = not_found()
    return problem_response(problem.status, problem.plain())


def answering_problems(view: Callable[..., Any]) -> Callable[..., Any]:
    """The view, with the bare error responses of the library turned into problems."""
    if iscoroutinefunction(view):

        @wraps(view)
        async def answered_later(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            return plain_to_problem(await view(request, *args, **kwargs))

        return answered_later

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return plain_to_problem(view(request, *args, **kwargs))
        except Http404:
            return nowhere(request)

    return answered


def version_one() -> list[URLPattern | URLResolver]:
    """The API's own patterns, each answering problems."""
    patterns, _app, _namespace = api.urls
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            pattern.callback = answering_problems(pattern.callback)
    return patterns


urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/", (version_one(), "ninja", "api")),
    path("docs", docs_page, name="api-docs"),
    re_path(r"^.*$", nowhere),
]
