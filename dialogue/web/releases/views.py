"""Releases: the list, the publish dialog, and activating an earlier release."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dialogue.desk.queue.keyset import NotOffered, keyset_page
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.releases.releases import OwnWork, PublishRequest, ReleaseNotFound, StaleRelease, activate, publish
from dialogue.models import Assistant, Release
from dialogue.turns.accept import storable_value
from dialogue.web.releases.page import changes_since, document_changes, publication_preview
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_publish, may_see_flows

ROWS_PER_PAGE = 50
DOCUMENTS_PER_PAGE = 20
"""Changed documents on one page."""


@needs(may_see_flows)
@require_GET
def releases(request: HttpRequest, assistant: str) -> HttpResponse:
    """Every release of an assistant, the newest first."""
    return _list_page(request, _assistant_or_404(assistant))


@needs(may_publish)
@require_http_methods(["GET", "POST"])
def publish_heads(request: HttpRequest, assistant: str) -> HttpResponse:
    """GET is the dialog; POST publishes, or answers 409 with what changed since the dialog was opened."""
    home = _assistant_or_404(assistant)
    if request.method == "GET":
        return _publish_dialog(request, home)
    note = str(storable_value(request.POST.get("note", ""))).strip()[:500]
    base_number = request.POST.get("base", "")
    intent = PublishRequest(
        note,
        int(base_number) if base_number.isascii() and base_number.isdigit() and len(base_number) < 9 else None,
        request.POST.get("seen", "")[:64],
    )
    try:
        release = publish(home, account_of_request(request), intent)
    except StaleRelease:
        return _publish_dialog(
            request, home, 409, stale=changes_since(_release_by_number(home, intent.base), home), note=note
        )
    except OwnWork:
        failure = _("You wrote some of this. Here, somebody else has to publish it.")
        return _publish_dialog(request, home, 403, failure=failure, note=note)
    except FlowProblems:
        return _publish_dialog(
            request, home, 422, failure=_("Something in it keeps it from being published."), note=note
        )
    return redirect(reverse("dialogue:releases", args=[home.name], query={"new": release.number}))


@needs(may_see_flows)
@require_GET
def changes(request: HttpRequest, assistant: str) -> HttpResponse:
    """The changes that publishing would make, line by line."""
    home = _assistant_or_404(assistant)
    page = Paginator(document_changes(home), DOCUMENTS_PER_PAGE).get_page(request.GET.get("page"))
    publishes = may_publish(person_of_request(request))
    return render(request, "dialogue/releases/changes.html", {"assistant": home, "page": page, "publishes": publishes})


@needs(may_publish)
@require_POST
def activate_earlier(request: HttpRequest, assistant: str, number: int) -> HttpResponse:
    """Make an earlier release the active one; conversations that run stay on theirs."""
    home = _assistant_or_404(assistant)
    number_before = home.active_release.number if home.active_release else number
    try:
        activate(home, number, account_of_request(request))
    except ReleaseNotFound:
        raise Http404 from None
    except FlowProblems as error:
        reason = {"number": number, "why": error.problems[0].text}
        return _list_page(request, home, _("Release %(number)s no longer runs here: %(why)s") % reason, 409)
    return redirect(reverse("dialogue:releases", args=[home.name], query={"new": number, "before": number_before}))


def _assistant_or_404(assistant: str) -> Assistant:
    return get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)


def _release_by_number(home: Assistant, number: int | None) -> Release | None:
    return home.releases.filter(number=number, trial=False).first() if number is not None else None


def _list_page(request: HttpRequest, home: Assistant, failure: str = "", status: int = 200) -> HttpResponse:
    return render(
        request, "dialogue/releases/list.html", {**_list_context(request, home), "failure": failure}, status=status
    )


def _activated_number(home: Assistant, text: str) -> str:
    """The number of the release that was just activated; empty when another one is active by now."""
    return text if home.active_release and text == str(home.active_release.number) else ""


def _release_to_restore(home: Assistant, text: str) -> Release | None:
    """The release that was active before, for undoing; None when it is the active one."""
    is_number = text.isascii() and text.isdigit() and len(text) < 9
    release = _release_by_number(home, int(text)) if is_number else None
    return release if release and release.pk != home.active_release_id else None


def _list_context(request: HttpRequest, home: Assistant) -> dict[str, Any]:
    rows = home.releases.filter(trial=False).select_related("published_by")
    try:
        releases_page = keyset_page(rows, ("-number", "-id"), cursor=request.GET.get("after", ""), limit=ROWS_PER_PAGE)
    except NotOffered as refused:
        raise Http404 from refused
    return {
        "assistant": home,
        "page": releases_page,
        "publishes": may_publish(person_of_request(request)),
        "new": _activated_number(home, request.GET.get("new", "")),
        "before": _release_to_restore(home, request.GET.get("before", "")),
    }


def _publish_dialog(request: HttpRequest, home: Assistant, status: int = 200, **more: Any) -> HttpResponse:
    facts = {**_list_context(request, home), "preview": publication_preview(home), **more}
    return render(request, "dialogue/releases/publish.html", facts, status=status)
