"""Create and revoke API tokens. The database stores only hashes; both acts are on record."""

import hashlib
import secrets
from contextlib import suppress
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction
from django.db.models import Q, QuerySet

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import ApiToken
from dialogue.models.account import Account
from dialogue.turns import clock

USE_GRAIN = timedelta(minutes=5)
"""How exact the time of a token's last use is: a busy program does not write a row at every call."""


class TokenRefused(Exception):
    """A token of this installation that counts no longer: `row` is revoked or has ended."""

    def __init__(self, row: ApiToken) -> None:
        super().__init__(row.name)
        self.row = row


def find_token(text: str) -> ApiToken | None:
    """The token with this text, its use noted; None for an unknown one. Raises TokenRefused."""
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
    rows, now = clock.fetch_with_time(ApiToken, {"sha256": digest})
    if not rows:
        return None
    row = rows[0]
    if row.revoked_at is not None or row.has_ended(now):
        raise TokenRefused(row)
    _note_use(row, now)
    return row


def _note_use(row: ApiToken, now: datetime) -> None:
    if row.last_used_at is not None and row.last_used_at > now - USE_GRAIN:
        return
    unused = Q(last_used_at=None) | Q(last_used_at__lte=now - USE_GRAIN)
    # A database that takes no writes at this moment still answers what can be read.
    with suppress(DatabaseError):
        ApiToken.objects.filter(unused, pk=row.pk).update(last_used_at=now)


def valid_tokens() -> QuerySet[ApiToken]:
    """The tokens that are taken now: neither revoked nor ended, and of an active account."""
    has_not_ended = Q(ends_at=None) | Q(ends_at__gt=clock.now())
    return ApiToken.objects.filter(has_not_ended, revoked_at=None, user__is_active=True)


def create_token(row: ApiToken, by: Account) -> str:
    """Store a new token, and return its text, which is kept nowhere: a copy of the database opens nothing."""
    text = secrets.token_urlsafe(32)
    row.sha256 = hashlib.sha256(text.encode()).hexdigest()
    with transaction.atomic():
        row.save()
        _record(by, "token.made", row)
    return text


def revoke_token(row: ApiToken, by: Account) -> bool:
    """Revoke the token; False where that was done before."""
    with transaction.atomic():
        now = clock.now()
        if not ApiToken.objects.filter(pk=row.pk, revoked_at__isnull=True).update(revoked_at=now):
            return False
        row.revoked_at = now
        _record(by, "token.revoked", row)
    return True


def _record(by: Account, act: str, token: ApiToken) -> None:
    ends = token.ends_at.isoformat() if token.ends_at else None
    facts = {"token": token.name, "user": token.user_id, "scopes": token.scopes, "ends": ends}
    done = Act(act, by.get_username(), by.pk, subject=f"token {token.pk}", facts=facts)
    chain.record(CONSOLE, [done], clock.now())
