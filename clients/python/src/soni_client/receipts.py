"""Check receipts of decisions without the installation; needs the extra `receipts` (the package cryptography)."""

import json
import re
from datetime import datetime, timedelta
from typing import Any

GRACE = timedelta(minutes=5)
"""Time in which a request that began before its key was retired may still sign with it."""


class ReceiptRefused(ValueError):
    """The receipt is not what the installation has signed; the text says why."""


def verify_receipt(receipt: Any, keys: Any) -> dict[str, Any]:
    """Return the payload of a genuine receipt `{payload, signature}`. Raises ReceiptRefused.

    `keys` is what `GET /api/v1/receipts/keys` answers; keep a copy from a time when you trusted it.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    payload, signature = _parts_of(receipt)
    key = next((key for key in keys["keys"] if key["name"] == payload.get("key")), None)
    if key is None:
        raise ReceiptRefused("it names a key that the installation does not have")
    signed = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode("ascii")
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["public_key"])).verify(signature, signed)
    except InvalidSignature:
        raise ReceiptRefused("the signature does not belong to this payload") from None
    if key["retired_at"] and datetime.fromisoformat(payload["decided_at"]) > _end_of(key):
        raise ReceiptRefused("it was decided after its key had been retired")
    return payload


def _parts_of(receipt: Any) -> tuple[dict[str, Any], bytes]:
    if not isinstance(receipt, dict) or set(receipt) != {"payload", "signature"}:
        raise ReceiptRefused("a receipt has a payload and a signature, and nothing else")
    payload, signature = receipt["payload"], receipt["signature"]
    if not isinstance(payload, dict) or payload.get("receipt") != 1:
        raise ReceiptRefused("this is no receipt of version 1")
    if not isinstance(signature, str) or not re.fullmatch(r"[0-9a-f]{128}", signature):
        raise ReceiptRefused("the signature has another form")
    return payload, bytes.fromhex(signature)


def _end_of(key: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(key["retired_at"]) + GRACE
