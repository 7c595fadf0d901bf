"""Knowledge documents of an assistant: list, upload, search and removal."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.library.knowledge.documents import (
    MAX_DOCUMENT_BYTES,
    DocumentRefused,
    language_of,
    remove_document,
    store_document,
)
from dialogue.library.knowledge.knowledge_base import search_documents, source_of
from dialogue.models import Assistant, KnowledgeDocument
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_change_flows, may_see_flows

PER_PAGE = 50
MAX_FILES = 20
MAX_QUESTION_LENGTH = 500
MAX_PASSAGES = 3


@needs(may_see_flows)
@require_GET
def documents_page(request: HttpRequest, assistant: str) -> HttpResponse:
    """Every document of an assistant; with `q`, what they hold about a question."""
    return _list_page(request, get_object_or_404(Assistant, name=assistant))


@needs(may_change_flows)
@require_POST
def upload_documents(request: HttpRequest, assistant: str) -> HttpResponse:
    """Keep the files that were sent; one that cannot be kept is named, and the others are kept."""
    home = get_object_or_404(Assistant, name=assistant)
    files = request.FILES.getlist("files")
    if not files or len(files) > MAX_FILES:
        failure = _("Choose from 1 to %s files that end in .md or .txt.") % MAX_FILES
        return _list_page(request, home, failures=[failure], status=422)
    failures = []
    for sent in files:
        try:
            store_document(home, str(sent.name), sent.read(MAX_DOCUMENT_BYTES + 1), account_of_request(request))
        except DocumentRefused as error:
            failures.append(str(error))
    return (
        _list_page(request, home, failures=failures, status=422)
        if failures
        else redirect("dialogue:documents", home.name)
    )


@needs(may_see_flows)
@require_http_methods(["GET"])
def document_page(request: HttpRequest, assistant: str, number: int) -> HttpResponse:
    """One document as it is searched, passage by passage."""
    row = get_object_or_404(KnowledgeDocument.objects.select_related("assistant"), assistant__name=assistant, pk=number)
    may_write = may_change_flows(person_of_request(request))
    facts = {"assistant": row.assistant, "document": row, "may_write": may_write}
    return render(request, "dialogue/documents/document.html", {**facts, "passages": row.passages.all()})


@needs(may_change_flows)
@require_POST
def remove_document_view(request: HttpRequest, assistant: str, number: int) -> HttpResponse:
    """Remove a document; removing it twice is not an error."""
    home = get_object_or_404(Assistant, name=assistant)
    document = home.knowledge_documents.filter(pk=number).first()
    if document is not None:
        remove_document(document, account_of_request(request))
    return redirect("dialogue:documents", home.name)


def _list_page(request: HttpRequest, home: Assistant, status: int = 200, **more: Any) -> HttpResponse:
    rows = home.knowledge_documents.select_related("author").defer("text").order_by("name")
    question = request.GET.get("q", "").strip()[:MAX_QUESTION_LENGTH]
    facts = {
        "assistant": home,
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "may_write": may_change_flows(person_of_request(request)),
        "question": question,
        "results": _passages_for(home, question) if question else [],
        "kilobytes": MAX_DOCUMENT_BYTES // 1024,
    }
    return render(request, "dialogue/documents/list.html", {**facts, **more}, status=status)


def _passages_for(home: Assistant, question: str) -> list[dict[str, Any]]:
    """The best passages: `[{passage, source, answers}]`; `answers`: it would be said."""
    results = search_documents(home, question, language_of(home))[:MAX_PASSAGES]
    return [{"passage": row.passage, "source": source_of(row.passage), "answers": row.is_answer} for row in results]
