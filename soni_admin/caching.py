"""What browsers and proxies may keep of our answers: nothing, unless a view says otherwise."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from dialogue.web.server.caching import PRIVATE


def keep_pages_private(respond: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: pages, tables and answers of the API hold people's data, and stay in no cache and on no disk."""

    def respond_privately(request: HttpRequest) -> HttpResponseBase:
        response = respond(request)
        response.headers.setdefault("Cache-Control", PRIVATE)
        return response

    return respond_privately
