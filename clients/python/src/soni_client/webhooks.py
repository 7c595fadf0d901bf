"""Check that a webhook comes from the installation, as the specification Standard Webhooks says."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

TOLERANCE_SECONDS = 300
PREFIX = "whsec_"


class WebhookRefused(ValueError):
    """The webhook is not genuine, too old, or unreadable; the text says which. Answer it with 400."""


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes,
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> Any:
    """Return the JSON body of a genuine webhook. Raises WebhookRefused.

    `body` is the request's body as it arrived, byte for byte. While a secret is being replaced, pass both. The header
    `webhook-id` is the same in every attempt: do what a webhook says once for each id.
    """
    fields = {name.lower(): value for name, value in headers.items()}
    webhook_id, sent_at, signatures = (fields.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (webhook_id and sent_at and signatures):
        raise WebhookRefused("webhook-id, webhook-timestamp or webhook-signature is missing")
    _check_time(sent_at, tolerance_seconds, time.time() if now is None else now)
    signed = f"{webhook_id}.{sent_at}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else list(secret)
    expected = [hmac.new(_key_of(text), signed, hashlib.sha256).digest() for text in secrets]
    if not _is_one_of(expected, signatures):
        raise WebhookRefused("no signature belongs to this body and secret")
    try:
        return json.loads(body)
    except ValueError:
        raise WebhookRefused("the body is not JSON") from None


def _check_time(sent_at: str, tolerance_seconds: float, now: float) -> None:
    if not (sent_at.isascii() and sent_at.isdecimal() and len(sent_at) < 16):
        raise WebhookRefused("webhook-timestamp is not a number of seconds")
    if abs(now - int(sent_at)) > tolerance_seconds:
        raise WebhookRefused("webhook-timestamp is too far from this machine's clock")


def _key_of(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        raise WebhookRefused("the secret is not base64, as whsec_… is") from None


def _is_one_of(expected: list[bytes], signatures: str) -> bool:
    # Every pair is compared, in constant time each: the time tells nothing about where a match is.
    matches = [hmac.compare_digest(digest, signature) for signature in _digests_in(signatures) for digest in expected]
    return any(matches)


def _digests_in(signatures: str) -> list[bytes]:
    digests = []
    for text in signatures.split(" "):
        version, _comma, digest = text.partition(",")
        if version == "v1":
            try:
                digests.append(base64.b64decode(digest, validate=True))
            except (binascii.Error, ValueError):
                continue
    return digests
