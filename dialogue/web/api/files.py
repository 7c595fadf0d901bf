"""Files over HTTP: a customer or a member of staff sends them as multipart/form-data, and who may read fetches them."""

from typing import Any

from django.http import FileResponse, Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Status

from dialogue.desk.access.token_scopes import CHAT, CONVERSATIONS_READ, SESSIONS_DECIDE
from dialogue.desk.sessions.form_files import receive_form_files
from dialogue.models import HITLSession
from dialogue.turns.files.refusals import FileRefused
from dialogue.turns.live.notify import notify_conversation
from dialogue.turns.live.serializers import message_view
from dialogue.web.api.access import read_access
from dialogue.web.api.auth import BearerToken, SessionCookie, caller_of, scoped
from dialogue.web.api.problems import Problem, not_found
from dialogue.web.api.schemas import REFUSED
from dialogue.web.api.sessions import visible_session
from dialogue.web.shared.deferred import respond_later
from dialogue.web.shared.downloads import file_response, find_file
from dialogue.web.shared.limits import address_of, count_message

router = Router(tags=["files"])
session_router = Router(auth=[BearerToken(), SessionCookie()], tags=["files"])

JsonObject = dict[str, Any]
ANSWERS: dict[Any, Any] = {200: JsonObject, 201: JsonObject, 202: JsonObject, REFUSED: None}
MAX_ID_CHARACTERS = 100


@router.post("/{conversation_id}/files", response=ANSWERS)
@scoped(CHAT)
def post_files(request: HttpRequest, conversation_id: str) -> Any:
    """Send files (`file`, as often as needed) with the sender's own `id`, and wait for the answer as for a message."""
    from dialogue.turns.files.sending import send_files  # the engine is loaded with the first file, not at start
    from dialogue.web.api import turn_reply

    access = read_access(request, conversation_id)
    conversation = access.for_writing()
    count_message(conversation, address_of(request))
    client_id = request.POST.get("id", "")
    if not 0 < len(client_id) <= MAX_ID_CHARACTERS or "\0" in client_id:
        field = {"name": "id", "rule": "required", "message": _("Send an id of your own, at most 100 characters.")}
        raise Problem(422, "invalid", field["message"], [field])
    uploads: list[Any] = list(request.FILES.getlist("file"))
    try:
        accepted = send_files(conversation, client_id, uploads, turn_reply.lease_owner())
    except FileRefused as refused:
        notify_conversation(conversation.pk)
        raise _problem(refused) from None
    line = {} if accepted.line is None else {"line": message_view(accepted.line)}
    event = {"event": accepted.number, **line}

    async def respond_at_once() -> tuple[int, JsonObject]:
        turn_reply.start_turn(conversation.pk, accepted)
        return 202, event

    async def respond_with_reply() -> tuple[int, JsonObject]:
        answer = await turn_reply.wait_for_reply(conversation.pk, accepted, insight=access.has_insight)
        return (200, answer) if answer else (202, event)

    return respond_later(
        request, respond_at_once if "respond-async" in request.headers.get("Prefer", "") else respond_with_reply
    )


@router.get("/{conversation_id}/files/{file_id}", response=ANSWERS)
@scoped(CHAT, CONVERSATIONS_READ)
def get_file(request: HttpRequest, conversation_id: str, file_id: str) -> FileResponse:
    """The content of a file, as an attachment. A sensitive one needs the right to see sensitive values."""
    access = read_access(request, conversation_id)
    row = find_file(access.conversation.pk, file_id)
    if row is None:
        raise not_found()
    if row.session_id is not None and not access.has_insight:
        raise not_found()  # what staff sent to each other is not the customer's
    if row.sensitive and not access.is_end_user and not access.sees_sensitive_values:
        raise Problem(
            403, "not_allowed", _("This file is sensitive. Ask to see the values of this conversation first.")
        )
    try:
        return file_response(row)
    except Http404:
        raise not_found() from None


@session_router.post("/{name}/files", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def post_form_files(request: HttpRequest, name: str) -> Status[JsonObject]:
    """Store files for the `field` of a gate's form; submit the `id`s as its value afterwards."""
    session: HITLSession = visible_session(request, name)
    field = request.POST.get("field", "")
    try:
        rows = receive_form_files(session, field, request.FILES.getlist("file"), caller_of(request))
    except FileRefused as refused:
        raise _problem(refused) from None
    return Status(201, {"files": [row.value for row in rows]})


def _problem(refused: FileRefused) -> Problem:
    field = {"name": "file", "rule": refused.code, "message": refused.detail}
    return Problem(refused.status, refused.code, refused.detail, [field])
