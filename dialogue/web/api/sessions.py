"""Sessions over HTTP: lists, one session, and every operation on it."""

import re
from datetime import timedelta
from typing import Any

from django.db.models import prefetch_related_objects
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Body as JsonBody
from ninja import Query, Router, Status

from dialogue.desk.access.people import visible_sessions
from dialogue.desk.access.token_scopes import SESSIONS_DECIDE, SESSIONS_READ, SESSIONS_SUPERVISE
from dialogue.desk.chats import chats
from dialogue.desk.protocols import mapping
from dialogue.desk.protocols.incoming import READERS
from dialogue.desk.protocols.mapping import AgentProtocol
from dialogue.desk.protocols.outgoing import interrupt_in
from dialogue.desk.queue.queue import SessionFilter, sessions_page
from dialogue.desk.sessions import links, serializers, service
from dialogue.desk.sessions.drafts import DraftText
from dialogue.desk.sessions.service import Answer, InputFormat, Outcome
from dialogue.models import HITLSession
from dialogue.turns import clock
from dialogue.turns.accept import storable_value
from dialogue.web.api.auth import BearerToken, SessionCookie, caller_of, person_of, scoped
from dialogue.web.api.problems import Problem, not_found
from dialogue.web.api.schemas import (
    REFUSED,
    Drafted,
    Empty,
    GateValue,
    HandedBack,
    Noted,
    OnSession,
    Prioritised,
    Reasoned,
    Said,
    SessionFilters,
    Submitted,
    Tagged,
    Together,
    Until,
    refuse_unknown_parameters,
)
from dialogue.web.gates import bulk_answers

router = Router(auth=[BearerToken(), SessionCookie()], tags=["sessions"])

_SESSION_NAME = re.compile(r"g([0-9]{1,18})")

SessionResponse = Status[dict[str, Any]]
ANSWERS: dict[Any, Any] = {200: dict[str, Any], 201: dict[str, Any], 202: dict[str, Any], REFUSED: None}
NOTHING = OnSession()
NO_REASON = Reasoned()
EMPTY = Empty()
HANDED_BACK = HandedBack()


@router.get("", response={200: dict[str, Any], REFUSED: None})
@scoped(SESSIONS_READ)
def list_sessions(request: HttpRequest, filters: Query[SessionFilters]) -> dict[str, Any]:
    """The sessions that wait for somebody, most urgent first; filters and orders as offered."""
    refuse_unknown_parameters(request, SessionFilters)
    criteria = filters.model_dump(exclude={"cursor", "limit"})
    with clock.cached_now():
        page = sessions_page(person_of(request), SessionFilter(**criteria), cursor=filters.cursor, limit=filters.limit)
        prefetch_related_objects(page.rows, "tags")
        return {"sessions": [serializers.session_summary(row) for row in page.rows], "next": page.next}


@router.post("/together", response={200: dict[str, Any], REFUSED: None})
@scoped(SESSIONS_DECIDE)
def answer_together(request: HttpRequest, body: Together) -> dict[str, Any]:
    """One answer for gates with the same form, each decided by itself: a row with a status for each."""
    numbers = [choice.session.removeprefix("g") for choice in body.sessions]
    groups = bulk_answers.group_by_form(bulk_answers.chosen_gates(person_of(request), numbers))
    if len(groups) > 1:
        raise Problem(422, "different_forms", _("These gates do not have the same form: answer each kind by itself."))
    answer = Answer(body.action, body.values, InputFormat.JSON, body.reason)
    refusal = bulk_answers.common_refusal(groups[0][0], answer) if groups else None
    if refusal is not None:
        raise refusal
    versions = {session_number(choice.session): choice.version for choice in body.sessions}
    results = bulk_answers.answer_all(
        caller_of(request), versions, answer, _idempotency_key(request, body.idempotency_key)
    )
    return {"results": [choice.plain() for choice in results]}


@router.get("/{name}", response={200: dict[str, Any], REFUSED: None})
@scoped(SESSIONS_READ)
def get_session(request: HttpRequest, name: str) -> dict[str, Any]:
    """One session with form, values, allowed actions, consequences and history."""
    person = person_of(request)
    return serializers.session_details(visible_session(request, name), person)


