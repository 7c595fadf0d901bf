"""A flow's versions: history, comparison, restoring and merging; and whole assistants as zip files."""

import base64
from typing import Any

from django.contrib import messages
from django.core.files.base import ContentFile, File
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.engine.language.compiler import Assistant as Definition
from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.archive import Archive, ArchiveRefused, pack_archive, unpack_archive
from dialogue.library.documents.side_by_side import abridge_pairs, line_pairs
from dialogue.library.documents.three_way_merge import merge_chunks, merged_text
from dialogue.library.documents.versions import (
    Edit,
    ImportPreview,
    StaleVersion,
    VersionNotFound,
    documents_of,
    draft_of,
    drop_draft,
    keep_draft,
    preview_import,
    restore_flow_version,
    store_documents,
    version_numbers_of,
)
from dialogue.models import Assistant, Flow, FlowVersion
from dialogue.turns.live.flow_words import flow_title, titles_of
from dialogue.web.flows.page import flow_or_404, published_text
from dialogue.web.flows.step_changes import compare_graphs
from dialogue.web.flows.version_rows import version_rows
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_change_flows, may_see_flows

VERSIONS_PER_PAGE = 25
"""Versions on one page of the history, each compared with the one before."""
MAX_RETURNED_ZIP_BYTES = 512 * 1024
"""A larger file is chosen again after the preview: forms without files hold at most a MiB."""
PER_PAGE = 50
"""Versions that a comparison offers."""
MAX_COMPARED_LINES = 2_000
"""Lines of a comparison on one page; the page says when there are more."""


