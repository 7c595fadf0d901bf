"""The API's documentation as a page: every call of the OpenAPI document with its fields and an example."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from typing import Any

Schema = Mapping[str, Any]
MAX_DEPTH = 3
"""How deep the example of a body goes into its parts."""
_EXAMPLES: dict[str, Any] = {"string": "…", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}


_TITLES = {
    "conversations_cancel": "End a conversation",
    "conversations_unmask": "Show sensitive values",
    "conversations_mask": "Mask sensitive values again",
    "conversations_leave": "Go back to the assistant",
    "conversations_fork_conversation": "Continue from a turn as a test",
    "following_follow": "Follow a conversation",
    "outreach_cancel": "Cancel what is planned",
    "sessions_answer_together": "Decide several sessions",
    "sessions_claim": "Claim a session",
    "sessions_release": "Give a session back",
    "sessions_take_over": "Take a session over",
    "sessions_submit": "Decide a session",
    "sessions_expire": "Let a session expire",
    "sessions_extend": "Extend the deadline",
    "sessions_cancel": "Withdraw a session",
    "sessions_snooze": "Put a session aside until later",
    "sessions_unsnooze": "Put a session back into the queue",
    "sessions_note": "Add a note",
    "sessions_prioritise": "Set the priority",
    "sessions_tag": "Set the tags",
    "sessions_retry": "Deliver a decision again",
    "sessions_abandon": "Give up a delivery",
    "sessions_say": "Write to the customer",
    "sessions_hand_back": "Give a chat back to the assistant",
    "sessions_ask_in": "Get the question in another dialect",
    "sessions_answer_in": "Answer in another dialect",
    "assistants_check": "Check a flow",
    "assistants_schema": "Get the flow language as JSON Schema",
}
"""What a call does, where the name of its function does not say it."""


@dataclass(frozen=True)
class FieldFacts:
    """One parameter or one field of a body: where it goes ("path", "query", "body"), its type in words, its default."""

    name: str
    place: str
    type: str
    required: bool
    default: str
    text: str


@dataclass(frozen=True)
class ApiCall:
    """One call: its fields, the statuses that it answers with, an example for a terminal, and the
    scopes of API tokens that open it."""

    method: str
    path: str
    anchor: str
    title: str
    text: str
    fields: tuple[FieldFacts, ...]
    answers: tuple[tuple[int, str], ...]
    refusals: tuple[tuple[int, str], ...]
    example: str
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ObjectFacts:
    """One named object of the document with its fields."""

    name: str
    text: str
    fields: tuple[FieldFacts, ...]


@dataclass(frozen=True)
class ApiReference:
    """The calls by section, and the objects that they send and answer."""

    sections: tuple[tuple[str, tuple[ApiCall, ...]], ...]
    objects: tuple[ObjectFacts, ...]


def reference_of(document: Mapping[str, Any]) -> ApiReference:
    """Return what the page shows of this OpenAPI document."""
    schemas: Mapping[str, Schema] = document["components"]["schemas"]
    sections: dict[str, list[ApiCall]] = {}
    for path, calls in document["paths"].items():
        for method, call in calls.items():
            section = (call.get("tags") or ["other"])[0]
            sections.setdefault(section, []).append(_call(method.upper(), path, call, schemas))
    objects = (ObjectFacts(name, _text(schema), tuple(_fields(schema, "body"))) for name, schema in schemas.items())
    return ApiReference(
        tuple((name, tuple(calls)) for name, calls in sections.items()),
        tuple(sorted((entry for entry in objects if entry.fields), key=lambda entry: entry.name)),
    )


def _call(method: str, path: str, call: Mapping[str, Any], schemas: Mapping[str, Schema]) -> ApiCall:
    statuses = [(int(status), _phrase(int(status))) for status in sorted(call["responses"], key=int)]
    kind, body = _body_of(call)
    resolved = _resolve(body, schemas)
    return ApiCall(
        method=method,
        path=path,
        anchor=_anchor(call),
        title=_title(call),
        text=_text(call),
        fields=(*_parameters(call), *_fields(resolved, "body")),
        answers=tuple(status for status in statuses if status[0] < HTTPStatus.BAD_REQUEST),
        refusals=tuple(status for status in statuses if status[0] >= HTTPStatus.BAD_REQUEST),
        example=_example(method, path, kind, resolved, schemas),
        scopes=tuple(call.get("x-token-scopes", ())),
    )


def _anchor(call: Mapping[str, Any]) -> str:
    return str(call["operationId"]).removeprefix("dialogue_web_api_")


def _title(call: Mapping[str, Any]) -> str:
    """What the call does, in plain words: the document has the function's name, "Fork Conversation"."""
    return _TITLES.get(_anchor(call)) or str(call.get("summary", "")).capitalize()


