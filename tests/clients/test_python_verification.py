"""Webhooks and receipts, checked by the Python client as the installation signs them."""

import base64
import copy
import time
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dialogue.desk.sessions.receipts import canonical_json
from dialogue.desk.webhooks.signed_posts import signature_of
from soni_client import ReceiptRefused, WebhookRefused, verify_receipt, verify_webhook

SECRET, OTHER_SECRET = (f"whsec_{base64.b64encode(key).decode()}" for key in (b"a" * 32, b"b" * 32))
BODY, NOW = b'{"id": "refund-1"}', 1_800_000_000


def signed_headers(secret: str = SECRET, seconds: int = NOW, body: bytes = BODY) -> dict[str, str]:
    signature = signature_of(secret, "req_1", seconds, body)
    return {"Webhook-Id": "req_1", "Webhook-Timestamp": str(seconds), "Webhook-Signature": signature}


def test_what_the_installation_signs_is_genuine():
    assert verify_webhook(signed_headers(), BODY, SECRET, now=NOW) == {"id": "refund-1"}


def test_the_clock_of_the_machine_is_used():
    assert verify_webhook(signed_headers(seconds=int(time.time())), BODY, SECRET)


def test_one_of_several_signatures_and_one_of_several_secrets_are_enough():
    headers = signed_headers()
    headers["Webhook-Signature"] = f"v1a,x v1,??? v1,AAAA {headers['Webhook-Signature']}"

    assert verify_webhook(headers, BODY, [OTHER_SECRET, SECRET], now=NOW)


@pytest.mark.parametrize(
    ("headers", "body", "secret"),
    [
        (signed_headers(), BODY + b" ", SECRET),
        (signed_headers(), BODY, OTHER_SECRET),
        ({**signed_headers(), "Webhook-Id": "req_2"}, BODY, SECRET),
        ({**signed_headers(), "Webhook-Timestamp": str(NOW + 1)}, BODY, SECRET),
        ({**signed_headers(), "Webhook-Timestamp": "soon"}, BODY, SECRET),
        ({**signed_headers(), "Webhook-Signature": ""}, BODY, SECRET),
        ({**signed_headers(), "Webhook-Signature": "v1,ä"}, BODY, SECRET),
        (signed_headers(seconds=NOW - 301), BODY, SECRET),
        (signed_headers(seconds=NOW + 301), BODY, SECRET),
        (signed_headers(body=b"{"), b"{", SECRET),
        (signed_headers(), BODY, "whsec_?"),
        ({}, BODY, SECRET),
    ],
)
def test_anything_else_is_refused(headers: dict[str, str], body: bytes, secret: str):
    with pytest.raises(WebhookRefused):
        verify_webhook(headers, body, secret, now=NOW)


PRIVATE_KEY = Ed25519PrivateKey.generate()
PUBLIC_KEY = {"name": "k1", "public_key": PRIVATE_KEY.public_key().public_bytes_raw().hex(), "retired_at": None}
PAYLOAD = {"receipt": 1, "key": "k1", "session": "g1", "action": "approve", "decided_at": "2026-11-23T20:00:00+00:00"}


def receipt_of(payload: dict[str, Any]) -> dict[str, Any]:
    return {"payload": payload, "signature": PRIVATE_KEY.sign(canonical_json(payload)).hex()}


def test_a_receipt_that_the_installation_signed_is_genuine():
    assert verify_receipt(receipt_of(PAYLOAD), {"keys": [PUBLIC_KEY]}) == PAYLOAD


@pytest.mark.parametrize("name", PAYLOAD)
def test_every_altered_value_is_found(name: str):
    receipt = copy.deepcopy(receipt_of(PAYLOAD))
    receipt["payload"][name] = "altered"

    with pytest.raises(ReceiptRefused):
        verify_receipt(receipt, {"keys": [PUBLIC_KEY]})


def test_a_key_that_was_retired_before_the_decision_signs_nothing():
    retired = {**PUBLIC_KEY, "retired_at": "2026-11-23T19:00:00+00:00"}

    with pytest.raises(ReceiptRefused, match="retired"):
        verify_receipt(receipt_of(PAYLOAD), {"keys": [retired]})


@pytest.mark.parametrize("receipt", [None, {}, {"payload": PAYLOAD}, {"payload": PAYLOAD, "signature": "00"}])
def test_what_is_no_receipt_is_refused(receipt: Any):
    with pytest.raises(ReceiptRefused):
        verify_receipt(receipt, {"keys": [PUBLIC_KEY]})
