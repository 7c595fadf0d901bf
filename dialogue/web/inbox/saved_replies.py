"""Saved replies: a page to keep them, and the list that the composer picks from."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from dialogue.desk.chats.saved_replies import (
    ReplyNotFound,
    ReplyRefused,
    ReplyText,
    delete_reply,
    may_change,
    may_have_replies,
    may_share,
    replies_of,
    reply_of,
    save_reply,
)
from dialogue.desk.queue.keyset import NotOffered, Page
from dialogue.models import SavedReply
from dialogue.web.shared.people import needs, person_of_request

NEW = ReplyText("", "")


@needs(may_have_replies)
@require_http_methods(["GET", "POST"])
def replies(request: HttpRequest) -> HttpResponse:
    """One's own and the shared ones, with `new` a form for another; with `Accept: application/json` only the rows."""
    if request.method == "POST":
        return _save(request, None)
    page = _replies_page(request)
    if "json" in request.headers.get("accept", ""):
        return JsonResponse({"replies": [_plain_reply(row) for row in page.rows], "more": page.next is not None})
    return render(request, "dialogue/replies/replies.html", _page_context(request, page))


@needs(may_have_replies)
@require_http_methods(["GET", "POST"])
def reply(request: HttpRequest, number: int) -> HttpResponse:
    """One reply in the form."""
    if request.method == "POST":
        return _save(request, number)
    row = _get_changeable(request, number)
    draft = ReplyText(row.title, row.text, row.owner_id is None)
    return render(
        request, "dialogue/replies/replies.html", _page_context(request, _replies_page(request), number, draft)
    )


@needs(may_have_replies)
@require_POST
def drop(request: HttpRequest, number: int) -> HttpResponse:
    """Take a reply away."""
    try:
        delete_reply(person_of_request(request), number)
    except ReplyNotFound as gone:
        raise Http404 from gone
    return redirect("dialogue:replies")


def _save(request: HttpRequest, number: int | None) -> HttpResponse:
    """Store what was written; what was wrong comes back at its field, and nothing is lost."""
    sent = request.POST
    draft = ReplyText(sent.get("title", ""), sent.get("text", ""), sent.get("shared", "") == "yes")
    try:
        save_reply(person_of_request(request), draft, number)
    except ReplyNotFound as gone:
        raise Http404 from gone
    except ReplyRefused as refused:
        facts = _page_context(request, _replies_page(request), number, draft, refused.errors)
        return render(request, "dialogue/replies/replies.html", facts, status=422)
    return redirect("dialogue:replies")


def _page_context(
    request: HttpRequest,
    page: Page[SavedReply],
    number: int | None = None,
    draft: ReplyText = NEW,
    wrong: dict[str, str] | None = None,
) -> dict[str, Any]:
    person = person_of_request(request)
    rows = [(row, may_change(person, row)) for row in page.rows]
    return {
        "rows": rows,
        "next": page.next,
        "search": request.GET.get("q", "").strip()[:100],
        "number": number,
        "is_writing": number is not None or wrong is not None or "new" in request.GET,
        "written": draft,
        "wrong": wrong or {},
        "may_share": may_share(person),
    }


def _replies_page(request: HttpRequest) -> Page[SavedReply]:
    search = request.GET.get("q", "").strip()[:100]
    try:
        return replies_of(person_of_request(request), search, request.GET.get("after", ""))
    except NotOffered as refused:
        raise Http404 from refused


def _get_changeable(request: HttpRequest, number: int) -> SavedReply:
    person = person_of_request(request)
    try:
        row = reply_of(person, number)
    except ReplyNotFound as gone:
        raise Http404 from gone
    if not may_change(person, row):
        raise Http404
    return row


def _plain_reply(row: SavedReply) -> dict[str, Any]:
    return {"title": row.title, "text": row.text, "shared": row.owner_id is None}
