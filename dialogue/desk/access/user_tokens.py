"""Signed tokens that say who a customer is: JSON Web Tokens (RFC 7519) with HMAC SHA-256, checked strictly.

There is one algorithm, so a token cannot choose a weaker one. `exp`, `aud` and `sub` are required, and critical
headers (RFC 7515, 4.1.11) refuse the token. Each configured secret is tried, so that one can be replaced by another.

An assistant's own signing secrets are tried too. `aud` is optional there, because the secret belongs to one assistant;
a token lives for a day at most, and one with a `jti` opens one conversation only.
"""

import binascii
import hashlib
import hmac
from base64 import b64decode
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from dialogue.conf import soni
from dialogue.desk.access.signing_secrets import tried_secrets
from dialogue.engine.source.json import JsonRefused, read_json
from dialogue.models import SigningSecret, UsedToken
from dialogue.turns import clock

MAX_TOKEN_CHARACTERS = 8 * 1024
MAX_REFERENCE_CHARACTERS = 200
LEEWAY_SECONDS = 30
"""How far the signer's clock may differ from ours."""
MAX_TOKEN_HOURS = 24
"""How far ahead a token's `exp` may be, where an assistant's own secret signed it."""
MAX_TOKEN_ID_CHARACTERS = 200
MIN_SECRET_BYTES = 32
REGISTERED_CLAIMS = frozenset({"iss", "sub", "aud", "exp", "nbf", "iat", "jti"})


class TokenRefused(ValueError):
    """The token does not say who the customer is; the message says why."""


@dataclass(frozen=True)
class SignedUser:
    """The customer whom a token names: `reference` is its `sub`, `claims` are the claims that no standard defines.

    `secret` is the assistant's secret that signed it, None for one of the installation's; `token_id` is its `jti`, and
    `expires_at` its `exp`, in seconds, where an assistant's secret signed it.
    """

    reference: str
    claims: dict[str, Any] = field(default_factory=dict)
    secret: SigningSecret | None = None
    token_id: str = ""
    expires_at: float = 0


def read_user_token(token: str, assistant: str = "") -> SignedUser:
    """Return the customer whom the token names, for a conversation with this assistant. Raises TokenRefused."""
    signed_part, signature = _split_token(token)
    secret = _signing_secret(signed_part, signature, assistant)
    header, claims = (_decode_json(part) for part in signed_part.split("."))
    if header.get("alg") != "HS256" or "crit" in header:
        raise TokenRefused(_("Sign the token with HS256, without critical headers."))
    _check_times(claims)
    own_claims = {name: claims[name] for name in sorted(claims.keys() - REGISTERED_CLAIMS)}
    if secret is None:
        _check_audience(claims, soni.USER_TOKEN_AUDIENCE)
        return SignedUser(_reference_of(claims), own_claims)
    if "aud" in claims:
        _check_audience(claims, assistant, soni.USER_TOKEN_AUDIENCE)
    _check_lifetime(claims["exp"])
    return SignedUser(_reference_of(claims), own_claims, secret, _token_id(claims), claims["exp"])


def count_token_use(customer: SignedUser) -> None:
    """Store that the token opens a conversation, in the transaction that opens it.

    Raises TokenRefused for a token with `jti` that opened one before, and where its secret was revoked meanwhile.
    """
    if customer.secret is None:
        return
    now = clock.now()
    if not SigningSecret.objects.filter(pk=customer.secret.pk, revoked_at=None).update(used_at=now):
        raise TokenRefused(_revoked_text())
    if not customer.token_id:
        return
    UsedToken.objects.filter(secret=customer.secret, expires_at__lt=now).delete()
    expires_at = datetime.fromtimestamp(customer.expires_at, UTC) + timedelta(seconds=LEEWAY_SECONDS)
    digest = hashlib.sha256(customer.token_id.encode()).hexdigest()
    _row, is_first_use = UsedToken.objects.get_or_create(
        secret=customer.secret, sha256=digest, defaults={"expires_at": expires_at}
    )
    if not is_first_use:
        raise TokenRefused(_("The token was used before, and its `jti` makes it good for one use. Sign a new one."))


