"""The chat in a frame on other sites: its page and its script. Both are for strangers, and load no session."""

import hashlib
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import get_object_or_404, render
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from dialogue.conf import soni
from dialogue.desk.access.allowed_origins import OriginRefused, normal_origin, note_refused, note_seen
from dialogue.models import Assistant
from dialogue.web.shared.chat_texts import texts_of_release

SCRIPT_SECONDS = 3600
"""How long browsers keep the script without asking again."""
SCRIPT = "dialogue/js/embed/widget.js"
LANGUAGES = ("en", "es")
"""Of the frame's own texts."""


@require_safe
def widget_script(request: HttpRequest) -> HttpResponse:
    """The script that a site loads: the same for every assistant and every site."""
    content, tag = _script()
    if request.headers.get("If-None-Match") == tag:
        response: HttpResponse = HttpResponseNotModified()
    else:
        response = HttpResponse(content, content_type="text/javascript; charset=utf-8")
    response["ETag"] = tag
    response["Cache-Control"] = f"public, max-age={SCRIPT_SECONDS}"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@require_safe
@xframe_options_exempt
def frame(request: HttpRequest, assistant: str) -> HttpResponse:
    """The page in the frame. `origin`: of the page around it, the only one that may show it and talk with it.

    Without `origin` every allowed origin may show it, and no page talks with it. `language`: en or es.
    """
    home = get_object_or_404(Assistant, name=assistant, active_release__isnull=False)
    allowed_origins = {row.origin: row for row in home.allowed_origins.all()}
    asked_origin = request.GET.get("origin", "")
    origin = _allowed_origin(request, asked_origin, allowed_origins)
    with translation.override(_language_of(request)):
        if asked_origin and not origin:
            note_refused(home, asked_origin)
            return _refusal(asked_origin, allowed_origins)
        if origin in allowed_origins:
            note_seen(allowed_origins[origin])
        facts = {"assistant": home, "origin": origin, **texts_of_release(None, home)}
        response = render(request, "dialogue/embed/frame.html", facts)
    response["Content-Security-Policy"] = _policy([origin] if origin else allowed_origins)
    return response


def _allowed_origin(request: HttpRequest, asked_origin: str, allowed_origins: Collection[str]) -> str:
    """The origin that asks, where it may show the chat: an allowed one, or this server's own for its test page."""
    if asked_origin in (f"{request.scheme}://{request.get_host()}", _origin_of(soni.PUBLIC_URL)):
        return asked_origin
    try:
        origin = normal_origin(asked_origin)
    except OriginRefused:
        return ""
    return origin if origin in allowed_origins else ""


def _refusal(origin: str, allowed_origins: Iterable[str]) -> HttpResponse:
    """The 403 of a page that is not allowed. Its browser shows nothing of it, the network panel does."""
    text = _("Pages of “%s” may not show this chat. Add this origin on the page Integrate of the assistant.")
    content_type = "text/plain; charset=utf-8"
    response = HttpResponse(text % origin[:200], status=403, content_type=content_type)
    response["Content-Security-Policy"] = _policy(allowed_origins)
    return response


def _policy(ancestors: Iterable[str]) -> str:
    """The content security policy of the frame: nothing inline, nothing of others but images, shown by `ancestors`."""
    own = " ".join(["'self'", *_static_origin()])
    directives = {
        "default-src": "'none'",
        "script-src": own,
        "style-src": own,
        "font-src": own,
        "img-src": " ".join([own, "data:", *soni.IMAGE_ORIGINS]),
        "connect-src": "'self'",
        "form-action": "'none'",
        "base-uri": "'none'",
        "object-src": "'none'",
        "frame-ancestors": " ".join(ancestors) or "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in directives.items())


def _static_origin() -> list[str]:
    """The origin of static files where they lie on another host."""
    return [origin] if (origin := _origin_of(settings.STATIC_URL or "")) else []


def _origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else ""


def _language_of(request: HttpRequest) -> str:
    asked = request.GET.get("language", "")[:2].lower()
    return asked if asked in LANGUAGES else translation.get_language_from_request(request)[:2]


@cache
def _script() -> tuple[bytes, str]:
    """The script with its entity tag."""
    path = finders.find(SCRIPT)
    if not isinstance(path, str):
        raise Http404
    content = Path(path).read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:32]}"'
