"""What other programs report to a conversation: events that flows wait for."""

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from dialogue.desk.access.token_scopes import CONVERSATIONS_SIGNAL
from dialogue.models import Conversation
from dialogue.turns.accept import Accepted
from dialogue.turns.waiting.reports import (
    MAX_PAYLOAD_BYTES,
    PayloadRefused,
    PayloadTooLarge,
    UnknownEvent,
    report_event,
)
from dialogue.web.api.access import read_access
from dialogue.web.api.auth import scoped
from dialogue.web.api.event_stream import router  # the address is that of the stream, so the view is one
from dialogue.web.api.problems import Problem, part_too_large, wrong_fields
from dialogue.web.api.replies import answer_turn
from dialogue.web.api.schemas import REFUSED, ReportedEvent

__all__ = ["router"]

JsonObject = dict[str, Any]
ANSWERS: dict[Any, Any] = {200: JsonObject, 202: JsonObject, REFUSED: None}


@router.post("/{conversation_id}/events", response=ANSWERS)
@scoped(CONVERSATIONS_SIGNAL)
def post_event(request: HttpRequest, conversation_id: str, body: ReportedEvent) -> Any:
    """Report an event that flows wait for, once for each `id`; `awaited` in the answer says whether one did.

    Waits for the turn; with `Prefer: respond-async` only for the event's acceptance.
    """
    access = read_access(request, conversation_id)
    access.for_signalling()
    accepted = _accept(access.conversation, body)
    return answer_turn(request, access.conversation, accepted)


def _accept(conversation: Conversation, body: ReportedEvent) -> Accepted:
    from dialogue.web.api import turn_reply

    try:
        return report_event(conversation, body.event, body.payload, body.id, turn_reply.lease_owner())
    except UnknownEvent as error:
        message = " ".join([_("The assistant declares no event of this name."), *error.args]).strip()
        field = {"name": "event", "rule": "unknown", "message": message, "value": body.event}
        raise Problem(422, "unknown_event", message, [field]) from None
    except PayloadRefused as error:
        raise wrong_fields("payload", error.payload.wrong) from None
    except PayloadTooLarge:
        raise part_too_large("payload", MAX_PAYLOAD_BYTES) from None