def _split_token(token: str) -> tuple[str, bytes]:
    parts = token.split(".")
    if len(token) > MAX_TOKEN_CHARACTERS or len(parts) != 3 or not token.isascii():
        raise TokenRefused(_("This is no JSON Web Token."))
    return ".".join(parts[:2]), _decode(parts[2])


def _signing_secret(signed_part: str, signature: bytes, assistant: str) -> SigningSecret | None:
    """The assistant's secret that signed this; None for one of the installation's. Raises TokenRefused."""

    def signs(secret: bytes) -> bool:
        return hmac.compare_digest(signature, hmac.digest(secret, signed_part.encode(), "sha256"))

    installation_secrets = [secret.encode() for secret in soni.USER_TOKEN_SECRETS]
    is_usable = bool(installation_secrets) and min(map(len, installation_secrets)) >= MIN_SECRET_BYTES
    if is_usable and any(signs(secret) for secret in installation_secrets):
        return None
    own_secrets = list(tried_secrets(assistant)) if assistant else []
    if not own_secrets and not is_usable:
        raise TokenRefused(
            _("There is no secret with which this token could be signed. Create one on the page Integrate.")
        )
    row = next((row for row, secret in own_secrets if signs(secret)), None)
    if row is None:
        raise TokenRefused(_("The signature of the token is not one of ours."))
    if row.revoked_at is not None:
        raise TokenRefused(_revoked_text())
    if row.ends_at is not None and row.ends_at <= clock.now():
        raise TokenRefused(_("The secret that signed the token was replaced. Sign with the newer one."))
    return row


def _revoked_text() -> str:
    return _("The secret that signed the token was revoked. Sign with a secret that counts.")


def _decode(part: str) -> bytes:
    try:
        return b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise TokenRefused(_("This is no JSON Web Token.")) from None


def _decode_json(part: str) -> dict[str, Any]:
    try:
        plain = read_json(_decode(part))
    except JsonRefused:
        plain = None
    if not isinstance(plain, dict):
        raise TokenRefused(_("This is no JSON Web Token."))
    return plain


def _reference_of(claims: dict[str, Any]) -> str:
    reference = claims.get("sub")
    if isinstance(reference, str) and 0 < len(reference) <= MAX_REFERENCE_CHARACTERS and reference.isprintable():
        return reference
    raise TokenRefused(_("The token needs the customer's reference as `sub`."))


def _check_times(claims: dict[str, Any]) -> None:
    now = clock.now().timestamp()
    if not _is_number(claims.get("exp")) or claims["exp"] <= now - LEEWAY_SECONDS:
        raise TokenRefused(_("The token has expired, or does not say when it expires (`exp`)."))
    if any(name in claims and not _begins_before(claims[name], now + LEEWAY_SECONDS) for name in ("nbf", "iat")):
        raise TokenRefused(_("The token is not valid yet."))


def _begins_before(moment: Any, now: float) -> bool:
    return _is_number(moment) and moment <= now


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_audience(claims: dict[str, Any], *own_names: str) -> None:
    audience = claims.get("aud")
    if not set(own_names) & {name for name in _list_of(audience) if isinstance(name, str)}:
        raise TokenRefused(_("The token is for another audience. Write `aud`: %s.") % own_names[0])


def _list_of(audience: Any) -> list[Any]:
    return audience if isinstance(audience, list) else [audience]


def _check_lifetime(expires_at: float) -> None:
    if expires_at > clock.now().timestamp() + MAX_TOKEN_HOURS * 3600 + LEEWAY_SECONDS:
        text = _("The token counts for too long. Write an `exp` of at most %s hours from now.")
        raise TokenRefused(text % MAX_TOKEN_HOURS)


def _token_id(claims: dict[str, Any]) -> str:
    token_id = claims.get("jti", "")
    if isinstance(token_id, str) and len(token_id) <= MAX_TOKEN_ID_CHARACTERS and token_id.isprintable():
        return token_id
    raise TokenRefused(_("The token's `jti` is a text of at most %s characters.") % MAX_TOKEN_ID_CHARACTERS)
