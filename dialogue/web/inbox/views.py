"""Chats that need or have a person: the queue, one chat beside it, and its operations, which the desk runs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import redactor_for
from dialogue.desk.chats import chats
from dialogue.desk.chats.saved_replies import may_have_replies
from dialogue.desk.command_bar.bar import run_command
from dialogue.desk.command_bar.lines import Input, parse_chat_line
from dialogue.desk.forms.refusals import LineRefused
from dialogue.desk.queue.keyset import NotOffered, Page
from dialogue.desk.sessions import service
from dialogue.desk.sessions.drafts import DraftText, delete_draft
from dialogue.desk.sessions.service import InputFormat, Refused
from dialogue.models import HITLSession
from dialogue.turns import clock
from dialogue.web.gates.chat_rows import ChatRow, chat_rows
from dialogue.web.gates.operations import OperationRefused, perform_operation, undo_event
from dialogue.web.gates.queue import last_event_number
from dialogue.web.inbox.page import (
    REPLY,
    SlotRow,
    chat_page,
    row_with_error,
    sidebar_context,
    slot_rows,
    transcript_entries,
)
from dialogue.web.inbox.queue import OPEN, SECTIONS, TABS, Section, chat_counts, section_page, visible_chats
from dialogue.web.shared.people import caller_of, needs, person_of_request
from dialogue.web.shared.permissions import may_propose_examples, may_see_gates
from dialogue.web.shared.times import time_text
from dialogue.web.shared.transcript import newest_lines, redact_lines

OPERATIONS = frozenset({"claim", "release", "takeover", "note", "expire"})
COMMAND_BAR = "bar"
"""The channel of a line that goes to a gate: in a chat's box it is the same as in the command bar."""


@dataclass(frozen=True)
class SectionRows:
    """A part of the queue with its rows, and the cursor of the rows after them."""

    section: Section
    rows: list[ChatRow]
    next: str | None


@needs(may_see_gates)
@require_GET
def inbox(request: HttpRequest) -> HttpResponse:
    """The queue without a chat; with `HX-Target: queue-list` only its rows, with a part's name only its next ones."""
    context = _queue_context(request)
    target = request.headers.get("hx-target", "")
    if target == "queue-list":
        return render(request, "dialogue/inbox/rows.html", context)
    if target.startswith("more-"):
        return render(request, "dialogue/inbox/more_rows.html", {**context, "listed": context["listed"][0]})
    return render(request, "dialogue/inbox/inbox.html", context)


@needs(may_see_gates)
@require_GET
def counts(request: HttpRequest) -> JsonResponse:
    """Return `{open, waiting}`: chats that need or have a person, and those of them without one yet."""
    return JsonResponse(chat_counts(person_of_request(request)))


@needs(may_see_gates)
@require_GET
def chat(request: HttpRequest, number: int) -> HttpResponse:
    """The queue with one chat open.

    With `HX-Target: case` only the chat with its context, with `HX-Target: queue-list` only the rows of the queue.
    """
    session, part = _get_session(request, number), request.headers.get("hx-target")
    if part == "case":
        tab = TABS.get(request.GET.get("tab", ""), TABS[OPEN])
        return render(request, "dialogue/inbox/pane_response.html", _chat_context(request, session) | {"tab": tab})
    if part == "queue-list":
        return render(request, "dialogue/inbox/rows.html", _queue_context(request) | {"current": number})
    return _page_response(request, number, 200)


@needs(may_see_gates)
@require_GET
def aside(request: HttpRequest, number: int) -> HttpResponse:
    """The chat's heading and what stands beside it, as they are now."""
    session = _get_session(request, number)
    return render(
        request,
        "dialogue/inbox/claim_response.html",
        _heading_context(request, session) | _sidebar_context(request, session),
    )


