"""Signed tokens that say who a customer is: JSON Web Tokens (RFC 7519) with HMAC SHA-256, checked strictly.

There is one algorithm, so a token cannot choose a weaker one. `exp`, `aud` and `sub` are required, and critical
headers (RFC 7515, 4.1.11) refuse the token. Each configured secret is tried, so that one can be replaced by another.
"""

import binascii
import hmac
from base64 import b64decode
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from dialogue.conf import soni
from dialogue.engine.source.json import JsonRefused, read_json
from dialogue.turns import clock

MAX_TOKEN_CHARACTERS = 8 * 1024
MAX_REFERENCE_CHARACTERS = 200
LEEWAY_SECONDS = 30
"""How far the signer's clock may differ from ours."""
MIN_SECRET_BYTES = 32
REGISTERED_CLAIMS = frozenset({"iss", "sub", "aud", "exp", "nbf", "iat", "jti"})


class TokenRefused(ValueError):
    """The token does not say who the customer is; the message says why."""


@dataclass(frozen=True)
class SignedUser:
    """The customer whom a token names: `reference` is its `sub`, `claims` are the claims that no standard defines."""

    reference: str
    claims: dict[str, Any] = field(default_factory=dict)


def read_user_token(token: str) -> SignedUser:
    """Return the customer whom the token names. Raises TokenRefused."""
    signed_part, signature = _split_token(token)
    if not _is_signed(signed_part, signature):
        raise TokenRefused(_("The signature of the token is not one of ours."))
    header, claims = (_decode_json(part) for part in signed_part.split("."))
    if header.get("alg") != "HS256" or "crit" in header:
        raise TokenRefused(_("Sign the token with HS256, without critical headers."))
    _check_times(claims)
    _check_audience(claims)
    own_claims = {name: claims[name] for name in sorted(claims.keys() - REGISTERED_CLAIMS)}
    return SignedUser(_reference_of(claims), own_claims)


def _split_token(token: str) -> tuple[str, bytes]:
    parts = token.split(".")
    if len(token) > MAX_TOKEN_CHARACTERS or len(parts) != 3 or not token.isascii():
        raise TokenRefused(_("This is no JSON Web Token."))
    return ".".join(parts[:2]), _decode(parts[2])


def _is_signed(signed_part: str, signature: bytes) -> bool:
    secrets = [secret.encode() for secret in soni.USER_TOKEN_SECRETS]
    if not secrets or min(map(len, secrets)) < MIN_SECRET_BYTES:
        raise TokenRefused(_("This installation takes no tokens: it has no secrets, or one that is too short."))
    expected = (hmac.digest(secret, signed_part.encode(), "sha256") for secret in secrets)
    return any(hmac.compare_digest(signature, digest) for digest in expected)


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


def _check_audience(claims: dict[str, Any]) -> None:
    audience = claims.get("aud")
    if soni.USER_TOKEN_AUDIENCE not in (audience if isinstance(audience, list) else [audience]):
        raise TokenRefused(_("The token is for another audience. Write `aud`: %s.") % soni.USER_TOKEN_AUDIENCE)
