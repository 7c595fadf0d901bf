"""Writing and checking the chained record.

Each entry's hash covers its own content and the hash of the entry before it in the same chain, so that an altered,
dropped or moved entry breaks every hash after it. Personal text stays in a row beside the entry, of which the entry
holds only the hash: erasing the text leaves the chain whole. Where a chain ends is kept beside it, so that its newest
entries cannot be dropped unseen either.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, models

from dialogue.models import AuditDetail, AuditEntry, AuditHead, Conversation, hot_path

CONSOLE = "console"
"""The chain of acts that belong to no conversation: publishing, users, tokens."""

_START = "0" * 64
_STRIDE = 2000
"""Entries that are read at once, and told of, when chains are checked."""


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


@dataclass(frozen=True)
class Checked:
    """How far the check of one chain has come: this many entries, all whole."""

    chain: str
    entries: int


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
    hot_path.insert(entries, keys=True)
    _keep_details(
        [AuditDetail(entry=entry, text=text) for entry, text in zip(entries, details, strict=True) if text is not None]
    )
    _keep_end(name, number, previous)
    return entries


def verify(chains: Iterable[str] | None = None) -> Iterator[BrokenEntry]:
    """Yield the first broken entry of each chain; nothing when all is whole. Reads every entry, 2,000 at a time."""
    return (step for step in check(chains) if isinstance(step, BrokenEntry))


def check(chains: Iterable[str] | None = None) -> Iterator[Checked | BrokenEntry]:
    """The same with its progress: how far each chain is whole, every 2,000 entries and at its end or its fault."""
    for name in _names() if chains is None else chains:
        yield from _steps(name)


def _names() -> Iterator[str]:
    """Every chain that has entries, or had them."""
    there = AuditEntry.objects.order_by().values_list("chain", flat=True)
    return there.union(AuditHead.objects.order_by().values_list("chain", flat=True)).iterator()


def _hold(chain: UUID | str) -> None:
    """Serialise the writers of a chain; SQLite has one writer anyway."""
    if isinstance(chain, UUID):
        Conversation.objects.select_for_update().filter(pk=chain).values_list("pk").first()
    elif connection.vendor == "postgresql":  # whose end can be locked only from its second entry on
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"audit {chain}"])


def _head(chain: str) -> tuple[int, str]:
    """Where the chain ends; locked, so that the console's chain has one writer at a time too."""
    found = hot_path.fetch(AuditHead, {"chain": chain}, hot_path.locking())
    return (found[0].number, found[0].sha256) if found else (0, _START)


def _keep_details(details: list[AuditDetail]) -> None:
    if details:  # most acts hold no personal text, and an empty list goes through the ORM all the same
        AuditDetail.objects.bulk_create(details)


def _keep_end(chain: str, number: int, sha256: str) -> None:
    if not hot_path.update(AuditHead, {"chain": chain}, {"number": number, "sha256": sha256}):
        AuditHead.objects.create(chain=chain, number=number, sha256=sha256)


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


def _steps(chain: str) -> Iterator[Checked | BrokenEntry]:
    """The end is read first: what is written while this goes on comes after it."""
    end, found = _kept_end(chain), _START
    previous, whole = _START, 0
    rows: models.QuerySet[AuditEntry] = (
        AuditEntry.objects.filter(chain=chain).order_by("number").select_related("detail")
    )
    for entry in rows.iterator(_STRIDE):
        reason = _fault(entry, previous, whole + 1)
        if reason:
            yield BrokenEntry(chain, entry.number, reason)
            return
        previous, whole = entry.sha256, whole + 1
        found = previous if whole == end[0] else found
        if whole % _STRIDE == 0:
            yield Checked(chain, whole)
    yield _at_end(Checked(chain, whole), end, found)


def _at_end(checked: Checked, end: tuple[int, str], found: str) -> Checked | BrokenEntry:
    """Whether the entries go exactly as far as they were written."""
    number, sha256 = end
    if checked.entries < number:
        missing = checked.entries + 1
        return BrokenEntry(checked.chain, missing, f"entry {missing} is missing")
    if found != sha256 or checked.entries > _kept_end(checked.chain)[0]:
        return BrokenEntry(checked.chain, max(1, number), "is not what was kept as the chain's end")
    return checked


def _kept_end(chain: str) -> tuple[int, str]:
    return AuditHead.objects.filter(chain=chain).values_list("number", "sha256").first() or (0, _START)


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
