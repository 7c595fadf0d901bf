"""Replay a conversation twice, side by side: with two releases, or with two NLU modes."""

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
from dialogue.web.shared.words.understanding import WAYS_OF_TESTS
from dialogue.web.testing.forms import DRAFT, FieldRefused, read_circumstances

UNDERSTANDING_OF_THEN = "then"
"""Use the commands that were understood when the conversation took place."""
MAX_RELEASES = 50
MAX_COMPARED_TURNS = 200
NO_COMPARISON: dict[str, Any] = {"pairs": None, "differing": 0, "refusal": ""}


@dataclass(frozen=True)
class Side:
    """One replay: the release and the NLU mode."""

    release: str
    nlu: str


@dataclass(frozen=True)
class ComparedTurn:
    """One turn of both replays; a side is None where its turn failed."""

    number: int
    text: str
    left: Any
    right: Any

    @property
    def differs(self) -> bool:
        return bool(self.left != self.right)


@needs(may_test)
@require_http_methods(["GET", "POST"])
def compare_conversation(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """GET is the form; POST replays the conversation, which may call a language model.

    No action is called: both replays run in memory, with the actions' recorded results.
    """
    person = person_of_request(request)
    rows = visible_conversations(person)
    conversation_row = get_object_or_404(rows.select_related("assistant"), pk=conversation, assistant__name=assistant)
    record_reading(conversation_row, person, "page")
    sides = [
        _side_of_form(request, "left", str(_default_release(conversation_row))),
        _side_of_form(request, "right", DRAFT),
    ]
    facts = {
        "conversation": conversation_row,
        "assistant": conversation_row.assistant,
        "sides": sides,
        "releases": conversation_row.assistant.releases.filter(trial=False).order_by("-number")[:MAX_RELEASES],
        "understandings": WAYS_OF_TESTS.items(),
        **(_comparison(request, conversation_row, sides) if request.method == "POST" else NO_COMPARISON),
    }
    return render(request, "dialogue/testing/compare.html", facts, status=422 if facts["refusal"] else 200)


def _default_release(conversation: Conversation) -> int | str:
    return DRAFT if conversation.release.trial else conversation.release.number


def _side_of_form(request: HttpRequest, name: str, default_release: str) -> Side:
    parameters = request.POST if request.method == "POST" else request.GET
    return Side(parameters.get(name, default_release), parameters.get(f"{name}_nlu", UNDERSTANDING_OF_THEN))


def _comparison(request: HttpRequest, conversation: Conversation, sides: list[Side]) -> dict[str, Any]:
    if conversation.last_turn > MAX_COMPARED_TURNS:
        return {
            "pairs": [],
            "differing": 0,
            "refusal": _("Conversations of up to %s turns are compared.") % MAX_COMPARED_TURNS,
        }
    try:
        left, right = [_replay_turns(conversation, side) for side in sides]
    except (FieldRefused, ReleaseNotFound):
        return {"pairs": [], "differing": 0, "refusal": _("Choose the draft or a release.")}
    except FlowProblems as error:
        first_problem = error.problems[0]
        problem = {"place": f"{first_problem.file}:{first_problem.line}", "text": first_problem.text}
        return {
            "pairs": [],
            "differing": 0,
            "refusal": _("The draft has a problem, so it cannot be replayed: %(place)s, %(text)s") % problem,
        }
    texts = _texts_by_turn(request, conversation)
    pairs = [
        ComparedTurn(left_turn.number, texts.get(left_turn.number, left_turn.kind), left_turn.got, right_turn.got)
        for left_turn, right_turn in zip(left, right, strict=True)
    ]
    return {"pairs": pairs, "differing": sum(pair.differs for pair in pairs), "refusal": ""}


def _replay_turns(conversation: Conversation, side: Side) -> Any:
    from dialogue.scenarios.replay import replay_conversation  # it runs turns

    understand_again = side.nlu != UNDERSTANDING_OF_THEN
    circumstances = read_circumstances({"release": side.release, "nlu": side.nlu if understand_again else ""})
    release = release_to_test(conversation.assistant, circumstances.release)
    nlu = understanding_named(circumstances.nlu, release) if circumstances.nlu else None
    return async_to_sync(replay_conversation)(conversation, release, understand_again=understand_again, nlu=nlu).turns


def _texts_by_turn(request: HttpRequest, conversation: Conversation) -> dict[int, str]:
    """The message that each turn answers, redacted for this person."""
    redact = redactor_for(person_of_request(request), conversation)
    turns = conversation.turns.select_related("event__message").order_by("number")
    return {turn.number: redact(turn.event.message.text) for turn in turns if turn.event.message}
