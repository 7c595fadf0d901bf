"""One conversation played again in two ways, side by side: two releases, or two ways to understand."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dialogue.desk.access.redaction import record_reading, redactor_for
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.releases.releases import ReleaseNotFound
from dialogue.library.releases.test_conversations import release_to_test
from dialogue.models import Conversation
from dialogue.turns.actions.test_world import understanding_named
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_test
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.testing.forms import DRAFT, UNDERSTANDINGS, TrialRefused, read_circumstances

AS_IT_WAS = "then"
"""Understanding as it was when the conversation took place."""
RELEASES = 50
MOST_TURNS = 200
NOT_PLAYED: dict[str, Any] = {"pairs": None, "differing": 0, "refusal": ""}


@dataclass(frozen=True)
class Side:
    """One way to play it: with which release, and by which understanding."""

    release: str
    nlu: str


@dataclass(frozen=True)
class Pair:
    """One turn on both sides; a side is None where its turn failed."""

    number: int
    said: str
    left: Any
    right: Any

    @property
    def differs(self) -> bool:
        return bool(self.left != self.right)


@needs(may_test)
@require_http_methods(["GET", "POST"])
def compare(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """GET asks what is to be played; POST plays it, which may ask a language model.

    Nothing real is asked: both sides run in memory, with what the actions gave then.
    """
    person = person_of_request(request)
    rows = visible_conversations(person)
    found = get_object_or_404(rows.select_related("assistant"), pk=conversation, assistant__name=assistant)
    record_reading(found, person, "page")
    sides = [_side(request, "left", str(_usual(found))), _side(request, "right", DRAFT)]
    facts = {
        "conversation": found,
        "assistant": found.assistant,
        "sides": sides,
        "releases": found.assistant.releases.filter(trial=False).order_by("-number")[:RELEASES],
        "understandings": UNDERSTANDINGS,
        **(_played(request, found, sides) if request.method == "POST" else NOT_PLAYED),
    }
    return render(request, "dialogue/testing/compare.html", facts, status=422 if facts["refusal"] else 200)


def _usual(found: Conversation) -> int | str:
    return DRAFT if found.release.trial else found.release.number


def _side(request: HttpRequest, name: str, usual: str) -> Side:
    given = request.POST if request.method == "POST" else request.GET
    return Side(given.get(name, usual), given.get(f"{name}_nlu", AS_IT_WAS))


def _played(request: HttpRequest, found: Conversation, sides: list[Side]) -> dict[str, Any]:
    if found.last_turn > MOST_TURNS:
        return {"pairs": [], "differing": 0, "refusal": _("Conversations of up to %s turns are compared.") % MOST_TURNS}
    try:
        left, right = [_replayed(found, side) for side in sides]
    except (TrialRefused, ReleaseNotFound):
        return {"pairs": [], "differing": 0, "refusal": _("Choose the draft or a release.")}
    except FlowProblems as why:
        first = why.problems[0]
        told = {"place": f"{first.file}:{first.line}", "text": first.text}
        return {"pairs": [], "differing": 0, "refusal": _("The draft makes no assistant: %(place)s, %(text)s") % told}
    said = _said(request, found)
    pairs = [
        Pair(one.number, said.get(one.number, one.kind), one.got, other.got)
        for one, other in zip(left, right, strict=True)
    ]
    return {"pairs": pairs, "differing": sum(pair.differs for pair in pairs), "refusal": ""}


def _replayed(found: Conversation, side: Side) -> Any:
    from dialogue.scenarios.replay import replay  # it runs turns

    again = side.nlu != AS_IT_WAS
    wanted = read_circumstances({"release": side.release, "nlu": side.nlu if again else ""})
    release = release_to_test(found.assistant, wanted.release)
    nlu = understanding_named(wanted.nlu, release) if wanted.nlu else None
    return async_to_sync(replay)(found, release, understand_again=again, nlu=nlu).turns


def _said(request: HttpRequest, found: Conversation) -> dict[int, str]:
    """What each turn answers, as this person may read it."""
    veil = redactor_for(person_of_request(request), found)
    turns = found.turns.select_related("event__message").order_by("number")
    return {turn.number: veil(turn.event.message.text) for turn in turns if turn.event.message}
