"""Origins whose pages may show an assistant's chat, and call the API for visitors from a browser."""

import re
from datetime import timedelta
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import AllowedOrigin, Assistant, RefusedOrigin
from dialogue.models.account import Account
from dialogue.turns import clock

MAX_ORIGINS = 50
MAX_ORIGIN_CHARACTERS = 300
SEEN_PAUSE_SECONDS = 60
"""How often the moment at which an origin was seen last is written, at most."""
MAX_REFUSED_ORIGINS = 20
"""Refused origins that are kept for an assistant: strangers write them, so they are few."""
REFUSED_FOR = timedelta(days=7)
"""How long a refused origin is kept after it asked last."""
LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "[::1]"})
_USUAL_PORTS = {"https": 443, "http": 80}
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\]")


class OriginRefused(ValueError):
    """The text is not an origin that can be allowed; the message says what to write."""


def normal_origin(text: str) -> str:
    """Return the origin as browsers send it: lower case, ASCII, without the usual port. Raises OriginRefused."""
    plain = text.strip().lower()
    try:
        parts = urlsplit(plain)
        port = parts.port
    except ValueError:
        raise OriginRefused(_advice(text)) from None
    host = _ascii_host(parts.hostname or "")
    is_bare = plain.rstrip("/") == f"{parts.scheme}://{parts.netloc}" and "@" not in parts.netloc
    if parts.scheme not in _USUAL_PORTS or not is_bare or not _HOST.fullmatch(host):
        raise OriginRefused(_advice(text))
    if parts.scheme == "http" and host not in LOCAL_HOSTS:
        raise OriginRefused(_("“%s” is not encrypted. Write an origin with https; http is for localhost.") % text[:100])
    origin = f"{parts.scheme}://{host}"
    origin += f":{port}" if port and port != _USUAL_PORTS[parts.scheme] else ""
    if len(origin) > MAX_ORIGIN_CHARACTERS:
        raise OriginRefused(_advice(text))
    return origin


def allow_origin(assistant: Assistant, text: str, by: Account) -> AllowedOrigin:
    """Allow pages of this origin to show the assistant; a second time changes nothing. Raises OriginRefused."""
    origin = normal_origin(text)
    with transaction.atomic():
        if assistant.allowed_origins.count() >= MAX_ORIGINS:
            raise OriginRefused(_("There are %s origins already. Remove one first.") % MAX_ORIGINS)
        row, is_new = AllowedOrigin.objects.get_or_create(
            assistant=assistant, origin=origin, defaults={"added_by": by, "added_at": clock.now()}
        )
        if is_new:
            _record(by, "origin.allowed", row)
        RefusedOrigin.objects.filter(assistant=assistant, origin=origin).delete()
    return row


def remove_origin(row: AllowedOrigin, by: Account) -> None:
    """Remove an origin: its pages no longer show the chat from their next load on."""
    with transaction.atomic():
        deleted, _rows = AllowedOrigin.objects.filter(pk=row.pk).delete()
        if deleted:
            _record(by, "origin.removed", row)


def note_seen(row: AllowedOrigin) -> None:
    """Store that a page of this origin opened the chat, to the minute."""
    now = clock.now()
    if row.seen_at is None or (now - row.seen_at).total_seconds() > SEEN_PAUSE_SECONDS:
        AllowedOrigin.objects.filter(pk=row.pk).update(seen_at=now)


def note_refused(assistant: Assistant, text: str) -> None:
    """Store that a page of this origin was refused: once a minute at most, and `MAX_REFUSED_ORIGINS` of them."""
    try:
        origin = normal_origin(text)
    except OriginRefused:
        return
    now = clock.now()
    row = assistant.refused_origins.filter(origin=origin).first()
    if row is not None:
        if (now - row.at).total_seconds() > SEEN_PAUSE_SECONDS:
            RefusedOrigin.objects.filter(pk=row.pk).update(at=now, count=F("count") + 1)
        return
    if assistant.refused_origins.count() >= MAX_REFUSED_ORIGINS:
        assistant.refused_origins.filter(at__lt=now - REFUSED_FOR).delete()
    if assistant.refused_origins.count() < MAX_REFUSED_ORIGINS:
        RefusedOrigin.objects.get_or_create(assistant=assistant, origin=origin, defaults={"at": now})


def _ascii_host(host: str) -> str:
    if ":" in host:
        return f"[{host}]"
    try:
        return host.encode("idna").decode() if host else ""
    except UnicodeError:
        return ""


def _advice(text: str) -> str:
    advice = _("“%s” is not an origin. Write scheme, host and port, such as https://www.example.org, without a path.")
    return advice % text[:100]


def _record(by: Account, act: str, row: AllowedOrigin) -> None:
    facts = {"origin": row.origin, "assistant": row.assistant.name}
    done = Act(act, by.get_username(), by.pk, subject=row.assistant.name, facts=facts)
    chain.record(CONSOLE, [done], clock.now())