@needs(may_see_flows)
@require_GET
def history(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """Every version, newest first, with author, note, and the releases that it is in."""
    return _history_page(request, *flow_or_404(assistant, name))


def _history_page(request: HttpRequest, home: Assistant, row: Flow, refused_number: int = 0) -> HttpResponse:
    """The page; `refused_number` is the version that was not restored, because another one was saved meanwhile."""
    versions = row.versions.select_related("author").prefetch_related("releases").order_by("-number")
    page = Paginator(versions, VERSIONS_PER_PAGE).get_page(request.GET.get("page"))
    may_write = may_change_flows(person_of_request(request))
    facts: dict[str, Any] = {
        "assistant": home,
        "flow": row,
        "page": page,
        "rows": version_rows(row, list(page), home.active_release_id),
        "draft": draft_of(row, account_of_request(request)),
    }
    facts |= {"may_write": may_write, "overtaken": refused_number}
    return render(request, "dialogue/flows/history.html", facts, status=409 if refused_number else 200)


@needs(may_see_flows)
@require_GET
def compare(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """Two texts beside each other: `old` and `new` are version numbers, or "draft", or "live"."""
    home, row = flow_or_404(assistant, name)
    head = row.head.number if row.head else 0
    usual_old, usual_new = _usual_sides(request, home, row, head)
    old, new = request.GET.get("old", usual_old), request.GET.get("new", usual_new)
    before, after = _text_to_compare(request, home, row, old), _text_to_compare(request, home, row, new)
    numbers = row.versions.order_by("-number").values_list("number", flat=True)[:PER_PAGE]
    facts: dict[str, Any] = {"assistant": home, "flow": row, "old": old, "new": new}
    pairs = abridge_pairs(line_pairs(before, after))
    facts |= {
        "pairs": pairs[:MAX_COMPARED_LINES],
        "more": len(pairs) > MAX_COMPARED_LINES,
        "numbers": [str(number) for number in numbers],
    }
    graphs = compare_graphs(home, name, before, after)
    return render(request, "dialogue/flows/compare.html", {**facts, "graphs": graphs, "head": head})


def _usual_sides(request: HttpRequest, home: Assistant, row: Flow, head: int) -> tuple[str, str]:
    """What is compared unless versions are chosen: what is live with the draft, or else the two newest versions."""
    has_news = _text_to_compare(request, home, row, "draft") != published_text(home, row)
    return ("live", "draft") if has_news or head < 2 else (str(head - 1), str(head))


@needs(may_change_flows)
@require_POST
def restore_version(request: HttpRequest, assistant: str, name: str, number: int) -> HttpResponse:
    """Make an earlier text the newest version again; 409 when another version was saved since the page was shown."""
    home, row = flow_or_404(assistant, name)
    known_head = request.POST.get("head", "")
    try:
        restored = restore_flow_version(
            home,
            row.name,
            number,
            account_of_request(request),
            int(known_head) if known_head.isdecimal() and len(known_head) < 10 else None,
        )
    except VersionNotFound:
        raise Http404 from None
    except StaleVersion:
        return _history_page(request, *flow_or_404(assistant, name), refused_number=number)
    facts = {"old": number, "new": restored.number}
    messages.success(request, _("Version %(old)s is back as version %(new)s. Publish it to use it.") % facts)
    return redirect("dialogue:flow_history", home.name, row.name)


@needs(may_change_flows)
@require_POST
def drop_own_draft(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """Delete this author's draft."""
    home, row = flow_or_404(assistant, name)
    drop_draft(row, account_of_request(request))
    if row.head is None and not published_text(home, row):
        return redirect("dialogue:flows")
    return redirect("dialogue:flow", home.name, row.name)


@needs(may_change_flows)
@require_http_methods(["GET", "POST"])
def merge_draft(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """Merge this author's draft with the version saved meanwhile, over the text that both began with."""
    home, row = flow_or_404(assistant, name)
    author = account_of_request(request)
    draft = draft_of(row, author)
    if draft is None or row.head is None:
        return redirect("dialogue:flow", home.name, row.name)
    chunks = merge_chunks(_version_text(row, draft.base), draft.text, row.head.text)
    conflicts = [chunk for chunk in chunks if chunk.kind == "conflict"]
    is_current = request.POST.get("head") == str(row.head.number)
    if request.method == "POST" and is_current:
        choices = [request.POST.get(f"side-{index}", "both") for index in range(len(conflicts))]
        keep_draft(home, Edit(row.name, merged_text(chunks, choices), base=row.head.number), author)
        return redirect("dialogue:flow", home.name, row.name)
    facts = {"assistant": home, "flow": row, "chunks": chunks, "conflicts": len(conflicts), "draft": draft}
    return render(request, "dialogue/flows/merge.html", {**facts, "moved": request.method == "POST"})


@needs(may_see_flows)
@require_GET
def export_assistant(_request: HttpRequest, assistant: str) -> HttpResponse:
    """The assistant's saved documents as a zip."""
    home = get_object_or_404(Assistant, name=assistant)
    headers = {"Content-Disposition": f'attachment; filename="{home.name}.zip"'}
    content = pack_archive(home.name, documents_of(home), version_numbers_of(home))
    return HttpResponse(content, content_type="application/zip", headers=headers)


@needs(may_change_flows)
@require_http_methods(["GET", "POST"])
def import_assistant(request: HttpRequest) -> HttpResponse:
    """Read an assistant from a zip; a new version is saved where a text changed, nothing is published.

    Nothing is stored before a person has seen what would change: `seen` is the digest of the preview that they saw.
    """
    if request.method == "GET":
        return _import_form(request, 200)
    upload = _uploaded_zip(request)
    if upload is None:
        return _import_form(request, 422, failure=_("Choose a zip file."))
    try:
        archive = unpack_archive(upload)
        bases = {} if "anyway" in request.POST else _base_versions(request, archive)
        preview = preview_import(archive.documents, bases)
        if request.POST.get("seen") != preview.digest:
            return _import_preview(request, preview, upload)
        note = _("Imported from %s") % str(upload.name)[:200]
        store_documents(archive.documents, account_of_request(request), note, bases)
    except ArchiveRefused as error:
        return _import_form(request, 422, failure=str(error))
    except FlowProblems as wrong:
        return _import_form(request, 422, problems=wrong.problems)
    except StaleVersion as stale:
        return _import_form(request, 409, theirs=stale.theirs)
    return redirect("dialogue:flows")


def _uploaded_zip(request: HttpRequest) -> "File[bytes] | None":
    """Return the file that was chosen, or the one that the preview has sent back; None without either."""
    upload = request.FILES.get("file")
    if upload is not None and upload.file is not None:
        return upload
    packed = request.POST.get("packed")
    if not packed:
        return None
    try:
        content = base64.b64decode(packed, validate=True)
    except ValueError:
        return None
    return ContentFile(content, name=request.POST.get("name", ""))


def _import_preview(request: HttpRequest, preview: ImportPreview, upload: "File[bytes]") -> HttpResponse:
    """The page that says what would change; it sends a small file again by itself, a large one is chosen again."""
    upload.seek(0)
    packed = base64.b64encode(upload.read()).decode() if upload.size <= MAX_RETURNED_ZIP_BYTES else ""
    context = {
        "preview": preview,
        "assistant_title": preview.definition.title.in_language(get_language() or "") or preview.definition.assistant,
        "titled": _titled_documents(preview),
        "packed": packed,
        "file_name": upload.name,
        "newest": request.POST.get("newest", ""),
        "anyway": "anyway" in request.POST,
    }
    return render(request, "dialogue/flows/import.html", context)


def _titled_documents(preview: ImportPreview) -> dict[str, list[dict[str, str]]]:
    """The documents of the preview by what becomes of them, each with its `title` and `name`."""
    home = Assistant.objects.select_related("active_release").filter(name=preview.definition.assistant).first()

    def titled(names: list[str], source: Definition | None) -> list[dict[str, str]]:
        return [{"name": name, "title": flow_title(name, source)} for name in names]

    return {
        "added": titled(preview.added, preview.definition),
        "changed": titled(preview.changed, preview.definition),
        "unchanged": titled(preview.unchanged, preview.definition),
        "archived": titled(preview.archived, titles_of(home) if home else None),
    }


def _import_form(request: HttpRequest, status: int, **more: Any) -> HttpResponse:
    """The form; it holds the newest version now, so that one saved later counts as not seen."""
    newest = FlowVersion.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    return render(request, "dialogue/flows/import.html", {"newest": newest, **more}, status=status)


def _base_versions(request: HttpRequest, archive: Archive) -> dict[str, int]:
    """The versions that the archive was made from; else the newest ones when the form was opened."""
    newest_at_opening = request.POST.get("newest", "")
    if archive.bases or not (
        newest_at_opening.isascii() and newest_at_opening.isdigit() and len(newest_at_opening) < 19
    ):
        return archive.bases
    home = Assistant.objects.filter(name=load_assistant(archive.documents).assistant).first()
    known_numbers = version_numbers_of(home, int(newest_at_opening)) if home else {}
    return {file: known_numbers.get(file, 0) for file in archive.documents} if home else {}


def _text_to_compare(request: HttpRequest, home: Assistant, row: Flow, version: str) -> str:
    if version == "live":
        return published_text(home, row)
    if version == "draft":
        draft = draft_of(row, account_of_request(request))
        return draft.text if draft else row.head.text if row.head else ""
    if not (version.isascii() and version.isdigit() and len(version) < 9):
        raise Http404
    return get_object_or_404(FlowVersion, flow=row, number=int(version)).text


def _version_text(row: Flow, number: int) -> str:
    version = row.versions.filter(number=number).first()
    return version.text if version else ""
