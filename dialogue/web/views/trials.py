"""What can be made of a conversation: a test that goes on from one of its turns."""

from uuid import UUID

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from dialogue.models import Conversation
from dialogue.web.people import needs, person_of_request
from dialogue.web.scope import visible_conversations
from dialogue.web.views.testing import fetch_trial, may_test, whole_page


@needs(may_test)
@require_POST
def go_back(request: HttpRequest, assistant: str, conversation: UUID) -> HttpResponse:
    """A new test that goes on from a turn of this conversation, a test or a real one that this person may see."""
    from dialogue.scenarios.forks import ForkFailed, TooManyTurns, TurnNotFound, fork  # it makes turns

    found = _seen(request, assistant, conversation)
    user = request.user if isinstance(request.user, User) else None
    try:
        made = fork(found, _number(request.POST.get("turn", "")), user)
    except (TurnNotFound, TooManyTurns, ForkFailed) as why:
        return _refused(request, found, _("It cannot go on from there: %s") % why)
    return redirect("test_chat", assistant, made.pk)


def _refused(request: HttpRequest, found: Conversation, why: str) -> HttpResponse:
    return whole_page(request, fetch_trial(request, found.assistant.name, found.pk), why, status=409)


def _seen(request: HttpRequest, assistant: str, conversation: UUID) -> Conversation:
    return get_object_or_404(
        visible_conversations(person_of_request(request)), pk=conversation, assistant__name=assistant
    )


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1
