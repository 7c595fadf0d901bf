"""Replies in other protocols, validated by their published shapes and read into one type."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError


class ReplyRefused(ValueError):
    """The body does not have the protocol's published shape; the text says where it differs."""


@dataclass(frozen=True)
class ProtocolReply:
    """A reply in one protocol: its word, its values, and what it is about if the protocol says so."""

    word: str
    values: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    action: str = ""
    thread: str = ""
    interrupt: str = ""
    about: str = ""


class _Shape(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _EditedAction(_Shape):
    name: str
    args: dict[str, Any]


class _Approve(_Shape):
    type: Literal["approve"]


class _Edit(_Shape):
    type: Literal["edit"]
    edited_action: _EditedAction


class _Reject(_Shape):
    type: Literal["reject"]
    message: str = ""


class _Respond(_Shape):
    type: Literal["respond"]
    message: str


_Decision = _Approve | _Edit | _Reject | _Respond


class _Decisions(_Shape):
    decisions: Annotated[list[Annotated[_Decision, Field(discriminator="type")]], Field(min_length=1, max_length=1)]


class _ActionRequest(_Shape):
    action: str
    args: dict[str, Any]


class _InboxAccept(_Shape):
    type: Literal["accept"]
    args: _ActionRequest | None = None


class _InboxEdit(_Shape):
    type: Literal["edit"]
    args: _ActionRequest


class _InboxResponse(_Shape):
    type: Literal["response"]
    args: str


class _InboxIgnore(_Shape):
    type: Literal["ignore"]
    args: None = None


_Inbox = _InboxAccept | _InboxEdit | _InboxResponse | _InboxIgnore
_InboxReplies = Annotated[list[Annotated[_Inbox, Field(discriminator="type")]], Field(min_length=1, max_length=1)]


class _Payload(_Shape):
    """An answer by the responseSchema (action, values, reason), or an approval as tool calls get it."""

    action: str = ""
    values: dict[str, Any] = {}
    reason: str = ""
    approved: bool | None = None
    editedArgs: dict[str, Any] | None = None


class _Resolved(_Shape):
    interruptId: str
    status: Literal["resolved"]
    payload: _Payload


class _Cancelled(_Shape):
    interruptId: str
    status: Literal["cancelled"]


_Resume = Annotated[_Resolved | _Cancelled, Field(discriminator="status")]


class _RunInput(_Shape):
    threadId: str
    resume: Annotated[list[_Resume], Field(min_length=1, max_length=1)]


def langchain_reply(body: Any) -> ProtocolReply:
    """`{"decisions": [{"type": "approve" | "edit" | "reject" | "respond", …}]}`. Raises ReplyRefused."""
    decision: _Decision = _validate(_Decisions, body).decisions[0]
    match decision:
        case _Approve():
            return ProtocolReply("approve")
        case _Edit():
            return ProtocolReply("edit", decision.edited_action.args, about=decision.edited_action.name)
        case _Reject():
            return ProtocolReply("reject", text=decision.message)
        case _Respond():
            return ProtocolReply("respond", text=decision.message)


def inbox_reply(body: Any) -> ProtocolReply:
    """`[{"type": "accept" | "edit" | "response" | "ignore", "args": …}]`, or that one object. Raises ReplyRefused."""
    reply: _Inbox = _validate(_InboxReplies, body if isinstance(body, list) else [body])[0]
    match reply:
        case _InboxAccept():
            return ProtocolReply("accept", about=reply.args.action if reply.args else "")
        case _InboxEdit():
            values = {name: as_text(value) for name, value in reply.args.args.items()}
            return ProtocolReply("edit", values, about=reply.args.action)
        case _InboxResponse():
            return ProtocolReply("response", text=reply.args)
        case _InboxIgnore():
            return ProtocolReply("ignore")


def as_text(value: Any) -> str:
    """Return a value as it would be typed: "" for null, JSON for lists and objects."""
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return "" if value is None else str(value)


def ag_ui_reply(body: Any) -> ProtocolReply:
    """A RunAgentInput with one entry in `resume`. Raises ReplyRefused."""
    run_input: _RunInput = _validate(_RunInput, body)
    entry = run_input.resume[0]
    reply = ProtocolReply("cancelled") if isinstance(entry, _Cancelled) else _resolved_reply(entry.payload)
    return replace(reply, thread=run_input.threadId, interrupt=entry.interruptId)


def _resolved_reply(payload: _Payload) -> ProtocolReply:
    if payload.approved is None:
        return ProtocolReply("action", payload.values, payload.reason, payload.action)
    if not payload.approved:
        return ProtocolReply("denied", text=payload.reason)
    return ProtocolReply("edited", payload.editedArgs) if payload.editedArgs else ProtocolReply("approved")


READERS: dict[str, Callable[[Any], ProtocolReply]] = {
    "ag-ui": ag_ui_reply,
    "langchain": langchain_reply,
    "agent-inbox": inbox_reply,
}
"""The reader of each protocol, by its name."""


def _validate(shape: Any, body: Any) -> Any:
    try:
        return TypeAdapter(shape).validate_python(body)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(str(part) for part in fault["loc"]) or "body"
        raise ReplyRefused(f"{path}: {fault['msg']}") from None
