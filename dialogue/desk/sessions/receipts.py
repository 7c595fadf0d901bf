"""Receipts: signed statements of what was decided, which others can check without our code and our database.

A receipt is `{"payload": {…}, "signature": hex}`. The signature (Ed25519) is over the payload as JSON with sorted keys,
without blanks, in ASCII. `docs/verify_receipt.py` is a whole verifier.
"""

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.conf import soni
from dialogue.desk.access.people import DECIDE, SUPERVISE
from dialogue.desk.forms import refusals
from dialogue.models import AuditEntry, HITLSession, ReceiptKey
from dialogue.turns import clock
from dialogue.turns.live.serializers import listed_title

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

VERSION = 1
_PURPOSE = "dialogue.receipt_key"
_DECISION_ACTS = (
    "session.submit",
    "session.hand_back",
    "session.expire",
    "session.cancel",
    "session.cancelled",
)
_AGREEMENT_ACT = "session.agree"
Plain = dict[str, Any]


def receipt_of(session: HITLSession) -> Plain | None:
    """Return the receipt of a decision; None while there is none, and for a session that its conversation ended."""
    entry = _entries(session, _DECISION_ACTS).last()
    if session.state not in HITLSession.FINAL or entry is None or session.decided_at is None:
        return None
    key, private_key = _signing_key()
    payload = {
        "receipt": VERSION,
        "key": key.name,
        "installation": soni.PUBLIC_URL,
        "session": session.name,
        "id": str(session.uid),
        "question": listed_title(session),
        "flow": session.flow,
        "step": session.step,
        "release_sha256": session.release.sha256,
        "form_sha256": digest_of([session.schema, session.actions]),
        "shown_sha256": digest_of(session.shown),
        "sent_sha256": digest_of([session.handle, session.values, session.reason]),
        "state": session.state,
        "action": session.handle,
        "decided_by": refusals.decider_name(session),
        "account": session.decided_by_id,
        "permission": _permission_of(session),
        "through": session.decided_through,
        **({"token": entry.facts["token"]} if "token" in entry.facts else {}),
        "decided_at": session.decided_at.isoformat(),
        **({"agreed": agreed} if (agreed := _agreements(session)) else {}),
        "chain": {"name": entry.chain, "number": entry.number, "sha256": entry.sha256},
    }
    return {"payload": payload, "signature": private_key.sign(canonical_json(payload)).hex()}


def has_receipt(session: HITLSession) -> bool:
    """Whether `receipt_of` returns one; nothing is signed."""
    is_decided = session.state in HITLSession.FINAL and session.decided_at is not None
    return is_decided and _entries(session, _DECISION_ACTS).exists()


def canonical_json(value: Any) -> bytes:
    """Return JSON that is the same for the same value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a value as canonical JSON."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def public_keys() -> list[Plain]:
    """Return every key that has signed, as its address shows them: {name, public_key, created_at, retired_at}."""
    _signing_key()
    return [
        {
            "name": key.name,
            "public_key": key.public_key,
            "created_at": key.created_at.isoformat(),
            "retired_at": key.retired_at.isoformat() if key.retired_at else None,
        }
        for key in ReceiptKey.objects.all()
    ]


def ensure_key() -> None:
    """Create the first key, so that it is older than the decisions that it signs. Servers do this at their start.

    Several may start at the same moment: one of them creates it.
    """
    if not _active_keys().exists():
        _first_key()


@transaction.atomic
def rotate_key() -> ReceiptKey:
    """Retire the key that signs, and create the next. What it has signed stays valid."""
    chain.lock_chain(CONSOLE)
    at = clock.now()
    _active_keys().update(retired_at=at)
    name, salt = secrets.token_hex(8), secrets.token_hex(32)
    public_key = _private_key(salt).public_key().public_bytes_raw().hex()
    key = ReceiptKey.objects.create(name=name, salt=salt, public_key=public_key, created_at=at)
    chain.record(CONSOLE, [Act("receipt_key.made", "clock", subject=f"receipt key {name}")], at)
    return key


def _signing_key() -> "tuple[ReceiptKey, Ed25519PrivateKey]":
    """Return the key that signs now; a new one where there is none, or where `SECRET_KEY` is another one since then."""
    key = _active_keys().last() or _first_key()
    private_key = _private_key(key.salt)
    if private_key.public_key().public_bytes_raw().hex() != key.public_key:
        key = rotate_key()
        private_key = _private_key(key.salt)
    return key, private_key


def _active_keys() -> QuerySet[ReceiptKey]:
    """Return the key that signs; nothing before the first one."""
    return ReceiptKey.objects.filter(retired_at=None)


@transaction.atomic
def _first_key() -> ReceiptKey:
    """Return the key that signs, and create it unless another process has done so meanwhile."""
    chain.lock_chain(CONSOLE)
    return _active_keys().last() or rotate_key()


def _private_key(salt: str) -> "Ed25519PrivateKey":
    # The library is loaded when something is signed, not at start.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    seed = salted_hmac(_PURPOSE, salt, secret=settings.SECRET_KEY, algorithm="sha256").digest()
    return Ed25519PrivateKey.from_private_bytes(seed)


def _agreements(session: HITLSession) -> list[Plain]:
    """Return who agreed before the one who decided, where several people have to: their names, times and places."""
    if session.people_required < 2 or session.state != HITLSession.State.SUBMITTED:
        return []
    return [
        {"by": entry.actor, "account": entry.actor_id, "at": entry.at.isoformat(), "number": entry.number}
        for entry in _entries(session, [_AGREEMENT_ACT])
        if entry.facts.get("action") == session.handle
    ]


def _entries(session: HITLSession, acts: Sequence[str]) -> QuerySet[AuditEntry]:
    entries = AuditEntry.objects.filter(chain=str(session.conversation_id), subject=session.name, act__in=acts)
    return entries.order_by("number")


def _permission_of(session: HITLSession) -> str:
    """Return by which right it was decided."""
    if session.decided_through in ("link", "sweep"):
        return {"link": "answer link", "sweep": "deadline"}[session.decided_through]
    return SUPERVISE if session.state == HITLSession.State.CANCELLED else DECIDE
