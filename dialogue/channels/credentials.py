"""Credentials of connections: what others gave us is stored encrypted, what we choose is derived and stored nowhere.

Both depend on the installation's key (`SECRET_KEY`); a key in `SECRET_KEY_FALLBACKS` still opens and verifies.
"""

import base64
import json
from collections.abc import Mapping

from django.conf import settings
from django.utils.crypto import salted_hmac

_SEAL_PURPOSE = "dialogue.channels.sealed"
_SECRET_PURPOSE = "dialogue.channels.secret"


class CredentialsLost(Exception):
    """The credentials were encrypted with a key that this installation no longer has."""


def seal(values: Mapping[str, str]) -> str:
    """Encrypt settings of a connection for the database; "" for a connection without any."""
    if not values:
        return ""
    from cryptography.fernet import Fernet  # a second of imports that most processes do not need

    return Fernet(_seal_key(settings.SECRET_KEY)).encrypt(json.dumps(dict(values)).encode()).decode()


def unseal(text: str) -> dict[str, str]:
    """Return what `seal` encrypted. Raises CredentialsLost."""
    from cryptography.fernet import Fernet, InvalidToken, MultiFernet

    if not text:
        return {}
    try:
        plain = MultiFernet([Fernet(_seal_key(key)) for key in _keys()]).decrypt(text.encode())
    except InvalidToken:
        raise CredentialsLost from None
    values: dict[str, str] = json.loads(plain)
    return values


def secrets_of(salt: str) -> list[str]:
    """Return the secrets that requests of a connection are verified with, the newest first.

    Each has 43 letters, digits, `-` and `_`.
    """
    return [_text(salted_hmac(_SECRET_PURPOSE, salt, secret=key, algorithm="sha256").digest()) for key in _keys()]


def _keys() -> list[str]:
    return [settings.SECRET_KEY, *map(str, settings.SECRET_KEY_FALLBACKS)]


def _seal_key(key: str) -> bytes:
    return base64.urlsafe_b64encode(salted_hmac(_SEAL_PURPOSE, "", secret=key, algorithm="sha256").digest())


def _text(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
