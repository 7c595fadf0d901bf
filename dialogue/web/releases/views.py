"""Releases: the list, the publish dialog, and what publishing would change."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.releases.releases import OwnWork, PublishRequest, StaleRelease, is_published, publish
from dialogue.models import Assistant, Release
from dialogue.web.releases.page import changes_since, document_changes, publication_preview
from dialogue.web.releases.posted import posted_base, posted_note
from dialogue.web.releases.release_list import release_list
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_publish, may_see_flows, may_test

DOCUMENTS_PER_PAGE = 20
"""Changed documents on one page."""


@needs(may_see_flows)
@require_GET
def releases(request: HttpRequest, assistant: str) -> HttpResponse:
    """Every release of an assistant, the newest first."""
    return render(request, "dialogue/releases/list.html", release_list(request, _assistant_or_404(assistant)))


@needs(may_publish)
@require_http_methods(["GET", "POST"])
def publish_heads(request: HttpRequest, assistant: str) -> HttpResponse:
    """GET is the dialog; POST publishes, or answers 409 with what changed since the dialog was opened."""
    home = _assistant_or_404(assistant)
    if request.method == "GET":
        return _publish_dialog(request, home)
    intent = PublishRequest(posted_note(request), posted_base(request), request.POST.get("seen", "")[:64])
    if _has_nothing_new(home, intent):
        failure = _("Nothing has changed since release %(number)s.") % {"number": intent.base}
        return _publish_dialog(request, home, 409, failure=failure, note=intent.note)
    try:
        release = publish(home, account_of_request(request), intent)
    except StaleRelease:
        return _stale_dialog(request, _assistant_or_404(assistant), intent)
    except OwnWork:
        failure = _("You wrote some of this. Another author has to publish it.")
        return _publish_dialog(request, home, 403, failure=failure, note=intent.note)
    except FlowProblems:
        failure = _("It cannot be published: see what was checked.")
        return _publish_dialog(request, home, 422, failure=failure, note=intent.note)
    if flow_name := _flow_name(request, home):
        return redirect(reverse("dialogue:flow", args=[home.name, flow_name], query={"published": release.number}))
    return redirect(reverse("dialogue:releases", args=[home.name], query={"new": release.number}))


def _has_nothing_new(home: Assistant, intent: PublishRequest) -> bool:
    active = home.active_release
    return active is not None and intent.base == active.number and is_published(home)


def _stale_dialog(request: HttpRequest, home: Assistant, intent: PublishRequest) -> HttpResponse:
    """The dialog with what changed since it was opened, and who published meanwhile."""
    active = home.active_release
    facts = {
        "stale": changes_since(_release_by_number(home, intent.base), home),
        "published_meanwhile": active if active and active.number != intent.base else None,
        "note": intent.note,
    }
    return _publish_dialog(request, home, 409, **facts)


@needs(may_see_flows)
@require_GET
def changes(request: HttpRequest, assistant: str) -> HttpResponse:
    """The changes that publishing would make, line by line."""
    home = _assistant_or_404(assistant)
    page = Paginator(document_changes(home), DOCUMENTS_PER_PAGE).get_page(request.GET.get("page"))
    publishes = may_publish(person_of_request(request))
    shown = {"assistant": home, "page": page, "publishes": publishes, "release": home.active_release}
    return render(request, "dialogue/releases/changes.html", shown)


def _assistant_or_404(assistant: str) -> Assistant:
    return get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)


def _release_by_number(home: Assistant, number: int | None) -> Release | None:
    return home.releases.filter(number=number, trial=False).first() if number is not None else None


def _publish_dialog(request: HttpRequest, home: Assistant, status: int = 200, **more: Any) -> HttpResponse:
    flow_name = _flow_name(request, home)
    facts = {
        **release_list(request, home),
        "preview": publication_preview(home),
        "flow_name": flow_name,
        "return_url": reverse("dialogue:flow", args=[home.name, flow_name]) if flow_name else "",
        "may_test": may_test(person_of_request(request)),
    }
    return render(request, "dialogue/releases/publish.html", {**facts, **more}, status=status)


def _flow_name(request: HttpRequest, home: Assistant) -> str:
    """The flow from whose editor the dialog was opened, to which it returns; empty when there is none."""
    name = (request.POST if request.method == "POST" else request.GET).get("flow", "")[:64]
    return name if name and home.flows.filter(name=name).exists() else ""
