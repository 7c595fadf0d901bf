"""What a person of the staff does in a turn of a scenario, through the desk's door: a status, as the API answers it."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import uuid4

from dialogue.desk.chats import chats
from dialogue.desk.command_bar import bar
from dialogue.desk.command_bar.lines import parse_line
from dialogue.desk.forms.refusals import LineRefused
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller, InputFormat, Refused
from dialogue.models import Conversation, HITLSession
from dialogue.scenarios.format.files import Named, OperatorTurn, Submit, plain_json

LINE_REFUSED_STATUS = 422
SESSION_MISSING_STATUS = 404
CHAT_OPERATIONS = ("say", "set_slot", "hand_back")


class SessionMissing(Exception):
    """The conversation has had no staff session, or none of that step."""


def perform_operation(turn: OperatorTurn, conversation: Conversation, caller: Caller) -> tuple[int, str]:
    """Carry out the turn's operation. Gives the status and, where it was refused, the sentence that says why."""
    try:
        return _operation_status(turn, conversation, caller), ""
    except Refused as error:
        return error.status, f"{error.code}: {error.detail}"
    except LineRefused as error:
        return LINE_REFUSED_STATUS, str(error)
    except SessionMissing as error:
        return SESSION_MISSING_STATUS, f"no staff session of {error}"


def _operation_status(turn: OperatorTurn, conversation: Conversation, caller: Caller) -> int:
    if turn.input is not None:
        return bar.run_command(parse_line(turn.input), caller).status
    if turn.operation in CHAT_OPERATIONS:
        return _chat_operation(turn, _chat_session(conversation), caller)
    return _gate_operation(turn, newest_session(conversation, _step_of(turn)), caller)


def newest_session(conversation: Conversation, step: str | None) -> HITLSession:
    """The newest staff session, of this step if one is named; final ones included."""
    rows = HITLSession.objects.filter(conversation=conversation, audience=HITLSession.Audience.STAFF)
    session = (rows.filter(step=step) if step else rows).order_by("-number").first()
    if session is None:
        raise SessionMissing(step or "any step")
    return session


def _chat_session(conversation: Conversation) -> HITLSession:
    """The newest session of a chat that was handed over, or else the newest one, which will refuse."""
    handoffs = HITLSession.objects.filter(conversation=conversation, kind=HITLSession.Kind.HANDOFF)
    return handoffs.order_by("-number").first() or newest_session(conversation, None)


def _step_of(turn: OperatorTurn) -> str | None:
    operation = getattr(turn, turn.operation)
    return operation.step if isinstance(operation, Named | Submit) else None


def _gate_operation(turn: OperatorTurn, session: HITLSession, caller: Caller) -> int:
    number, version = session.number, session.version
    if turn.submit is not None:
        answer = Answer(turn.submit.action, _as_body(turn.submit.values), InputFormat.JSON, turn.submit.reason)
        return service.submit(number, caller, answer, version=version, key=uuid4().hex).status
    if turn.expire is not None:
        return service.expire(number, caller, reason=turn.expire.reason, version=version).status
    if turn.cancel is not None:
        return service.cancel(number, caller, reason=turn.cancel.reason, version=version).status
    if turn.release is not None:
        return service.release(number, caller, version=version).status
    return service.claim(number, caller, version=version).status


def _as_body(values: Mapping[str, Any]) -> dict[str, Any]:
    """What a client of the API would send: decimals are numbers there."""
    body: dict[str, Any] = json.loads(json.dumps(dict(values), default=_as_json))
    return body


def _as_json(value: object) -> Any:
    return float(value) if isinstance(value, Decimal) else plain_json(value)


def _chat_operation(turn: OperatorTurn, session: HITLSession, caller: Caller) -> int:
    if turn.say is not None:
        return chats.say(session.number, caller, turn.say).status
    if turn.set_slot is not None:
        return chats.set_slots(session.number, caller, turn.set_slot).status
    return chats.hand_back(session.number, caller).status
