"""Activating an earlier or a later release: the dialog that asks, and who does it."""

from collections import Counter
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.step_changes import StepChange, changed_steps
from dialogue.library.releases.releases import ReleaseNotFound, StaleRelease, activate, check_publishable
from dialogue.models import Assistant, Conversation, Release
from dialogue.web.releases.open_conversations import (
    MAX_WAITING_STEPS,
    WaitingStep,
    open_conversations,
    waiting_steps,
)
from dialogue.web.releases.posted import posted_base, posted_note
from dialogue.web.releases.release_list import release_list
from dialogue.web.shared.people import account_of_request, needs
from dialogue.web.shared.permissions import may_publish
from dialogue.web.shared.words.findings import in_field_words


@dataclass(frozen=True)
class ActivationPreview:
    """What the dialog says before a release is activated.

    `changes` is what new conversations will find different; `open` how many conversations stay on the release that is
    active now; `began` how many customers' conversations began on it; `problem` why the release cannot run here.
    """

    release: Release
    active: Release | None
    changes: list[StepChange]
    open: int
    began: int
    waiting_steps: list[WaitingStep]
    other_waiting: int
    problem: str

    @property
    def kinds(self) -> Counter[str]:
        return Counter(change.kind for change in self.changes)

    @property
    def goes_back(self) -> bool:
        return self.active is None or self.release.number < self.active.number

    @property
    def is_active(self) -> bool:
        return self.active is not None and self.release.pk == self.active.pk


@needs(may_publish)
@require_http_methods(["GET", "POST"])
def activate_release(request: HttpRequest, assistant: str, number: int) -> HttpResponse:
    """GET is the dialog that asks; POST makes the release the active one. Conversations that run stay on theirs."""
    home = get_object_or_404(Assistant.objects.select_related("active_release__published_by"), name=assistant)
    if request.method == "GET":
        return _dialog(request, home, number)
    number_before = home.active_release.number if home.active_release else number
    try:
        activate(home, number, account_of_request(request), note=posted_note(request), base=posted_base(request))
    except ReleaseNotFound:
        raise Http404 from None
    except StaleRelease:
        failure = _("Another release became active after you opened this. Nothing was changed; look again.")
        return _dialog(request, home, number, 409, failure)
    except FlowProblems as error:
        reason = {"number": number, "why": in_field_words(error.problems[0].text)}
        return _dialog(request, home, number, 409, _("Release %(number)s no longer runs here: %(why)s") % reason)
    return redirect(reverse("dialogue:releases", args=[home.name], query={"new": number, "before": number_before}))


def _dialog(request: HttpRequest, home: Assistant, number: int, status: int = 200, failure: str = "") -> HttpResponse:
    release = get_object_or_404(Release, assistant=home, number=number, trial=False)
    facts = {
        **release_list(request, home),
        "preview": activation_preview(home, release),
        "failure": failure,
        "note": posted_note(request),
    }
    return render(request, "dialogue/releases/activate.html", facts, status=status)


def activation_preview(assistant: Assistant, release: Release) -> ActivationPreview:
    """What activating this release would change now."""
    active, documents = assistant.active_release, release.documents()
    changes = changed_steps(active.documents() if active else {}, documents)
    staying = open_conversations(assistant).filter(release=active)
    waiting = waiting_steps(staying, {(change.flow, change.step) for change in changes})
    open_count = staying.count()
    return ActivationPreview(
        release=release,
        active=active,
        changes=changes,
        open=open_count,
        began=Conversation.objects.filter(release=active, test=False).count() if active else 0,
        waiting_steps=waiting[:MAX_WAITING_STEPS],
        other_waiting=open_count - sum(step.number for step in waiting[:MAX_WAITING_STEPS]),
        problem=_problem_of(documents),
    )


def _problem_of(documents: dict[str, str]) -> str:
    try:
        check_publishable(documents)
    except FlowProblems as error:
        return in_field_words(error.problems[0].text)
    return ""