@needs(may_see_gates)
@require_POST
def say(request: HttpRequest, number: int) -> JsonResponse:
    """Write to the customer: `{seq}` of the line. Sent again with the same key, it is written once.

    A line such as `@g12.0 yes` goes to that gate, and is answered with `{said}`.
    """
    key = request.POST.get("key", "")[:100]
    try:
        line = parse_chat_line(request.POST.get("text", ""))
        if isinstance(line, Input):
            return _gate_line(request, number, line)
        outcome = chats.say(number, caller_of(request), line.text, key)
    except LineRefused as refused:
        return JsonResponse({"detail": str(refused), "code": "unknown_line"}, status=422)
    except Refused as refused:
        return _refusal_json(refused)
    return JsonResponse({"seq": chats.line_number_of(outcome.session, caller_of(request), key)}, status=outcome.status)


def _gate_line(request: HttpRequest, number: int, line: Input) -> JsonResponse:
    """Carry out what was written to a gate; the chat's draft, which was this line, is over."""
    session = _get_session(request, number)
    reply = run_command(line, caller_of(request, COMMAND_BAR))
    delete_draft(session, person_of_request(request).id)
    return JsonResponse({"said": reply.text}, status=reply.status)


@needs(may_see_gates)
@require_POST
def draft(request: HttpRequest, number: int) -> JsonResponse:
    """Keep what was typed so far."""
    try:
        service.save_draft(number, caller_of(request), DraftText({REPLY: request.POST.get("text", "")}))
    except Refused as refused:
        return _refusal_json(refused)
    return JsonResponse({"saved": time_text(clock.now())})


@needs(may_see_gates)
@require_POST
def set_slot(request: HttpRequest, number: int) -> HttpResponse:
    """Set one value for the customer. A wrong one comes back in its row, with what is wrong with it."""
    name, typed = request.POST.get("slot", ""), request.POST.get("value", "")
    row = _slot_row(request, number, name)
    try:
        chats.set_slots(number, caller_of(request), {name: typed}, InputFormat.TYPED)
    except Refused as refused:
        return _slot_refusal(request, number, row, typed, refused)
    if not request.headers.get("hx-request"):
        return redirect("dialogue:inbox_chat", number)
    return _slot_response(request, number, replace(row, sent=True) if row else None, 200)


@needs(may_see_gates)
@require_POST
def hand_back(request: HttpRequest, number: int) -> HttpResponse:
    """Give the chat back to the bot, which goes on where it stopped."""
    response = _operation_response(request, number, lambda: chats.hand_back(number, caller_of(request)).status)
    if response.status_code < 300 and request.headers.get("hx-request"):
        text = _("The bot has the chat again and goes on where it stopped.")
        response["HX-Trigger"] = json.dumps({"soni:done": {"text": text}})
    return response


@needs(may_see_gates)
@require_POST
def move(request: HttpRequest, number: int, name: str) -> HttpResponse:
    """Claim, give to the others, take over, write a note. htmx gets heading and context, everybody else the page."""
    if name not in OPERATIONS:
        raise Http404
    before, person = _get_session(request, number), person_of_request(request)
    response = _operation_response(
        request, number, lambda: perform_operation(name, number, caller_of(request), request.POST)
    )
    events = undo_event(name, before, _get_session(request, number), person) if response.status_code < 300 else {}
    if events and request.headers.get("hx-request"):
        response["HX-Trigger"] = json.dumps(events)
    return response


def _operation_response(request: HttpRequest, number: int, act: Any) -> HttpResponse:
    _get_session(request, number)
    refusal, status = "", 200
    try:
        status = act()
    except (Refused, OperationRefused) as refused:
        refusal, status = refused.detail, refused.status
    if request.headers.get("hx-request"):
        session = _get_session(request, number)
        context = _heading_context(request, session, refusal) | _sidebar_context(request, session)
        return render(request, "dialogue/inbox/claim_response.html", context, status=status)
    return _page_response(request, number, status, refusal) if refusal else redirect("dialogue:inbox_chat", number)


def _page_response(request: HttpRequest, number: int, status: int, refusal: str = "") -> HttpResponse:
    context = _queue_context(request) | _chat_context(request, _get_session(request, number), refusal)
    return render(request, "dialogue/inbox/inbox.html", context, status=status)


