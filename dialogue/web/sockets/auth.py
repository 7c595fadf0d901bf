"""The person and the language of a socket. Rights are read again at every frame: a socket outlives sign-outs."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils import translation
from django.utils.module_loading import import_string

from dialogue.desk.access.people import AccountClosed, Person, read_person


def person_of_session(session: SessionBase | None) -> Person | None:
    """Return the person of a browser session with their current rights, or None."""
    key = session.session_key if session is not None else None
    if not key:
        return None
    request = HttpRequest()
    request.session = import_string(f"{settings.SESSION_ENGINE}.SessionStore")(key)
    user = get_user(request)
    if user.pk is None:
        return None
    try:
        return read_person(user.pk)
    except AccountClosed:
        return None


def query_params(scope: Mapping[str, Any]) -> dict[str, str]:
    """Return the query parameters of the address, the first value of each name."""
    params = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    return {name: values[0] for name, values in params.items()}


def page_language(scope: Mapping[str, Any]) -> str:
    """Return the language of the page that opened this socket."""
    chosen = scope.get("cookies", {}).get(settings.LANGUAGE_COOKIE_NAME, "")
    headers = dict(scope.get("headers", ()))
    wished = headers.get(b"accept-language", b"").decode("latin-1").split(",")[0].split("-")[0].strip()
    offered = dict(settings.LANGUAGES)
    return next((language for language in (chosen, wished) if language in offered), translation.get_language() or "en")
