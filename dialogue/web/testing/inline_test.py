"""The test beside a flow's text, of the text as it is typed or of another version."""

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
from dialogue.web.flows.page import flow_or_404, flow_text
from dialogue.web.shared.people import account_of_request, needs
from dialogue.web.shared.permissions import may_test
from dialogue.web.testing.forms import DRAFT, FieldRefused, read_circumstances
from dialogue.web.testing.from_conversation import ForkRefused, fork_at_turn
from dialogue.web.testing.views import fetch_test

ALONE = "alone"
"""This flow's text with the others as they were saved."""
SAVED = "saved"
MAX_PROBLEMS = 4
"""Problems in the answer; the page lists all of them beside the text."""


@needs(may_test)
@require_POST
def begin_inline_test(request: HttpRequest, assistant: str, name: str) -> HttpResponse:
    """Open a test; answers `{test, panel, say, after, tried, same, note}`, or 422 with the problems.

    `of` is the draft, "alone", "saved" or a release's number; `again` a test whose lines are said once more, or with
    `turn` one that goes on from there on the text that it had; 409 when it cannot.
    """
    home, flow = flow_or_404(assistant, name)
    user = account_of_request(request)
    earlier_test = _earlier_test(request, assistant)
    text = flow_text(home, flow, draft_of(flow, user))
    try:
        test, note = _open_test(request, home, earlier_test, _circumstances(request, home, flow, text, earlier_test))
    except FlowProblems as error:
        return _blocked_page(request, home, flow, error.problems)
    except ForkRefused as error:
        return JsonResponse({"detail": str(error)}, status=409)
    except (ReleaseNotFound, FieldRefused) as error:
        raise Http404 from error
    same = test.release.documents().get(flow.filename) == text
    return JsonResponse({**_test_view(home, test), "same": same, "note": note})


def _open_test(
    request: HttpRequest, home: Assistant, earlier_test: Conversation | None, circumstances: ConversationOptions
) -> tuple[Conversation, str]:
    """The new test, and a note for its author."""
    if earlier_test and "turn" in request.POST:
        return fork_at_turn(request, earlier_test), ""
    test = open_test_conversation(home, circumstances, account_of_request(request))
    return test, _resend_messages(earlier_test, test) if earlier_test else ""


def _earlier_test(request: HttpRequest, assistant: str) -> Conversation | None:
    """The test whose messages are sent again. Raises Http404 for real people's words: only a fork keeps those apart."""
    if not request.POST.get("again"):
        return None
    try:
        test = fetch_test(request, assistant, UUID(request.POST["again"]))
    except ValueError as error:
        raise Http404 from error
    if test.trial.private:
        raise Http404
    return test


def _circumstances(
    request: HttpRequest, home: Assistant, flow: Flow, text: str, earlier_test: Conversation | None
) -> ConversationOptions:
    choice = request.POST.get("of", DRAFT)
    documents = _documents_to_test(home, flow, text, choice)
    release = None if documents is not None else read_circumstances({"release": choice}).release
    if earlier_test is None:
        return ConversationOptions(release=release, documents=documents)
    settings = earlier_test.trial
    return ConversationOptions(
        release,
        earlier_test.user_ref,
        earlier_test.language,
        nlu=settings.nlu,
        stubs=settings.stubs,
        documents=documents,
    )


def _documents_to_test(home: Assistant, flow: Flow, text: str, choice: str) -> dict[str, str] | None:
    typed_document = {flow.filename: text} if text else {}
    match choice:
        case "draft":
            return {**draft_documents(home), **typed_document}
        case "alone":
            return {**documents_of(home), **typed_document}
        case "saved":
            return documents_of(home)
        case _:
            return None


def _resend_messages(earlier_test: Conversation, test: Conversation) -> str:
    from dialogue.scenarios.resend import resend_messages  # it makes turns

    is_complete = resend_messages(earlier_test, test)
    test.refresh_from_db()
    return "" if is_complete else _("Not all could be said again: go on from here.")


def _test_view(home: Assistant, test: Conversation) -> dict[str, Any]:
    arguments = (home.name, test.pk)
    return {
        "test": str(test.pk),
        "panel": reverse("dialogue:test_panel", args=arguments),
        "say": reverse("dialogue:test_say", args=arguments),
        "after": test.last_message,
        "tried": _release_words(home, test.release),
    }


def _release_words(home: Assistant, release: Release) -> str:
    if not release.trial:
        return _("release %(number)s") % {"number": release.number}
    return _("as saved last") if release.sha256 == digest_of(documents_of(home)) else _("draft")


def _blocked_page(request: HttpRequest, home: Assistant, flow: Flow, problems: Sequence[Problem]) -> HttpResponse:
    """The problems, and what can be tested instead."""
    choice = request.POST.get("of", DRAFT)
    others_are_sound = choice == DRAFT and flow.filename not in {problem.file for problem in problems}
    facts = {
        "flow": flow,
        "problems": problems[:MAX_PROBLEMS],
        "more": len(problems[MAX_PROBLEMS:]),
        "alone": ALONE if others_are_sound else "",
        "saved": SAVED if flow.head and choice != SAVED else "",
        "release": home.active_release,
    }
    return render(request, "dialogue/flows/test_blocked.html", facts, status=422)
