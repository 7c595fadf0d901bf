"""Check a receipt of a decision: python verify_receipt.py RECEIPT.json KEYS.json

RECEIPT.json holds {"payload": {…}, "signature": "…"}; KEYS.json is what /api/v1/receipts/keys answers. Keep a copy of
the keys from a time when you trusted them. Needs Python 3.11 and the package cryptography, and nothing else.
"""

import json
import re
import sys
from datetime import datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

GRACE = timedelta(minutes=5)
"""Time in which a request that began before its key was retired may still sign with it."""


class Forged(Exception):
    """The receipt is not what the installation has signed; the text says why."""


def canonical(value: Any) -> bytes:
    """JSON with sorted keys, without blanks, in ASCII: what the signature is over."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def verify(receipt: Any, keys: Any) -> dict[str, Any]:
    """Return the payload of a genuine receipt. Raises Forged."""
    if not isinstance(receipt, dict) or set(receipt) != {"payload", "signature"}:
        raise Forged("a receipt has a payload and a signature, and nothing else")
    payload, signature = receipt["payload"], receipt["signature"]
    if not isinstance(payload, dict) or payload.get("receipt") != 1:
        raise Forged("this is no receipt of version 1")
    if not isinstance(signature, str) or not re.fullmatch(r"[0-9a-f]{128}", signature):
        raise Forged("the signature has another form")
    key = next((key for key in keys["keys"] if key["name"] == payload.get("key")), None)
    if key is None:
        raise Forged("it names a key that the installation does not have")
    public_key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key["public_key"]))
    try:
        public_key.verify(bytes.fromhex(signature), canonical(payload))
    except InvalidSignature:
        raise Forged("the signature does not belong to this payload") from None
    if key["retired_at"] and datetime.fromisoformat(payload["decided_at"]) > _end_of(key):
        raise Forged("it was decided after its key had been retired")
    return payload


def _end_of(key: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(key["retired_at"]) + GRACE


def read_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that occurs twice: readers disagree about which one counts."""
    if len({name for name, _value in pairs}) < len(pairs):
        raise Forged("a key occurs twice")
    return dict(pairs)


def main(receipt_file: str, keys_file: str) -> int:
    """Print what was decided, or why the receipt does not count."""
    try:
        with open(receipt_file, encoding="utf-8") as receipt, open(keys_file, encoding="utf-8") as keys:
            payload = verify(json.load(receipt, object_pairs_hook=read_once), json.load(keys))
    except OSError as error:
        print(f"CANNOT BE READ: {error}")
        return 2
    except (Forged, ValueError, KeyError) as error:
        print(f"FORGED: {error}")
        return 1
    who, when = payload["decided_by"] or payload["permission"], payload["decided_at"]
    print(f"GENUINE: {payload['session']} “{payload['question']}”: {payload['action']} by {who} at {when}")
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python verify_receipt.py RECEIPT.json KEYS.json")
    sys.exit(main(*sys.argv[1:]))
