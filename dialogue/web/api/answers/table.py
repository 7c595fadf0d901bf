"""Which body each call answers with, by status; the OpenAPI document has them."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from dialogue.web.api.answers.assistants import (
    CheckedText,
    FlowProblemsAnswer,
    FormattedText,
    GraphChanges,
    KeptDraft,
    OpenedFlow,
    PublishedRelease,
    Release,
    ReleasePage,
    SavedFlow,
    StaleVersion,
    ValueChanges,
)
from dialogue.web.api.answers.conversations import (
    AcceptedEvent,
    CancelledPlan,
    ContactAnswer,
    ConversationPage,
    ConversationState,
    ForkedConversation,
    LeftConversation,
    OpenedConversation,
    Planned,
    PlannedList,
    Transcript,
    TurnPage,
    TurnRecord,
    TurnReply,
    Unmasked,
)
from dialogue.web.api.answers.parts import COMPONENT, Keys, Receipt
from dialogue.web.api.answers.sessions import (
    AgentRequestState,
    BulkResults,
    OpenedAgentRequest,
    ReplacedCallbackSecret,
    SessionDetails,
    SessionPage,
    StoredFiles,
)

Model = type[BaseModel]
Bodies = Mapping[int, Model | tuple[Model, ...] | Any]

ANYTHING: Any = {"description": "Any JSON value."}
OBJECT: Any = {"type": "object"}
CHANGED: Bodies = {200: SessionDetails}
DECIDED: Bodies = {200: SessionDetails, 201: SessionDetails, 202: SessionDetails}
TURN: Bodies = {200: TurnReply, 202: (AcceptedEvent, Planned)}
_CONVERSATION, _SESSION = "/conversations/{conversation_id}", "/sessions/{name}"
_FLOW = "/assistants/{assistant}/flows/{flow}"
_SESSION_ACTS = (
    *("claim", "release", "takeover", "expire", "extend", "cancel", "snooze", "unsnooze", "draft", "note"),
    *("priority", "tags", "retry", "abandon", "say", "slots", "hand_back", "links/{link}/{act}"),
)

STREAM, CONTENT = "text/event-stream", "application/octet-stream"
OTHER_CONTENT: Mapping[str, str] = {
    f"get {_CONVERSATION}/events": STREAM,
    "get /requests/{ref}/events": STREAM,
    f"get {_CONVERSATION}/files/{{file_id}}": CONTENT,
}
"""Calls whose answer is not JSON, with its media type."""

ANSWERS: Mapping[str, Bodies] = {
    "post /conversations": {201: OpenedConversation},
    "get /conversations": {200: ConversationPage},
    f"get {_CONVERSATION}": {200: ConversationState},
    f"post {_CONVERSATION}/messages": TURN,
    f"get {_CONVERSATION}/messages": {200: Transcript},
    f"get {_CONVERSATION}/turns": {200: TurnPage},
    f"get {_CONVERSATION}/turns/{{number}}": {200: TurnRecord},
    f"post {_CONVERSATION}/cancel": {202: ConversationState},
    f"post {_CONVERSATION}/unmask": {200: Unmasked},
    f"post {_CONVERSATION}/mask": {200: Unmasked},
    f"post {_CONVERSATION}/leave": {200: LeftConversation},
    f"post {_CONVERSATION}/fork": {201: ForkedConversation},
    f"post {_CONVERSATION}/events": TURN,
    f"post {_CONVERSATION}/start": TURN,
    f"get {_CONVERSATION}/planned": {200: PlannedList},
    f"post {_CONVERSATION}/planned/{{number}}/cancel": {200: CancelledPlan},
    f"get {_CONVERSATION}/contact": {200: ContactAnswer},
    f"post {_CONVERSATION}/contact": {200: ContactAnswer},
    f"post {_CONVERSATION}/files": TURN,
    "get /receipts/keys": {200: Keys},
    "post /requests": {200: OpenedAgentRequest, 201: OpenedAgentRequest},
    "post /requests/callback-secret/replace": {200: ReplacedCallbackSecret},
    "get /requests/{ref}": {200: AgentRequestState},
    "delete /requests/{ref}": {200: AgentRequestState},
    "get /sessions": {200: SessionPage},
    "post /sessions/together": {200: BulkResults},
    f"get {_SESSION}": {200: SessionDetails},
    f"get {_SESSION}/receipt": {200: Receipt},
    f"post {_SESSION}/submit": DECIDED,
    f"get {_SESSION}/as/{{dialect}}": {200: ANYTHING},
    f"post {_SESSION}/as/{{dialect}}": DECIDED,
    f"put {_SESSION}/gates/{{place}}": DECIDED,
    f"post {_SESSION}/files": {201: StoredFiles},
    **{f"post {_SESSION}/{act}": CHANGED for act in _SESSION_ACTS},
    "post /assistants/{assistant}/check": {200: CheckedText},
    "get /assistants/{assistant}/schema.json": {200: OBJECT},
    f"get {_FLOW}": {200: OpenedFlow},
    f"put {_FLOW}": {200: SavedFlow, 201: SavedFlow, 409: StaleVersion, 422: FlowProblemsAnswer},
    f"post {_FLOW}/draft": {200: KeptDraft},
    f"post {_FLOW}/edit": {200: GraphChanges},
    f"post {_FLOW}/values": {200: ValueChanges},
    f"post {_FLOW}/format": {200: FormattedText},
    "get /assistants/{assistant}/releases": {200: ReleasePage},
    "post /assistants/{assistant}/releases": {201: PublishedRelease},
    "post /assistants/{assistant}/releases/{number}/activate": {200: Release},
}
"""By method and path below `/api/v1`."""

IN_PLACE = f"get {_CONVERSATION}/messages"
"""The call whose body is described in its place, for programs that read it there."""


def describe_answers(paths: dict[str, Any], schemas: dict[str, Any], prefix: str) -> None:
    """Write each call's bodies into the OpenAPI document: its own statuses and no others below 400."""
    definitions = _definitions(prefix)
    schemas.update(definitions)
    for path, calls in paths.items():
        for method, call in calls.items():
            name = f"{method} {path[path.index('/v1') + 3 :]}"
            if name in OTHER_CONTENT:
                _keep_statuses(call, {200})
                content = {OTHER_CONTENT[name]: {"schema": {"type": "string", "format": "binary"}}}
                call["responses"][200] = {"description": "OK", "content": content}
            elif name in ANSWERS:
                _describe_bodies(call, ANSWERS[name], definitions if name == IN_PLACE else {}, prefix)


