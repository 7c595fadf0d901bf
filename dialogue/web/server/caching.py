"""What browsers and proxies may keep of our answers: nothing, unless a view says otherwise."""

from asyncio import iscoroutinefunction
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver

PRIVATE = "private, no-store"


def keep_views_private(patterns: Iterable[Any]) -> None:
    """Let these views answer with `Cache-Control: private, no-store`: what they show is people's data."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            keep_views_private(pattern.url_patterns)
        elif isinstance(pattern, URLPattern):
            pattern.callback = _private(pattern.callback)


def _private(view: Callable[..., Any]) -> Callable[..., Any]:
    if iscoroutinefunction(view):

        @wraps(view)
        async def respond_later(*args: Any, **kwargs: Any) -> HttpResponseBase:
            return _marked(await view(*args, **kwargs))

        return respond_later

    @wraps(view)
    def respond(*args: Any, **kwargs: Any) -> HttpResponseBase:
        return _marked(view(*args, **kwargs))

    return respond


def _marked(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Cache-Control", PRIVATE)
    return response
