"""The calls of the API without input and output: generators that yield HTTP calls and receive their replies.

`Client` and `AsyncClient` run the same generators; only the sending differs.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeVar, Unpack, cast
from urllib.parse import quote
from uuid import uuid4

from soni_client.errors import StillWaiting, refusal_of
from soni_client.shapes import (
    AgentAnswer,
    AgentRequest,
    AskOptions,
    ConversationOptions,
    JsonObject,
    Message,
    OpenedConversation,
    RequestOptions,
    SessionFilters,
    TurnReply,
)

MAX_POLL_SECONDS = 30
"""A call that waits for a decision returns after so long at the latest, and is repeated."""
REPLY_SECONDS = 40.0
"""Time for an answer; a message may wait 25 seconds for its turn."""


@dataclass(frozen=True)
class Call:
    """One HTTP call below `/api/v1`. `token` replaces the client's; `repeatable` calls do the same when sent twice."""

    method: str
    path: str
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    token: str = ""
    repeatable: bool = True
    seconds: float = REPLY_SECONDS


@dataclass(frozen=True)
class Reply:
    """Status and JSON body of an answer."""

    status: int
    body: Any


Result = TypeVar("Result")
Steps = Generator[Call, Reply, Result]


def call_once(call: Call) -> Steps[Any]:
    """Return the body of the answer. Raises Refusal."""
    reply = yield call
    if not 200 <= reply.status < 300:
        raise refusal_of(reply.status, reply.body)
    return reply.body


def name_in_path(name: str) -> str:
    """Return a name for use in a path. Raises ValueError for one that would lead to another address."""
    if name in ("", ".", ".."):
        raise ValueError(f"{name!r} is not a name")
    return quote(name, safe="")


# Requests of agents


def create_request(ask: Any, **options: Unpack[RequestOptions]) -> Steps[AgentRequest]:
    """Return the request as it was opened. Raises Refusal, and TypeError if a required option is missing."""
    missing = [key for key in ("id", "source", "timeout", "on_timeout") if key not in options]
    if missing:
        raise TypeError(f"a request needs {', '.join(missing)}")
    return cast(
        AgentRequest, (yield from call_once(Call("POST", "/requests", {"dialect": "plain", **options, "ask": ask})))
    )


def get_request(request_id: str, wait: int = 0) -> Steps[AgentRequest]:
    """Return the request; with `wait`, once it is decided or after so many seconds. Raises Refusal."""
    path, query = f"/requests/{name_in_path(request_id)}", {"wait": wait} if wait else {}
    return cast(AgentRequest, (yield from call_once(Call("GET", path, query=query, seconds=REPLY_SECONDS + wait))))


def withdraw_request(request_id: str) -> Steps[AgentRequest]:
    """Withdraw the request. Raises Refusal: Conflict if it is decided."""
    path = f"/requests/{name_in_path(request_id)}"
    return cast(AgentRequest, (yield from call_once(Call("DELETE", path))))


def wait_for_answer(request_id: str, patience: float | None = None) -> Steps[AgentAnswer]:
    """Return what people decided. Raises Refusal, and StillWaiting after `patience` seconds."""
    until = None if patience is None else monotonic() + patience
    while True:
        remaining = MAX_POLL_SECONDS if until is None else max(0, min(MAX_POLL_SECONDS, int(until - monotonic())))
        request = yield from get_request(request_id, remaining)
        if request["state"] != "waiting":
            return AgentAnswer.of(request)
        if until is not None and monotonic() >= until - 1:
            raise StillWaiting(request_id)


def ask(question: Any, **options: Unpack[AskOptions]) -> Steps[AgentAnswer]:
    """Open the request, or find the one with this id, and wait. Raises Refusal and StillWaiting."""
    patience = options.pop("patience", None)
    request = yield from create_request(question, **cast(RequestOptions, options))
    if request["state"] == "waiting" or request["answer"] is None:
        return (yield from wait_for_answer(request["id"], patience))
    return AgentAnswer.of(request)


