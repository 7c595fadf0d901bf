"""The test beside a flow's text: begun with the text as it stands, or with what can be tried in its place."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dialogue.engine.language.documents import digest_of
from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.library.documents.versions import documents_of, draft_of
from dialogue.library.releases.releases import ReleaseNotFound
from dialogue.library.releases.test_conversations import ConversationOptions, draft_documents, open_test_conversation
from dialogue.models import Assistant, Conversation, Flow, Release
from dialogue.web.flows.page import flow_or_404, text_of
from dialogue.web.shared.people import account_of_request, needs
from dialogue.web.shared.permissions import may_test
from dialogue.web.testing.forms import DRAFT, TrialRefused, read_circumstances
from dialogue.web.testing.from_conversation import CannotGoBack, gone_back
from dialogue.web.testing.views import fetch_trial

ALONE = "alone"
"""This flow's text with the others as they were saved."""
SAVED = "saved"
SHOWN = 4
"""Problems that are told here; the page lists them all beside the text."""


@needs(may_test)
@require_POST
def begin(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """A new test, and where it is: `{test, panel, say, after, tried, same, note}`; 422 with what stands in its way.

    `of` is the draft, "alone", "saved" or a release's number; `again` a test whose lines are said once more, or with
    `turn` one that goes on from there on the text that it had; 409 when it cannot.
    """
    home, flow = flow_or_404(assistant, name)
    user = account_of_request(request)
    told = _told(request, assistant)
    text = text_of(home, flow, draft_of(flow, user))
    try:
        opened, note = _opened(request, home, told, _wanted(request, home, flow, text, told))
    except FlowProblems as why:
        return _untried(request, home, flow, why.problems)
    except CannotGoBack as why:
        return JsonResponse({"detail": str(why)}, status=409)
    except (ReleaseNotFound, TrialRefused) as why:
        raise Http404 from why
    same = opened.release.documents().get(flow.filename) == text
    return JsonResponse({**_place(home, opened), "same": same, "note": note})


def _opened(
    request: HttpRequest, home: Assistant, told: Conversation | None, wanted: ConversationOptions
) -> tuple[Conversation, str]:
    """The test, and what is to be said of it."""
    if told and "turn" in request.POST:
        return gone_back(request, told), ""
    opened = open_test_conversation(home, wanted, account_of_request(request))
    return opened, _retold(told, opened) if told else ""


def _told(request: HttpRequest, assistant: str) -> Conversation | None:
    """The test whose lines are said again. What real people said is not taken over: a fork keeps it apart."""
    if not request.POST.get("again"):
        return None
    try:
        found = fetch_trial(request, assistant, UUID(request.POST["again"]))
    except ValueError as why:
        raise Http404 from why
    if found.trial.private:
        raise Http404
    return found


def _wanted(
    request: HttpRequest, home: Assistant, flow: Flow, text: str, told: Conversation | None
) -> ConversationOptions:
    asked = request.POST.get("of", DRAFT)
    texts = _documents(home, flow, text, asked)
    release = None if texts is not None else read_circumstances({"release": asked}).release
    if told is None:
        return ConversationOptions(release=release, documents=texts)
    known = told.trial
    return ConversationOptions(release, told.user_ref, told.language, nlu=known.nlu, stubs=known.stubs, documents=texts)


def _documents(home: Assistant, flow: Flow, text: str, asked: str) -> dict[str, str] | None:
    own = {flow.filename: text} if text else {}
    match asked:
        case "draft":
            return {**draft_documents(home), **own}
        case "alone":
            return {**documents_of(home), **own}
        case "saved":
            return documents_of(home)
        case _:
            return None


def _retold(told: Conversation, opened: Conversation) -> str:
    from dialogue.scenarios.resend import retell  # it makes turns

    whole = retell(told, opened)
    opened.refresh_from_db()
    return "" if whole else _("Not all could be said again: go on from here.")


def _place(home: Assistant, opened: Conversation) -> dict[str, Any]:
    known = (home.name, opened.pk)
    return {
        "test": str(opened.pk),
        "panel": reverse("dialogue:test_panel", args=known),
        "say": reverse("dialogue:test_say", args=known),
        "after": opened.last_message,
        "tried": _called(home, opened.release),
    }


def _called(home: Assistant, release: Release) -> str:
    if not release.trial:
        return _("release %(number)s") % {"number": release.number}
    return _("as saved last") if release.sha256 == digest_of(documents_of(home)) else _("draft")


def _untried(request: HttpRequest, home: Assistant, flow: Flow, problems: Sequence[Problem]) -> HttpResponse:
    """What is wrong, and what can be tried in its place."""
    asked = request.POST.get("of", DRAFT)
    others = asked == DRAFT and flow.filename not in {problem.file for problem in problems}
    facts = {
        "flow": flow,
        "problems": problems[:SHOWN],
        "more": len(problems[SHOWN:]),
        "alone": ALONE if others else "",
        "saved": SAVED if flow.head and asked != SAVED else "",
        "release": home.active_release,
    }
    return render(request, "dialogue/flows/test_blocked.html", facts, status=422)