def _body_of(call: Mapping[str, Any]) -> tuple[str, Schema]:
    for kind, content in call.get("requestBody", {}).get("content", {}).items():
        return str(kind), content.get("schema", {})
    return "", {}


def _parameters(call: Mapping[str, Any]) -> Iterator[FieldFacts]:
    for entry in call.get("parameters", ()):
        yield _field(entry["name"], entry["in"], {**entry.get("schema", {}), **_described(entry)}, entry["required"])


def _described(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"description": entry["description"]} if "description" in entry else {}


def _fields(schema: Schema, place: str) -> Iterator[FieldFacts]:
    required = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        yield _field(name, place, part, name in required)


def _field(name: str, place: str, schema: Schema, required: bool) -> FieldFacts:
    default = json.dumps(schema["default"], ensure_ascii=False) if schema.get("default") not in (None, "") else ""
    return FieldFacts(name, place, _type_text(schema), bool(required), default, _text(schema))


def _type_text(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_type_text(part) for part in schema[several]))
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if schema.get("type") == "array":
        return f"list of {_type_text(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type") or "any value")


def _text(schema: Mapping[str, Any]) -> str:
    return " ".join(str(schema.get("description") or "").split())


def _resolve(schema: Schema, schemas: Mapping[str, Schema]) -> Schema:
    """Follow a reference, also one that stands alone in `allOf`."""
    parts = schema.get("allOf", ())
    if len(parts) == 1:
        return _resolve(parts[0], schemas)
    return schemas.get(str(schema["$ref"]).rpartition("/")[2], {}) if "$ref" in schema else schema


def _example(method: str, path: str, kind: str, body: Schema, schemas: Mapping[str, Schema]) -> str:
    lines = ["curl" if method == "GET" else f"curl -X {method}", '  -H "Authorization: Bearer $TOKEN"']
    if kind.startswith("multipart"):
        lines += [f"  -F {name}={'@receipt.pdf' if name == 'file' else '…'}" for name in body.get("properties", {})]
    elif kind:
        value = json.dumps(_value(body, schemas, 0), ensure_ascii=False)
        lines += ['  -H "Content-Type: application/json"', f"  -d '{value}'"]
    return " \\\n".join([*lines, f'  "$SONI{path}"'])


def _value(schema: Schema, schemas: Mapping[str, Schema], depth: int) -> Any:
    """A value that fits: the required fields of an object, and its first one where none is required."""
    schema = _resolve(schema, schemas)
    if "properties" in schema and depth < MAX_DEPTH:
        names = schema.get("required") or list(schema["properties"])[:1]
        return {name: _value(schema["properties"][name], schemas, depth + 1) for name in names}
    if "enum" in schema:
        return schema["enum"][0]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return _value(schema[several][0], schemas, depth + 1)
    if schema.get("default") is not None:
        return schema["default"]
    if schema.get("type") == "array" and depth < MAX_DEPTH:
        return [_value(schema.get("items", {}), schemas, depth + 1)]
    return _EXAMPLES.get(str(schema.get("type")), "…")


@cache
def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase
