"""The schemas of lines and their parts in the OpenAPI document. See `dialogue.engine.ports.message_parts`."""

from typing import Any

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_COUNTED = {"total": {"type": "integer"}, "more": _TEXT}


def message_part_schemas(prefix: str) -> dict[str, Any]:
    """Return the schemas `Message` and `MessagePart` by name; `prefix` begins references to schemas."""
    parts = [
        _part("text", text=_TEXT),
        _part("list", items=_TEXTS, **_COUNTED),
        _part("table", columns=_TEXTS, rows={"type": "array", "items": _TEXTS}, **_COUNTED),
        _part("links", links=_list_of(label=_TEXT, url=_TEXT)),
        _part("image", url=_TEXT, alt=_TEXT),
        _part("files", files=_list_of(id=_TEXT, name=_TEXT, kind=_TEXT, size={"type": "integer"})),
    ]
    line = {
        "seq": {"type": "integer"},
        "role": {"enum": ["user", "assistant", "operator", "system"]},
        "key": _TEXT,
        "text": {**_TEXT, "description": "What a channel shows that has nothing else."},
        "buttons": _list_of(value=_TEXT, label=_TEXT),
        "parts": {"type": "array", "items": {"$ref": f"{prefix}MessagePart"}},
        "author": _TEXT,
        "at": {**_TEXT, "format": "date-time"},
    }
    required = ["seq", "role", "key", "text", "buttons", "at"]
    return {
        "Message": {"type": "object", "title": "A line of the transcript", "properties": line, "required": required},
        "MessagePart": {"title": "What a line shows besides plain text", "oneOf": parts},
    }


def describe_lines_and_files(paths: dict[str, Any], prefix: str) -> None:
    """Say in the description of each call which lines it answers with, and how files are sent."""
    lines = {"messages": {"type": "array", "items": {"$ref": f"{prefix}Message"}}}
    for path, calls in paths.items():
        if path.endswith(("/messages", "/files")) and "conversations" in path:
            for call in calls.values():
                answer = {"type": "object", "properties": lines, "additionalProperties": True}
                call["responses"][200]["content"] = {"application/json": {"schema": answer}}
        if path.endswith("/files") and "post" in calls:
            name = "id" if "conversations" in path else "field"
            files = {"type": "array", "items": {**_TEXT, "format": "binary"}}
            form = {"type": "object", "properties": {name: _TEXT, "file": files}, "required": [name, "file"]}
            calls["post"]["requestBody"] = {"required": True, "content": {"multipart/form-data": {"schema": form}}}


def _part(name: str, **properties: Any) -> dict[str, Any]:
    return _object(type={"const": name}, **properties)


def _list_of(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(**properties)}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}
