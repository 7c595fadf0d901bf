"""The response of an event that a program has sent."""

from typing import Any

from django.http import HttpRequest

from dialogue.models import Conversation
from dialogue.turns.accept import Accepted
from dialogue.web.shared.deferred import respond_later

JsonObject = dict[str, Any]


def answer_turn(request: HttpRequest, conversation: Conversation, accepted: Accepted) -> Any:
    """The response of an event that a program has sent: after its turn, or at once where the caller prefers that."""
    from dialogue.web.api import turn_reply  # the engine is loaded with the first turn, not at start

    event = {"event": accepted.number}

    async def respond_at_once() -> tuple[int, JsonObject]:
        turn_reply.start_turn(conversation.pk, accepted)
        return 202, event

    async def respond_with_reply() -> tuple[int, JsonObject]:
        answer = await turn_reply.wait_for_reply(conversation.pk, accepted, insight=False)
        return (200, {**event, **answer}) if answer else (202, event)

    is_async = "respond-async" in request.headers.get("Prefer", "")
    return respond_later(request, respond_at_once if is_async else respond_with_reply)
