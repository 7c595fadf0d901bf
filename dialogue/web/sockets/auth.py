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
from django.utils.translation import gettext as _

from dialogue.desk.access.api_tokens import TokenRefused, find_token
from dialogue.desk.access.people import AccountClosed, Person, read_person
from dialogue.desk.access.token_scopes import SESSIONS_READ
from dialogue.web.sockets.close_codes import RIGHT_LOST, SocketClosed


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


def bearer_token(scope: Mapping[str, Any]) -> str:
    """Return the API token of the header `Authorization`, which programs send and browsers cannot; "" without one."""
    header = dict(scope.get("headers", ())).get(b"authorization", b"").decode("latin-1")
    scheme, _blank, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def person_of_token(token: str) -> Person | None:
    """Return the person of an API token with their current rights; None for one that is unknown or counts no longer.

    Raises SocketClosed for a token whose scopes do not open the inbox.
    """
    try:
        row = find_token(token)
        person = read_person(row.user_id) if row else None
    except (TokenRefused, AccountClosed):
        return None
    if row is not None and not row.has_scope(SESSIONS_READ):
        raise SocketClosed(RIGHT_LOST, "scope_missing", _("This token needs the scope %s.") % SESSIONS_READ)
    return person


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
