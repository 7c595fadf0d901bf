"""The audit record in the console: list with filters, one entry, export and verification."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.text import capfirst
from django.utils.translation import get_language
from django.views.decorators.http import require_GET

from dialogue.audit import chain
from dialogue.audit.chain import CONSOLE, Act
from dialogue.audit.export import FORMATS, chains_of_tests
from dialogue.audit.report import report_in
from dialogue.audit.streaming import stream_lines
from dialogue.desk.access.people import Person, visible_sessions
from dialogue.desk.access.redaction import redactor_for
from dialogue.desk.queue.keyset import NotOffered, Page, keyset_page_of_parts
from dialogue.models import Assistant, AuditDetail, AuditEntry, Conversation, HITLSession
from dialogue.models.account import accounts, display_name
from dialogue.turns import clock
from dialogue.turns.live.serializers import redacted_record
from dialogue.turns.live.titles import listed_title_for_reader
from dialogue.turns.live.values_at_stake import SEPARATOR, summary_line
from dialogue.web.audit.facts import EMPTY, FactRow, account_number, fact_rows
from dialogue.web.audit.filters import CHIP_TITLES, CHOICES, AuditFilters, FilterNotOffered
from dialogue.web.audit.words import (
    AuditRow,
    LinkedRows,
    act_text,
    assistant_names,
    audit_row,
    definition_of,
    gate_numbers,
)
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_export_audit, may_see_audit, sees_every_audit_entry
from dialogue.web.shared.scope import visible_conversations

PAGE_ROWS = 50
ORDER = ("-at", "-id")
VERIFIED = "audit.verified"
"""The act of who started a check."""


@needs(may_see_audit)
@require_GET
def audit_list(request: HttpRequest) -> HttpResponse:
    """The newest entries first: of everybody for auditors and supervisors, the own ones for others."""
    person, filters = person_of_request(request), _filters(request)
    page = _page(person, filters, request.GET.get("after", ""))
    rows = rows_in_words(page.rows, person)
    facts = {
        "rows": rows,
        "names_channels": any(row.channel for row in rows),
        "next": page.next,
        "filters": filters,
        "chosen_act": act_text(filters.act),
        "chips": _chips(filters, person),
        "exports": may_export_audit(person),
        "own_only": not sees_every_audit_entry(person),
    }
    return render(request, "dialogue/audit/list.html", facts)


@needs(may_see_audit)
@require_GET
def audit_entry(request: HttpRequest, entry: int) -> HttpResponse:
    """One entry with its facts, its hashes and its personal text, which auditors read masked."""
    person = person_of_request(request)
    row = get_object_or_404(visible_entries(person).select_related("detail"), pk=entry)
    return render(request, "dialogue/audit/entry.html", entry_in_words(row, person))


@needs(may_export_audit)
@require_GET
def export(request: HttpRequest, ending: str) -> HttpResponseBase:
    """Download everything that the list shows with its filters. Raises Http404 for another format."""
    if ending not in FORMATS:
        raise Http404
    filters = _filters(request)
    entries = visible_entries(person_of_request(request)).filter(filters.indexed(person_of_request(request)))
    content_type, write = FORMATS[ending]
    _record(request, "audit.exported", {"format": ending, "filters": request.GET.urlencode()[:500]})
    lines = write(entries.filter(filters.scanned()).order_by(*ORDER).iterator(2000))
    response = stream_lines(request, lines, content_type)
    response["Content-Disposition"] = f'attachment; filename="audit.{ending}"'
    return response


@needs(may_export_audit)
@require_GET
def verify(request: HttpRequest) -> HttpResponse:
    """The page that runs the verification and shows its progress."""
    person, last = person_of_request(request), AuditEntry.objects.filter(act=VERIFIED).order_by(*ORDER).first()
    return render(request, "dialogue/audit/verify.html", {"last": rows_in_words([last], person)[0] if last else None})


@needs(may_export_audit)
@require_GET
def run_check(request: HttpRequest) -> HttpResponseBase:
    """Verify every chain and stream the progress; the last line is the result."""
    _record(request, VERIFIED, {})
    return stream_lines(request, report_in(get_language() or ""), "text/plain; charset=utf-8", chunk=1)


def entry_in_words(entry: AuditEntry, person: Person) -> dict[str, Any]:
    """What `entry_facts.html` shows of an entry."""
    linked = _linked_rows([entry], person)
    return {
        "row": audit_row(entry, linked),
        "kind": act_text(entry.act),
        "facts": fact_rows(entry.facts, _named_account(entry), definition_of(entry, linked)),
        "personal_text": _personal_text(entry, person),
        "is_text_erased": bool(entry.detail_sha256) and getattr(entry, "detail", None) is None,
        "is_console": entry.chain == CONSOLE,
    }


def visible_entries(person: Person) -> QuerySet[AuditEntry]:
    """The entries that this person may read."""
    rows = AuditEntry.objects.all()
    return rows if sees_every_audit_entry(person) else rows.filter(actor_id=person.id)


def _filters(request: HttpRequest) -> AuditFilters:
    try:
        return AuditFilters.of_query(request.GET)
    except FilterNotOffered as error:
        raise Http404 from error


def _page(person: Person, filters: AuditFilters, cursor: str) -> Page[AuditEntry]:
    rows, scanned = visible_entries(person).filter(filters.indexed(person)), filters.scanned()
    try:
        return keyset_page_of_parts(rows, [Q()], ORDER, scan_filter=scanned, cursor=cursor, limit=PAGE_ROWS)
    except NotOffered as error:
        raise Http404 from error


def rows_in_words(entries: list[AuditEntry], person: Person) -> list[AuditRow]:
    """The entries in words. Six queries at most, however many entries."""
    linked = _linked_rows(entries, person)
    return [audit_row(entry, linked) for entry in entries]


def _linked_rows(entries: list[AuditEntry], person: Person) -> LinkedRows:
    sessions = visible_sessions(person).filter(pk__in=gate_numbers(entries)).select_related(None)
    gates = {session.name: session for session in sessions.select_related("release").prefetch_related(None)}
    chains = {entry.chain for entry in entries if _is_conversation(entry)}
    conversations = {str(row.pk): row for row in visible_conversations(person).filter(pk__in=chains)} if chains else {}
    texts = {name: _gate_text(session) for name, session in gates.items()}
    return LinkedRows(gates, texts, conversations, chains_of_tests(entries), _people(entries), _assistants(entries))


def _assistants(entries: list[AuditEntry]) -> dict[str, Assistant]:
    names = assistant_names(entries)
    rows = Assistant.objects.filter(name__in=names).select_related("active_release") if names else ()
    return {row.name: row for row in rows}


def _gate_text(session: HITLSession) -> str:
    """What the gate asks and about what: "Approve transfer · €8,450.00 · Lindqvist Marine AB", masked."""
    return SEPARATOR.join(filter(None, (capfirst(listed_title_for_reader(session)), summary_line(session))))


def _named_account(entry: AuditEntry) -> dict[int, str]:
    """The name of the account that the entry's facts have by number."""
    number = account_number(entry.facts)
    return {row.pk: display_name(row) for row in accounts().filter(pk=number)} if number else {}


