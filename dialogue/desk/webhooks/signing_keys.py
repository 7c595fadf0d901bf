"""Secrets that sign webhooks: of an endpoint, or of an account whose agents are called back.

A secret is derived from a random salt and the installation's key (`SECRET_KEY`), and stored nowhere. One that was
derived from a key in `SECRET_KEY_FALLBACKS` goes on. A replaced secret signs too for `GRACE`, so that the receiver can
change over without losing anything.
"""

import base64
import hashlib
import secrets
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce, Least
from django.utils.crypto import salted_hmac

from dialogue.desk.webhooks.signed_posts import SECRET_PREFIX
from dialogue.models import WebhookEndpoint, WebhookSecret
from dialogue.turns import clock

GRACE = timedelta(hours=24)
"""How long a replaced secret signs beside the new one."""
MAX_SECRETS = 4
"""The newest secrets sign, however often they were replaced within the grace."""
_PURPOSE = "dialogue.webhook_secret"
_ACCOUNT_PURPOSE = "dialogue.agent_requests.callback"


def endpoint_secrets(endpoint: int) -> list[str]:
    """Return the secrets with which an endpoint's deliveries are signed, the newest first."""
    return _usable_texts(_counting(WebhookSecret.objects.filter(endpoint=endpoint)))


def account_secrets(account: int) -> list[str]:
    """Return the secrets with which the agents of this account are called back, the newest first.

    An account that has never replaced its secret has the one that is derived from its number.
    """
    rows = list(_counting(WebhookSecret.objects.filter(account=account)))
    texts = _usable_texts(rows)
    first = WebhookSecret.objects.filter(account=account).order_by("pk").first()
    if first is None or first.created_at > clock.now() - GRACE:
        texts += [_derived_text(_ACCOUNT_PURPOSE, str(account), key) for key in _keys()]
    return texts


def replace_endpoint_secret(endpoint: WebhookEndpoint) -> str:
    """Create a secret and return its text; earlier ones end after `GRACE`. The caller has a transaction open."""
    return _replace(WebhookSecret.objects.filter(endpoint=endpoint), WebhookSecret(endpoint=endpoint))


def replace_account_secret(account: int) -> str:
    """As `replace_endpoint_secret`, for the agents of an account."""
    return _replace(WebhookSecret.objects.filter(account=account), WebhookSecret(account_id=account))


def _replace(earlier: QuerySet[WebhookSecret], row: WebhookSecret) -> str:
    now: datetime = clock.now()
    end = now + GRACE
    earlier.update(ends_at=Least(Coalesce(F("ends_at"), end), end))
    row.salt = secrets.token_urlsafe(32)
    text = _derived_text(_PURPOSE, row.salt, settings.SECRET_KEY)
    row.sha256, row.created_at = _digest(text), now
    row.save()
    return text


def _counting(rows: QuerySet[WebhookSecret]) -> QuerySet[WebhookSecret]:
    return rows.filter(Q(ends_at=None) | Q(ends_at__gt=clock.sql_now())).order_by("-pk")[:MAX_SECRETS]


def _usable_texts(rows: Iterable[WebhookSecret]) -> list[str]:
    """The texts of the secrets whose key is still known; a secret of a key that is gone signs nothing."""
    return [text for row in rows for text in _texts_of(row) if _digest(text) == row.sha256]


def _texts_of(row: WebhookSecret) -> Iterator[str]:
    return (_derived_text(_PURPOSE, row.salt, key) for key in _keys())


def _keys() -> list[str]:
    return [settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS)]


def _derived_text(purpose: str, salt: str, key: str) -> str:
    digest = salted_hmac(purpose, salt, secret=key, algorithm="sha256").digest()
    return f"{SECRET_PREFIX}{base64.b64encode(digest).decode()}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
