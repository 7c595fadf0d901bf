"""Make a test or a scenario of a conversation: fork it at a turn, or record it."""

from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dialogue.audit import chain
from dialogue.engine.source.problems import FlowProblems
from dialogue.models import Conversation, Trial
from dialogue.turns import clock
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_test
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.testing.views import console_page, fetch_test


class ForkRefused(Exception):
    """The conversation cannot go on from that turn; the message says why."""


@needs(may_test)
@require_POST
def fork_from_turn(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """Open a test that goes on from a turn of this conversation: a test, or a real one that this person may see."""
    source = _visible_conversation(request, assistant, conversation)
    try:
        fork = fork_at_turn(request, source)
    except ForkRefused as error:
        return _refusal_page(request, source, str(error))
    return redirect("dialogue:test_chat", assistant, fork.pk)


def fork_at_turn(request: HttpRequest, source: Conversation) -> Conversation:
    """Fork the conversation at the turn that the form names. Raises ForkRefused."""
    from dialogue.scenarios.forks import ForkFailed, TooManyTurns, TurnNotFound, fork_conversation  # it makes turns

    user = account_of_request(request)
    text = request.POST.get("turn", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
    try:
        return fork_conversation(source, number, user)[0]
    except (TurnNotFound, TooManyTurns, ForkFailed) as error:
        raise ForkRefused(_("It cannot go on from there: %s") % error) from error


def _refusal_page(request: HttpRequest, conversation: Conversation, refusal: str, status: int = 409) -> HttpResponse:
    """The refusal in the test console; as plain text for a real conversation."""
    if not Trial.objects.filter(pk=conversation.pk).exists():
        return HttpResponse(refusal, status=status, content_type="text/plain; charset=utf-8")
    test = fetch_test(request, conversation.assistant.name, conversation.pk)
    return console_page(request, test, refusal, status=status)


def _visible_conversation(request: HttpRequest, assistant: str, conversation: UUID) -> Conversation:
    return get_object_or_404(
        visible_conversations(person_of_request(request)), pk=conversation, assistant__name=assistant
    )


@needs(may_test)
@require_POST
def save_scenario(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """Record this conversation as a scenario: a test, or a real one that this person may see."""
    from dialogue.scenarios.format.stored import NameTaken, has_real_messages, record_conversation

    source = _visible_conversation(request, assistant, conversation)
    name = request.POST.get("name", "").strip()[:80]
    if not name or not source.last_turn:
        return _refusal_page(request, source, _("A scenario needs a name and at least one turn."), 422)
    user = account_of_request(request)
    try:
        document = record_conversation(source, name, user)
    except NameTaken:
        return _refusal_page(request, source, _("There are scenarios of this name already. Choose another name."))
    except FlowProblems as error:
        return _refusal_page(
            request, source, _("This conversation cannot become a scenario: %s") % error.problems[0].text
        )
    if has_real_messages(source):
        _record_act(source, "conversation.promoted", request, {"scenario": document.name})
    first_scenario = document.scenarios.get(place=0)
    return redirect(reverse("dialogue:scenarios", args=[assistant], query={"s": first_scenario.pk}))


def _record_act(conversation: Conversation, act: str, request: HttpRequest, facts: dict[str, str]) -> None:
    """Put on record who copied a real person's words out of a conversation."""
    person = person_of_request(request)
    with transaction.atomic():
        chain.record(conversation.pk, [chain.Act(act, person.name, person.id, facts=facts)], clock.now())
