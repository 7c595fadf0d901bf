"""Secrets with which the servers of other sites sign who their visitor is: created, replaced, revoked.

A signature with HMAC needs the secret itself, so a hash would not do. The secret is derived from a random salt and the
installation's key (`SECRET_KEY`), and is stored nowhere. All three acts are on record.
"""

import hashlib
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Least
from django.utils.crypto import salted_hmac

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.models import Assistant, SigningSecret
from dialogue.models.account import Account
from dialogue.turns import clock

GRACE = timedelta(hours=24)
"""How long a secret counts after it was replaced."""
MAX_TRIED_SECRETS = 20
"""A signature is compared with the newest secrets of an assistant, those that no longer count included."""
PREFIX = "sgn_"
_PURPOSE = "dialogue.signing_secret"


def create_secret(assistant: Assistant, by: Account) -> tuple[SigningSecret, str]:
    """Create a secret and return it with its text, to be shown once. Secrets that count now end after `GRACE`."""
    salt = secrets.token_urlsafe(32)
    text = _derived_text(salt, settings.SECRET_KEY)
    with transaction.atomic():
        now = clock.now()
        end = now + GRACE
        replaced = countable_secrets(assistant).update(ends_at=Least(Coalesce(F("ends_at"), end), end))
        row = SigningSecret.objects.create(
            assistant=assistant, salt=salt, sha256=_digest(text), ending=text[-4:], created_by=by, created_at=now
        )
        _record(by, "signing_secret.replaced" if replaced else "signing_secret.made", row)
    return row, text


def revoke_secret(row: SigningSecret, by: Account) -> bool:
    """Let the secret count no longer, from now on. False where that was done before."""
    with transaction.atomic():
        now = clock.now()
        if not SigningSecret.objects.filter(pk=row.pk, revoked_at=None).update(revoked_at=now):
            return False
        row.revoked_at = now
        _record(by, "signing_secret.revoked", row)
    return True


def countable_secrets(assistant: Assistant) -> QuerySet[SigningSecret]:
    """The secrets whose signatures count now, the newest first."""
    in_force = Q(ends_at=None) | Q(ends_at__gt=clock.now())
    return assistant.signing_secrets.filter(in_force, revoked_at=None)


def tried_secrets(assistant: str) -> Iterator[tuple[SigningSecret, bytes]]:
    """The newest secrets of the assistant of this name with their texts, those that no longer count included."""
    rows = SigningSecret.objects.filter(assistant__name=assistant).order_by("-id")[:MAX_TRIED_SECRETS]
    for row in rows:
        text = secret_text(row)
        if text:
            yield row, text.encode()


def secret_text(row: SigningSecret) -> str:
    """The text of the secret; "" where the installation's key is another one than when it was created."""
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    texts = (_derived_text(row.salt, key) for key in keys)
    return next((text for text in texts if _digest(text) == row.sha256), "")


def _derived_text(salt: str, key: str | bytes) -> str:
    digest = salted_hmac(_PURPOSE, salt, secret=key, algorithm="sha256").digest()
    return PREFIX + urlsafe_b64encode(digest).decode().rstrip("=")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _record(by: Account, act: str, row: SigningSecret) -> None:
    facts = {"secret": f"…{row.ending}", "assistant": row.assistant.name}
    done = Act(act, by.get_username(), by.pk, subject=row.assistant.name, facts=facts)
    chain.record(CONSOLE, [done], clock.now())
