"""Create and revoke API tokens. The database stores only hashes; both acts are on record."""

import hashlib
import secrets

from django.db import transaction

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import ApiToken
from dialogue.models.account import Account
from dialogue.turns import clock


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
    facts = {"token": token.name, "user": token.user_id}
    done = Act(act, by.get_username(), by.pk, subject=f"token {token.pk}", facts=facts)
    chain.record(CONSOLE, [done], clock.now())