def follow_request(request_id: str) -> Call:
    """Return the call for a request's stream of events."""
    return Call("GET", f"/requests/{name_in_path(request_id)}/events")


# Conversations


def begin_conversation(assistant: str, **options: Unpack[ConversationOptions]) -> Steps[OpenedConversation]:
    """Open a conversation. Raises Refusal."""
    call = Call("POST", "/conversations", {"assistant": assistant, **options}, repeatable=False)
    return cast(OpenedConversation, (yield from call_once(call)))


def get_conversation(conversation_id: str, token: str) -> Steps[JsonObject]:
    """Return the state of a conversation, and what it waits for. Raises Refusal."""
    path = f"/conversations/{name_in_path(conversation_id)}"
    return cast(JsonObject, (yield from call_once(Call("GET", path, token=token))))


def send_message(
    conversation_id: str, token: str, *, text: str | None, choice: str | None, message_id: str
) -> Steps[TurnReply]:
    """Send a line or a button's value and return the reply; after a 202 the call is repeated. Raises Refusal."""
    line = {"text": text} if choice is None else {"choice": choice}
    body = {"id": message_id or uuid4().hex, **line}
    path = f"/conversations/{name_in_path(conversation_id)}/messages"
    while True:
        reply = yield from call_once(Call("POST", path, body, token=token))
        if "messages" in reply:
            return cast(TurnReply, reply)


def list_messages(conversation_id: str, token: str, after: int = 0) -> Steps[list[Message]]:
    """Return all lines behind `after`. Raises Refusal."""
    lines: list[Message] = []
    path = f"/conversations/{name_in_path(conversation_id)}/messages"
    position: int | None = after
    while position is not None:
        page = yield from call_once(Call("GET", path, query={"after": position} if position else {}, token=token))
        lines.extend(page["messages"])
        position = page["next"]
    return lines


def follow_conversation(conversation_id: str, token: str) -> Call:
    """Return the call for a conversation's stream of events."""
    return Call("GET", f"/conversations/{name_in_path(conversation_id)}/events", token=token)


# Sessions


def list_sessions(cursor: str = "", **filters: Unpack[SessionFilters]) -> Steps[JsonObject]:
    """Return one page: `{sessions, next}`. Raises Refusal."""
    query = {
        name: _query_text(value) for name, value in {**filters, "cursor": cursor}.items() if value not in ("", None)
    }
    return cast(JsonObject, (yield from call_once(Call("GET", "/sessions", query=query))))


def get_session(session: str) -> Steps[JsonObject]:
    """Return one session with form, values, actions, version and history. Raises Refusal."""
    return cast(JsonObject, (yield from call_once(Call("GET", f"/sessions/{name_in_path(session)}"))))


def get_receipt(session: str) -> Steps[JsonObject]:
    """Return the receipt of a decision. Raises Refusal: Conflict while there is none."""
    return cast(JsonObject, (yield from call_once(Call("GET", f"/sessions/{name_in_path(session)}/receipt"))))


def get_receipt_keys() -> Steps[JsonObject]:
    """Return the public keys of the installation's receipts. Raises Refusal."""
    return cast(JsonObject, (yield from call_once(Call("GET", "/receipts/keys"))))


def change_claim(session: str, act: str, version: int | None) -> Steps[JsonObject]:
    """Claim or release a session. Raises Refusal."""
    body = {} if version is None else {"version": version}
    return cast(JsonObject, (yield from call_once(Call("POST", f"/sessions/{name_in_path(session)}/{act}", body))))


def decide_session(session: str, action: str, **answer: Any) -> Steps[JsonObject]:
    """Decide a session once, however often the call is repeated. Raises Refusal."""
    values = {name: value for name, value in answer.items() if value is not None}
    body = {"action": action, **values, "idempotency_key": values.get("idempotency_key") or uuid4().hex}
    return cast(JsonObject, (yield from call_once(Call("POST", f"/sessions/{name_in_path(session)}/submit", body))))


def _query_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
