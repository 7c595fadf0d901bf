"""Writing and checking the chained record.

Each entry's hash covers its own content and the hash of the entry before it in the same chain, so that an altered,
dropped or moved entry breaks every hash after it. Personal text stays in a row beside the entry, of which the entry
holds only the hash: erasing the text leaves the chain whole.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models

from dialogue.models import AuditDetail, AuditEntry, Conversation

CONSOLE = "console"
"""The chain of acts that belong to no conversation: publishing, users, tokens."""

_START = "0" * 64


@dataclass(frozen=True)
class Act:
    """Something that was done: `facts` hold no personal text, `detail` does."""

    act: str
    actor: str
    actor_id: int | None = None
    subject: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    detail: dict[str, Any] | None = None


@dataclass(frozen=True)
class BrokenEntry:
    """The first entry of a chain that does not verify, and why."""

    chain: str
    number: int
    reason: str

    def __str__(self) -> str:
        return f"chain {self.chain}, entry {self.number}: {self.reason}"


def record(chain: UUID | str, acts: Iterable[Act], at: datetime, *, held: bool = False) -> list[AuditEntry]:
    """Append `acts` to a chain, inside the caller's transaction, which must be open.

    `held` says that the caller has locked the conversation's row already.
    """
    if not held:
        _hold(chain)
    name = str(chain)
    number, previous = _head(name)
    entries, details = [], []
    for act in acts:
        number += 1
        entry = _entry(name, number, act, at, previous)
        entries.append(entry)
        details.append(act.detail)
        previous = entry.sha256
    AuditEntry.objects.bulk_create(entries)
    AuditDetail.objects.bulk_create(
        AuditDetail(entry=entry, text=text) for entry, text in zip(entries, details, strict=True) if text is not None
    )
    return entries


def verify(chains: Iterable[str] | None = None) -> Iterator[BrokenEntry]:
    """Yield the first broken entry of each chain; nothing when all is whole. Reads every entry, 2,000 at a time."""
    names = AuditEntry.objects.order_by().values_list("chain", flat=True).distinct() if chains is None else chains
    for name in names:
        broken = _first_broken(name)
        if broken:
            yield broken


def _hold(chain: UUID | str) -> None:
    """Serialise writers of one conversation's chain; SQLite has one writer anyway."""
    if isinstance(chain, UUID):
        Conversation.objects.select_for_update().filter(pk=chain).values_list("pk").first()


def _head(chain: str) -> tuple[int, str]:
    last = AuditEntry.objects.filter(chain=chain).order_by("-number").values_list("number", "sha256").first()
    return last or (0, _START)


def _entry(chain: str, number: int, act: Act, at: datetime, previous: str) -> AuditEntry:
    entry = AuditEntry(
        chain=chain,
        number=number,
        at=at,
        actor=act.actor,
        actor_id=act.actor_id,
        act=act.act,
        subject=act.subject,
        facts=act.facts,
        detail_sha256=_digest(act.detail) if act.detail is not None else "",
        previous_sha256=previous,
    )
    entry.sha256 = _seal(entry)
    return entry


def _seal(entry: AuditEntry) -> str:
    return _digest(
        [
            entry.chain,
            entry.number,
            entry.at.isoformat(),
            entry.actor,
            entry.actor_id,
            entry.act,
            entry.subject,
            entry.facts,
            entry.detail_sha256,
            entry.previous_sha256,
        ]
    )


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _first_broken(chain: str) -> BrokenEntry | None:
    previous, expected = _START, 1
    rows: models.QuerySet[AuditEntry] = (
        AuditEntry.objects.filter(chain=chain).order_by("number").select_related("detail")
    )
    for entry in rows.iterator(2000):
        reason = _fault(entry, previous, expected)
        if reason:
            return BrokenEntry(chain, entry.number, reason)
        previous, expected = entry.sha256, expected + 1
    return None


def _fault(entry: AuditEntry, previous: str, expected: int) -> str:
    if entry.number != expected:
        return f"entry {expected} is missing"
    if entry.previous_sha256 != previous:
        return "does not follow the entry before it"
    if entry.sha256 != _seal(entry):
        return "was altered"
    detail = getattr(entry, "detail", None)
    if detail is not None and _digest(detail.text) != entry.detail_sha256:
        return "its personal text was altered"
    return ""
