"""Erasure of a conversation: deletes all that was said, understood, decided and done in it.

The conversation's empty row and its audit chain stay; the chain's entries hold no personal text, and the rows with the
personal details are deleted. A worker that runs a turn meanwhile loses the lease, and so writes nothing.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db import connection, models, transaction
from django.db.models import F, Q

from dialogue.audit import chain
from dialogue.audit.chain import Act
from dialogue.desk.access.people import Person
from dialogue.models import (
    AuditDetail,
    Conversation,
    DemoHold,
    DemoPayment,
    Event,
    HITLSession,
    Message,
    NLUProgram,
    NLURun,
    Turn,
)
from dialogue.turns import clock
from dialogue.turns.accept import ConversationNotFound, storable_value
from dialogue.turns.checkpointer import forget_thread
from dialogue.turns.files.contents import delete_files
from dialogue.turns.live import notify

MIN_LINE_CHARACTERS = 8
"""Shorter lines are not searched for in programs and reports: many people write them."""


@dataclass
class ErasedRows:
    """The number of deleted rows by model name."""

    rows: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in sorted(self.rows.items())) or "nothing"

    def delete(self, rows: models.QuerySet[models.Model]) -> None:
        """Delete these rows and the rows that depend on them."""
        _, counted = rows.delete()
        for label, count in counted.items():
            name = label.rpartition(".")[2]
            self.rows[name] = self.rows.get(name, 0) + count


def erase_conversation(conversation: UUID, person: Person, reason: str) -> ErasedRows:
    """Erase everything personal of the conversation in one transaction; a second call changes nothing more.

    The caller checks the permission. Raises ConversationNotFound.
    """
    with transaction.atomic():
        row = Conversation.objects.select_for_update().filter(pk=conversation).first()
        if row is None:
            raise ConversationNotFound(conversation)
        erased = ErasedRows()
        _erase_forks(row, erased)
        _erase_rows(row, erased)
        _clear_row(row)
        facts, detail = {"rows": sum(erased.rows.values())}, {"reason": storable_value(reason)}
        act = Act("conversation.erased", person.name, person.account, facts=facts, detail=detail)
        chain.record(row.pk, [act], clock.now(), is_locked=True)
        transaction.on_commit(lambda: notify.notify_conversation(conversation), robust=True)
        transaction.on_commit(notify.notify_inbox, robust=True)
    return erased


def vacuum_database() -> None:
    """Overwrite deleted rows in the SQLite file and its write-ahead log. PostgreSQL vacuums by itself."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM")
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _erase_forks(row: Conversation, erased: ErasedRows) -> None:
    """Erase the test conversations that were made from it: they hold the same words."""
    forks = Conversation.objects.select_for_update(of=("self",)).filter(trial__origin=row)
    for fork in list(forks):  # locked, so that no turn of theirs is committed in between
        _erase_forks(fork, erased)
        _erase_rows(fork, erased)
        _clear_row(fork)


def _erase_rows(row: Conversation, erased: ErasedRows) -> None:
    """Delete rows before the rows that they point at, and then every other relation that cascades."""
    if deleted_files := delete_files(row.files.all()):
        erased.rows["UploadedFile"] = erased.rows.get("UploadedFile", 0) + deleted_files
    texts = row.messages.filter(role=Message.Role.USER).values_list("text", flat=True)
    lines = [line for line in texts if len(line) >= MIN_LINE_CHARACTERS]
    erased.delete(_runs_with(row, lines))
    erased.delete(_programs_with(row, lines))
    erased.delete(AuditDetail.objects.filter(entry__chain=str(row.pk)))
    erased.delete(Message.objects.filter(Q(turn__isnull=False) | Q(reply_to__isnull=False), conversation=row))
    erased.delete(Turn.objects.filter(conversation=row))
    erased.delete(Event.objects.filter(conversation=row))
    erased.delete(Message.objects.filter(conversation=row))
    erased.delete(HITLSession.objects.filter(conversation=row))
    for relation in Conversation._meta.related_objects:
        if relation.on_delete is models.CASCADE:
            erased.delete(relation.related_model._base_manager.filter(**{relation.field.name: row}))
    forget_thread(str(row.pk))
    for demo in (DemoPayment, DemoHold):
        erased.delete(demo.objects.filter(key__startswith=f"{row.pk}/"))


def _programs_with(row: Conversation, lines: Iterable[str]) -> models.QuerySet[NLUProgram]:
    """Programs that learned from one of these lines, or were measured with one; where one of them serves, the built-in
    one takes over."""
    programs = NLUProgram.objects.filter(assistant=row.assistant_id)
    texts = {
        pk: f"{text}{json.dumps(rest)}"
        for pk, text, *rest in programs.values_list("pk", "artefact", "scores", "baseline")
    }
    return programs.filter(pk__in=_keys_containing(texts, lines))


def _runs_with(row: Conversation, lines: Iterable[str]) -> models.QuerySet[NLURun]:
    """Measurements whose reports show one of these lines."""
    runs = NLURun.objects.filter(assistant=row.assistant_id)
    texts = {pk: json.dumps(report) for pk, report in runs.values_list("pk", "report")}
    return runs.filter(pk__in=_keys_containing(texts, lines))


def _keys_containing(texts: Mapping[int, str], lines: Iterable[str]) -> list[int]:
    searched_lines = list(lines)
    return [
        pk
        for pk, text in texts.items()
        if any((line in text or json.dumps(line)[1:-1] in text) for line in searched_lines)
    ]


def _clear_row(row: Conversation) -> None:
    """Clear the personal fields of the row; the new epoch ends the lease of a running turn."""
    Conversation.objects.filter(pk=row.pk).update(
        state=row.state if row.state in Conversation.OVER else Conversation.State.CANCELLED,
        explicit="idle",
        user=None,
        user_ref="",
        vouched=False,
        origin="",
        metadata={},
        opening={},
        stack=[],
        token_sha256="",
        idle_until=None,
        last_message=0,
        last_event=0,
        last_turn=0,
        epoch=F("epoch") + 1,
        lease_owner="",
        lease_until=None,
        erased_at=clock.now(),
    )