def _describe_bodies(call: dict[str, Any], bodies: Bodies, in_place: dict[str, Any], prefix: str) -> None:
    _keep_statuses(call, set(bodies))
    for status, body in bodies.items():
        response = call["responses"].setdefault(status, {"description": "OK"})
        schema = _schema_of(body, prefix)
        schema = in_place.get(schema.get("$ref", "").removeprefix(prefix), schema)
        response["content"] = {**response.get("content", {}), "application/json": {"schema": schema}}


def _keep_statuses(call: dict[str, Any], statuses: set[int]) -> None:
    for status in [status for status in call["responses"] if int(status) < 400 and status not in statuses]:
        del call["responses"][status]


def _schema_of(body: Any, prefix: str) -> dict[str, Any]:
    if isinstance(body, tuple):
        return {"anyOf": [_schema_of(model, prefix) for model in body]}
    return dict(body) if isinstance(body, dict) else {"$ref": f"{prefix}{body.__name__}"}


def _definitions(prefix: str) -> dict[str, Any]:
    bodies = [body for answer in ANSWERS.values() for body in answer.values()]
    models = [model for body in bodies for model in (body if isinstance(body, tuple) else (body,))]
    kinds = dict.fromkeys(model for model in models if isinstance(model, type))
    _map, schema = models_json_schema([(model, "validation") for model in kinds], ref_template=f"{prefix}{{model}}")
    definitions: dict[str, Any] = _with_components(schema["$defs"], prefix)
    return definitions


def _with_components(value: Any, prefix: str) -> Any:
    if isinstance(value, list):
        return [_with_components(item, prefix) for item in value]
    if not isinstance(value, dict):
        return value
    if COMPONENT in value:
        return {"$ref": f"{prefix}{value[COMPONENT]}"}
    return {name: _with_components(part, prefix) for name, part in value.items()}
