"""Middleware: pages of allowed origins may call the API of conversations from a browser (CORS, Fetch Standard 3.2).

The origins are those of any assistant's page Integrate. Only the routes of conversations are opened, never gates,
assistants or pages, and never with cookies: a visitor's page sends the token of its conversation.
"""

from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _

from dialogue.models import AllowedOrigin

Respond = Callable[[HttpRequest], HttpResponseBase]

CONVERSATIONS_PATH = "api/v1/conversations"
METHODS = "GET, POST"
REQUEST_HEADERS = "Accept-Language, Authorization, Content-Type, Last-Event-ID, Prefer"
RESPONSE_HEADERS = "Retry-After"
PREFLIGHT_SECONDS = 600
"""How long a browser keeps what a preflight said: as long as an origin that was removed may go on."""
MAX_ORIGIN_CHARACTERS = 300


def answer_allowed_origins(respond: Respond) -> Respond:
    """Middleware before those that look at cookies: add the headers that let an allowed page read the answer."""

    def respond_to_origin(request: HttpRequest) -> HttpResponseBase:
        origin = request.headers.get("Origin", "")
        if not origin or not _is_route_of_conversations(request) or origin == _own_origin(request):
            return respond(request)
        try:
            is_allowed = _is_allowed(origin)
        except (OperationalError, InterfaceError) as error:
            return let_any_page_read(_database_away(request, error))
        if _is_preflight(request):
            response: HttpResponseBase = _answered_preflight() if is_allowed else _refused_preflight(origin)
        else:
            response = respond(request)
        patch_vary_headers(response, ["Origin"])
        if is_allowed:
            response["Access-Control-Allow-Origin"] = origin
            response["Access-Control-Expose-Headers"] = RESPONSE_HEADERS
        return response

    return respond_to_origin


def let_any_page_read(response: HttpResponse) -> HttpResponse:
    """Let pages of every origin read a refusal in which nothing is private, made before their origin is looked up."""
    response["Access-Control-Allow-Origin"] = "*"
    response["Access-Control-Expose-Headers"] = RESPONSE_HEADERS
    return response


def _database_away(request: HttpRequest, error: Exception) -> HttpResponse:
    from dialogue.web.api.problems import database_answer  # the API is loaded with its first request

    return database_answer(request, error)


def _is_route_of_conversations(request: HttpRequest) -> bool:
    return request.path.startswith(reverse("dialogue:home") + CONVERSATIONS_PATH)


def _own_origin(request: HttpRequest) -> str:
    return f"{request.scheme}://{request.get_host()}"


def _is_allowed(origin: str) -> bool:
    return len(origin) <= MAX_ORIGIN_CHARACTERS and AllowedOrigin.objects.filter(origin=origin).exists()


def _is_preflight(request: HttpRequest) -> bool:
    return request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers


def _answered_preflight() -> HttpResponse:
    response = HttpResponse(status=204)
    response["Access-Control-Allow-Methods"] = METHODS
    response["Access-Control-Allow-Headers"] = REQUEST_HEADERS
    response["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return response


def _refused_preflight(origin: str) -> HttpResponse:
    """The browser keeps the reason from the page; its network panel shows it."""
    text = _("Pages of “%s” may not call this API. Add this origin on the page Integrate of an assistant.")
    return HttpResponse(text % origin[:200], status=403, content_type="text/plain; charset=utf-8")