def _people(entries: list[AuditEntry]) -> dict[tuple[int, str], str]:
    """The names of the accounts that acted, by (number, sign-in name)."""
    rows = accounts().filter(pk__in={entry.actor_id for entry in entries if entry.actor_id})
    return {(row.pk, row.get_username()): display_name(row) for row in rows}


def _chips(filters: AuditFilters, person: Person) -> list[dict[str, Any]]:
    """One chip a filter: {name, title, chosen, is_set, choices: [{value, label, chosen}]}."""
    names = [name for name in CHOICES if name != "who" or sees_every_audit_entry(person)]
    return [
        {
            "name": name,
            "title": CHIP_TITLES[name],
            "chosen": CHOICES[name][getattr(filters, name)],
            "is_set": bool(getattr(filters, name)),
            "choices": [
                {"value": value, "label": label, "chosen": value == getattr(filters, name)}
                for value, label in CHOICES[name].items()
            ],
        }
        for name in names
    ]


def _is_conversation(entry: AuditEntry) -> bool:
    """Whether the chain is a conversation's: its name is the conversation's id."""
    try:
        UUID(entry.chain)
    except ValueError:
        return False
    return True


def _personal_text(entry: AuditEntry, person: Person) -> list[FactRow] | None:
    """What the entry's personal text says, with sensitive values masked as in transcripts; None where it is erased."""
    detail: AuditDetail | None = getattr(entry, "detail", None)
    if detail is None:
        return None
    conversation = Conversation.objects.filter(pk=entry.chain).first() if _is_conversation(entry) else None
    text: dict[str, Any] = detail.text
    if conversation:
        text = redacted_record(text, redactor_for(person, conversation))
    return [row for row in fact_rows(text) if row.value != EMPTY]


def _record(request: HttpRequest, act: str, facts: dict[str, Any]) -> None:
    account = account_of_request(request)
    if account is None:  # `needs` has refused visitors
        raise Http404
    with transaction.atomic():
        chain.record(CONSOLE, [Act(act, account.get_username(), account.pk, facts=facts)], clock.now())