@router.post("/{name}/claim", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def claim(request: HttpRequest, name: str, body: OnSession = NOTHING) -> SessionResponse:
    return _session_response(request, service.claim(session_number(name), caller_of(request), version=body.version))


@router.post("/{name}/release", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def release(request: HttpRequest, name: str, body: OnSession = NOTHING) -> SessionResponse:
    return _session_response(request, service.release(session_number(name), caller_of(request), version=body.version))


@router.post("/{name}/takeover", response=ANSWERS)
@scoped(SESSIONS_SUPERVISE)
def take_over(request: HttpRequest, name: str, body: Reasoned = NO_REASON) -> SessionResponse:
    outcome = service.take_over(session_number(name), caller_of(request), reason=body.reason, version=body.version)
    return _session_response(request, outcome)


@router.post("/{name}/submit", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def submit(request: HttpRequest, name: str, body: Submitted) -> SessionResponse:
    """Decide. 201; the same key and body again 200; 202 while a second person has to agree."""
    answer = Answer(body.action, body.values, InputFormat.JSON, body.reason)
    caller, key = caller_of(request), _idempotency_key(request, body.idempotency_key)
    return _session_response(
        request, service.submit(session_number(name), caller, answer, version=body.version, key=key)
    )


@router.post("/{name}/expire", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def expire(request: HttpRequest, name: str, body: Reasoned = NO_REASON) -> SessionResponse:
    outcome = service.expire(session_number(name), caller_of(request), reason=body.reason, version=body.version)
    return _session_response(request, outcome)


@router.post("/{name}/extend", response=ANSWERS)
@scoped(SESSIONS_SUPERVISE)
def extend(request: HttpRequest, name: str, body: Until) -> SessionResponse:
    caller = caller_of(request)
    return _session_response(
        request, service.extend(session_number(name), caller, by=body.by, until=body.until, version=body.version)
    )


@router.post("/{name}/cancel", response=ANSWERS)
@scoped(SESSIONS_SUPERVISE)
def cancel(request: HttpRequest, name: str, body: Reasoned = NO_REASON) -> SessionResponse:
    outcome = service.cancel(session_number(name), caller_of(request), reason=body.reason, version=body.version)
    return _session_response(request, outcome)


@router.post("/{name}/snooze", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def snooze(request: HttpRequest, name: str, body: Until) -> SessionResponse:
    duration = body.until - clock.now() if body.until else body.by or timedelta(0)
    return _session_response(
        request, service.snooze(session_number(name), caller_of(request), duration, version=body.version)
    )


@router.post("/{name}/unsnooze", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def unsnooze(request: HttpRequest, name: str, body: OnSession = NOTHING) -> SessionResponse:
    return _session_response(request, service.unsnooze(session_number(name), caller_of(request), version=body.version))


@router.post("/{name}/draft", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def save_draft(request: HttpRequest, name: str, body: Drafted) -> SessionResponse:
    text = DraftText(body.values, body.action)
    return _session_response(
        request, service.save_draft(session_number(name), caller_of(request), text, version=body.version)
    )


@router.post("/{name}/note", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def note(request: HttpRequest, name: str, body: Noted) -> SessionResponse:
    return _session_response(
        request, service.add_note(session_number(name), caller_of(request), body.text, version=body.version)
    )


@router.post("/{name}/priority", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def prioritise(request: HttpRequest, name: str, body: Prioritised) -> SessionResponse:
    outcome = service.prioritise(session_number(name), caller_of(request), body.priority, version=body.version)
    return _session_response(request, outcome)


@router.post("/{name}/tags", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def tag(request: HttpRequest, name: str, body: Tagged) -> SessionResponse:
    """Put these words on the session, and no others."""
    return _session_response(request, service.set_tags(session_number(name), caller_of(request), body.tags))


@router.post("/{name}/retry", response=ANSWERS)
@scoped(SESSIONS_SUPERVISE)
def retry(request: HttpRequest, name: str, body: OnSession = NOTHING) -> SessionResponse:
    return _session_response(
        request, service.retry_delivery(session_number(name), caller_of(request), version=body.version)
    )


@router.post("/{name}/abandon", response=ANSWERS)
@scoped(SESSIONS_SUPERVISE)
def abandon(request: HttpRequest, name: str, body: Reasoned = NO_REASON) -> SessionResponse:
    outcome = service.abandon_delivery(
        session_number(name), caller_of(request), reason=body.reason, version=body.version
    )
    return _session_response(request, outcome)


@router.post("/{name}/say", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def say(request: HttpRequest, name: str, body: Said) -> SessionResponse:
    """Write to the customer, while a person has the chat; with a key that was sent before, nothing more is written."""
    key = _idempotency_key(request, body.idempotency_key)
    return _session_response(request, chats.say(session_number(name), caller_of(request), body.text, key))


@router.post("/{name}/slots", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def set_slots(request: HttpRequest, name: str, body: JsonBody[dict[str, Any]]) -> SessionResponse:
    """Set slots, by name; all of them or none, and once for an `Idempotency-Key` (a header)."""
    return _session_response(
        request,
        chats.set_slots(session_number(name), caller_of(request), body, InputFormat.JSON, _idempotency_key(request)),
    )


@router.post("/{name}/hand_back", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def hand_back(request: HttpRequest, name: str, body: HandedBack = HANDED_BACK) -> SessionResponse:
    """Give the chat back to the bot; once for a key."""
    key = _idempotency_key(request, body.idempotency_key)
    return _session_response(request, chats.hand_back(session_number(name), caller_of(request), key))


@router.post("/{name}/links/{link}/{act}", response=ANSWERS)
@scoped(SESSIONS_SUPERVISE)
def change_link(request: HttpRequest, name: str, link: str, act: str, body: Empty = EMPTY) -> SessionResponse:
    """Send an outside approver's link once more (`resend`), or close it for good (`revoke`); for supervisors."""
    change = {"resend": links.resend_link, "revoke": links.revoke_link}.get(act)
    if change is None or not (link.isascii() and link.isdigit() and len(link) < 18):
        raise not_found()
    return _session_response(request, change(session_number(name), int(link), caller_of(request)))


@router.get("/{name}/as/{dialect}", response={200: Any, REFUSED: None})
@scoped(SESSIONS_READ)
def ask_in(request: HttpRequest, name: str, dialect: str) -> Any:
    """The question in another dialect's shape: ag-ui, langchain or agent-inbox."""
    return interrupt_in(_dialect_or_404(dialect), visible_session(request, name))


@router.post("/{name}/as/{dialect}", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def answer_in(request: HttpRequest, name: str, dialect: str, body: JsonBody[Any]) -> SessionResponse:
    """The answer in that dialect's shape. 201 as `submit`; 200 where it leaves the gate alone."""
    protocol = _dialect_or_404(dialect)
    reply = READERS[protocol.value](body)
    key, caller = _idempotency_key(request), caller_of(request)
    return _session_response(request, mapping.submit_reply(protocol, session_number(name), caller, reply, key=key))


@router.put("/{name}/gates/{place}", response=ANSWERS)
@scoped(SESSIONS_DECIDE)
def answer_gate(request: HttpRequest, name: str, place: str, body: GateValue) -> SessionResponse:
    """Answer one field. 200; 201 when it was the last that is needed and there is only one action."""
    if not (place.isascii() and place.isdigit() and len(place) < 5):
        raise not_found()
    outcome = service.answer_field(session_number(name), int(place), caller_of(request), body.value, InputFormat.JSON)
    return _session_response(request, outcome)


def session_number(name: str) -> int:
    """The number of `g12`. Raises a 404 for anything else."""
    match = _SESSION_NAME.fullmatch(name)
    if not match:
        raise not_found()
    return int(match.group(1))


def _idempotency_key(request: HttpRequest, sent: str = "") -> str:
    """The key against doing it twice: the body's, or else the header's."""
    return str(storable_value(sent or request.headers.get("Idempotency-Key", "")[:200]))


def _dialect_or_404(name: str) -> AgentProtocol:
    try:
        return AgentProtocol(name)
    except ValueError:
        raise not_found() from None


def visible_session(request: HttpRequest, name: str) -> HITLSession:
    """The session of this name, if the caller may see it. Raises a 404."""
    session = visible_sessions(person_of(request)).filter(pk=session_number(name)).first()
    if session is None:
        raise not_found()
    return session


def _session_response(request: HttpRequest, outcome: Outcome) -> SessionResponse:
    return Status(outcome.status, serializers.session_details(outcome.session, person_of(request)))