def _chat_context(request: HttpRequest, session: HITLSession, refusal: str = "") -> dict[str, Any]:
    """The chat with its transcript, heading and sidebar."""
    lines = newest_lines(session.conversation)
    redacted_lines = redact_lines(lines.lines, redactor_for(person_of_request(request), session.conversation))
    talk = {"talk": transcript_entries(redacted_lines, session), "older": lines.older, "current": session.number}
    return _heading_context(request, session, refusal) | _sidebar_context(request, session) | talk


def _queue_context(request: HttpRequest) -> dict[str, Any]:
    cursor, person = last_event_number(), person_of_request(request)
    tab = TABS.get(request.GET.get("tab", ""), TABS[OPEN])
    search = request.GET.get("q", "").strip()[:100]
    # All sections of the tab, or the one whose later rows are requested.
    name = request.GET.get("part", "")
    sections = [SECTIONS[name]] if name in tab.sections else [SECTIONS[section] for section in tab.sections]
    listed = _section_rows(person, sections, search, request.GET.get("after", ""))
    return {
        "inbox_cursor": cursor,
        "writes": not person.is_auditor,
        "tabs": list(TABS.values()),
        "tab": tab,
        "search": search,
        "counts": chat_counts(person),
        "listed": listed,
        "any_rows": any(section.rows for section in listed),
        "single": len(sections) == 1 and len(tab.sections) > 1,
        "page_keys": "inbox",
    }


def _section_rows(person: Person, parts: Sequence[Section], search: str, after: str) -> list[SectionRows]:
    """The parts with their rows, whose last lines are read in one query for all."""
    pages = [_section_page(person, part, search, after) for part in parts]
    rows = iter(chat_rows([session for page in pages for session in page.rows], person))
    return [
        SectionRows(part, list(islice(rows, len(page.rows))), page.next)
        for part, page in zip(parts, pages, strict=True)
    ]


def _section_page(person: Person, part: Section, search: str, after: str) -> Page[HITLSession]:
    try:
        return section_page(person, part, search, after)
    except NotOffered as refused:
        raise Http404 from refused


def _heading_context(request: HttpRequest, session: HITLSession, refusal: str = "") -> dict[str, Any]:
    person = person_of_request(request)
    return {
        "chat": chat_page(session, person),
        "refusal": refusal,
        "me": person.name,
        "has_replies": may_have_replies(person),
    }


def _sidebar_context(request: HttpRequest, session: HITLSession) -> dict[str, Any]:
    person = person_of_request(request)
    permissions = {
        "may_see_flows": person.superuser or person.has("view_flow"),
        "may_propose": may_propose_examples(person),
    }
    return sidebar_context(session, person) | permissions


def _slot_row(request: HttpRequest, number: int, name: str) -> SlotRow | None:
    rows = slot_rows(_get_session(request, number), person_of_request(request))
    return next((row for row in rows if row.name == name), None)


def _slot_refusal(request: HttpRequest, number: int, row: SlotRow | None, typed: str, refused: Refused) -> HttpResponse:
    detail = refused.fields[0].message if refused.fields else refused.detail
    if row is None or not request.headers.get("hx-request"):
        return _page_response(request, number, refused.status, detail)
    return _slot_response(request, number, row_with_error(row, typed, detail), refused.status)


def _slot_response(request: HttpRequest, number: int, row: SlotRow | None, status: int) -> HttpResponse:
    facts = {"slot": row, "chat": {"session": _get_session(request, number)}, "may_set": True}
    return render(request, "dialogue/inbox/slot_form.html", facts, status=status)


def _get_session(request: HttpRequest, number: int) -> HITLSession:
    session = visible_chats(person_of_request(request)).filter(pk=number).first()
    if session is None:
        raise Http404(_("There is no such chat."))
    return session


def _refusal_json(refused: Refused) -> JsonResponse:
    return JsonResponse({"detail": refused.detail, "code": refused.code}, status=refused.status)
