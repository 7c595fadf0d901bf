"""Write and verify the audit trail, a hash chain.

The hash of an entry covers its content and the hash of the entry before it in the same chain, so that an altered,
dropped or moved entry breaks every hash after it. Personal text is stored in a row of its own, and the entry holds only
its hash: erasing the text leaves the chain valid. The end of each chain is stored too, so that its newest entries
cannot be dropped unnoticed.
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
"""The chain of acts outside of conversations: publishing, users, tokens."""

_FIRST_HASH = "0" * 64
_BATCH_ENTRIES = 2000
"""Entries that a check reads at once; it reports its progress after each batch."""


@dataclass(frozen=True)
class Act:
    """Something that was done. `facts` hold no personal text; `detail` may, and can be erased."""

    act: str
    actor: str
    actor_id: int | None = None
    subject: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    detail: dict[str, Any] | None = None


@dataclass(frozen=True)
class BrokenEntry:
    """The first entry of a chain that does not verify, and the reason."""

    chain: str
    number: int
    reason: str

    def __str__(self) -> str:
        return f"chain {self.chain}, entry {self.number}: {self.reason}"


@dataclass(frozen=True)
class CheckProgress:
    """Progress of the check of one chain: the number of entries that are valid so far."""

    chain: str
    entries: int


def record(chain: UUID | str, acts: Iterable[Act], at: datetime, *, is_locked: bool = False) -> list[AuditEntry]:
    """Append `acts` to a chain, within the caller's open transaction, and return the entries.

    `chain` is a conversation's id or a name such as `CONSOLE`. `is_locked`: the caller has already locked the
    conversation's row.
    """
    if not is_locked:
        lock_chain(chain)
    head = next(iter(hot_path.fetch_all([end_of(chain)])[0]), (None, None))[0]
    return append(chain, head, acts, at)


def end_of(chain: UUID | str) -> hot_path.Query:
    """Return the query of the end of a chain, which locks its row until the end of the transaction."""
    return hot_path.Query(AuditHead, {"chain": str(chain)}, hot_path.for_update())


def append(chain: UUID | str, head: AuditHead | None, acts: Iterable[Act], at: datetime) -> list[AuditEntry]:
    """Append `acts` behind `head`, which `end_of` found in this transaction; None for a chain without entries."""
    name = str(chain)
    number, previous = (head.number, head.sha256) if head else (0, _FIRST_HASH)
    entries, details = [], []
    for act in acts:
        number += 1
        entry = _build_entry(name, number, act, at, previous)
        entries.append(entry)
        details.append(act.detail)
        previous = entry.sha256
    # Only entries with personal text need their keys, and most acts have none.
    personal_texts = [(entry, text) for entry, text in zip(entries, details, strict=True) if text is not None]
    hot_path.insert(entries, returning_keys=bool(personal_texts))
    if personal_texts:
        AuditDetail.objects.bulk_create(AuditDetail(entry=entry, text=text) for entry, text in personal_texts)
    if head:
        hot_path.update_later(AuditHead, {"chain": name}, {"number": number, "sha256": previous})
    else:
        hot_path.insert([AuditHead(chain=name, number=number, sha256=previous)])
    return entries


def lock_chain(chain: UUID | str) -> None:
    """Serialise the writers of a chain until the end of the open transaction. SQLite has one writer anyway."""
    if isinstance(chain, UUID):
        Conversation.objects.select_for_update().filter(pk=chain).values_list("pk").first()
    elif connection.vendor == "postgresql":  # the row of its end exists only after the first entry
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"audit {chain}"])


def verify(chains: Iterable[str] | None = None) -> Iterator[BrokenEntry]:
    """Yield the first broken entry of each chain; nothing if all are valid. Reads every entry in batches."""
    return (step for step in check(chains) if isinstance(step, BrokenEntry))


def check(chains: Iterable[str] | None = None) -> Iterator[CheckProgress | BrokenEntry]:
    """Verify the chains and yield the progress: after every batch, and at the end of each chain or at its fault."""
    for chain in _chain_names() if chains is None else chains:
        yield from _check_chain(chain)


def _chain_names() -> Iterator[str]:
    """Every chain that has entries, or had them: a chain whose entries were all dropped still has its end."""
    entry_chains = AuditEntry.objects.order_by().values_list("chain", flat=True)
    return entry_chains.union(AuditHead.objects.order_by().values_list("chain", flat=True)).iterator()


def _build_entry(chain: str, number: int, act: Act, at: datetime, previous: str) -> AuditEntry:
    entry = AuditEntry(
        chain=chain,
        number=number,
        at=at,
        actor=act.actor,
        actor_id=act.actor_id,
        act=act.act,
        subject=act.subject,
        facts=act.facts,
        detail_sha256=_json_hash(act.detail) if act.detail is not None else "",
        previous_sha256=previous,
    )
    entry.sha256 = _entry_hash(entry)
    return entry


def _entry_hash(entry: AuditEntry) -> str:
    return _json_hash(
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


def _json_hash(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _check_chain(chain: str) -> Iterator[CheckProgress | BrokenEntry]:
    """Verify one chain. Its end is read first, so that entries written meanwhile come after it."""
    end, hash_at_end = _stored_end(chain), _FIRST_HASH
    previous, verified = _FIRST_HASH, 0
    rows: models.QuerySet[AuditEntry] = (
        AuditEntry.objects.filter(chain=chain).order_by("number").select_related("detail")
    )
    for entry in rows.iterator(_BATCH_ENTRIES):
        reason = _find_fault(entry, previous, verified + 1)
        if reason:
            yield BrokenEntry(chain, entry.number, reason)
            return
        previous, verified = entry.sha256, verified + 1
        hash_at_end = previous if verified == end[0] else hash_at_end
        if verified % _BATCH_ENTRIES == 0:
            yield CheckProgress(chain, verified)
    yield _check_end(CheckProgress(chain, verified), end, hash_at_end)


def _check_end(progress: CheckProgress, end: tuple[int, str], hash_at_end: str) -> CheckProgress | BrokenEntry:
    """The last step of a check: compare the entries with the stored end of the chain."""
    number, sha256 = end
    if progress.entries < number:
        missing = progress.entries + 1
        return BrokenEntry(progress.chain, missing, f"entry {missing} is missing")
    # Entries behind the stored end were not written by `record`. The end is read again: it may have moved meanwhile.
    if hash_at_end != sha256 or progress.entries > _stored_end(progress.chain)[0]:
        return BrokenEntry(progress.chain, max(1, number), "does not match the stored end of the chain")
    return progress


def _stored_end(chain: str) -> tuple[int, str]:
    return AuditHead.objects.filter(chain=chain).values_list("number", "sha256").first() or (0, _FIRST_HASH)


def _find_fault(entry: AuditEntry, previous: str, expected: int) -> str:
    if entry.number != expected:
        return f"entry {expected} is missing"
    if entry.previous_sha256 != previous:
        return "does not follow the entry before it"
    if entry.sha256 != _entry_hash(entry):
        return "was altered"
    detail = getattr(entry, "detail", None)
    if detail is not None and _json_hash(detail.text) != entry.detail_sha256:
        return "its personal text was altered"
    return ""
