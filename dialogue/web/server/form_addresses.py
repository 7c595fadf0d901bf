"""Middleware that answers a browser which opens the address of a form, by a reload or a bookmark."""

from collections.abc import Callable
from http import HTTPMethod, HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

Respond = Callable[[HttpRequest], HttpResponseBase]


def explain_form_address(respond: Respond) -> Respond:
    """Middleware: where a browser opens an address that only takes POST, Django's empty 405 becomes a page."""

    def respond_with_page(request: HttpRequest) -> HttpResponseBase:
        response = respond(request)
        is_empty = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not getattr(response, "content", b"-")
        if not is_empty or request.method != HTTPMethod.GET or "text/html" not in request.headers.get("Accept", ""):
            return response
        page = render(request, "dialogue/form_address.html", status=HTTPStatus.METHOD_NOT_ALLOWED)
        page["Allow"] = response["Allow"]
        return page

    return respond_with_page
