"""Read the parts of a question: each function returns a value of the type it names, or says where it is missing."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from dialogue.dialects.limits import (
    MAX_ARGUMENTS,
    MAX_NAME_CHARACTERS,
    MAX_QUESTION_CHARACTERS,
    check_size,
    read_json,
)
from dialogue.dialects.pauses import AskRefused, Meaning, OfferedAnswer, Pause, Proposal

Plain = dict[str, Any]

APPROVE = OfferedAnswer("approve", Meaning.AGREE, "approve")
EDIT = OfferedAnswer("edit", Meaning.EDIT, "edit")
REJECT = OfferedAnswer("reject", Meaning.REFUSE, "reject", needs_text=True)
REJECT_SILENTLY = OfferedAnswer("reject", Meaning.REFUSE, "reject")
RESPOND = OfferedAnswer("respond", Meaning.RESPOND, "respond", needs_text=True)
ANSWER = OfferedAnswer("answer", Meaning.CHOOSE, "answer")
DECLINE = OfferedAnswer("decline", Meaning.REFUSE, "decline")
CANCEL = OfferedAnswer("cancel", Meaning.LEAVE, "cancel")

ANY_VALUE: Plain = {}
"""The schema that every JSON value fits."""

SINGLE = "answer"
"""The field of a form that wraps a value which is no object."""


def mapping_at(value: Any, path: str) -> Plain:
    """Return an object. Raises AskRefused."""
    if not isinstance(value, dict):
        raise AskRefused(path, "an object is expected here")
    return value


def list_at(value: Any, path: str) -> list[Any]:
    """Return a list with at least one entry. Raises AskRefused."""
    if not isinstance(value, list) or not value:
        raise AskRefused(path, "a list with at least one entry is expected here")
    return value


def optional_list(value: Any, path: str) -> list[Any]:
    """Return a list, an empty one where there is none. Raises AskRefused."""
    return list_at(value, path) if value else []


def text_at(value: Any, path: str, limit: int = MAX_NAME_CHARACTERS) -> str:
    """Return a text that is not empty. Raises AskRefused."""
    if not isinstance(value, str) or not value.strip():
        raise AskRefused(path, "a text is expected here")
    if len(value) > limit:
        raise AskRefused(path, f"at most {limit} characters fit here")
    return value


def optional_text(value: Any, path: str, limit: int = MAX_QUESTION_CHARACTERS) -> str:
    """Return a text, "" where there is none. Raises AskRefused."""
    return "" if value is None or value == "" else text_at(value, path, limit)


def arguments_at(value: Any, path: str) -> Plain:
    """Return a call's arguments: an object, or one as JSON text. Raises AskRefused."""
    if isinstance(value, str):
        try:
            value = read_json(value) if value.strip() else {}
        except ValueError:
            raise AskRefused(path, "the arguments are no JSON") from None
        check_size(value)
    args = mapping_at({} if value is None else value, path)
    if len(args) > MAX_ARGUMENTS:
        raise AskRefused(path, f"at most {MAX_ARGUMENTS} arguments fit here")
    return args


def schema_of_args(args: Mapping[str, Any]) -> Plain:
    """Return the JSON Schema of arguments that come without one, by the types of their values."""
    return {"type": "object", "properties": {name: _schema_of_value(value) for name, value in args.items()}}


def _schema_of_value(value: Any) -> Plain:
    # A boolean is an integer in Python, so it is asked for first.
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string")):
        if isinstance(value, kind):
            return {"type": name}
    return ANY_VALUE


def call_pause(
    call_id: str,
    call: Proposal,
    question: str,
    answers: Iterable[OfferedAnswer],
    schema: Any = None,
) -> Pause:
    """Return the pause before a call. Where it may be edited, its form has the arguments."""
    offered = tuple(answers)
    may_edit = any(answer.meaning is Meaning.EDIT for answer in offered)
    has_fields = isinstance(schema, dict) and isinstance(schema.get("properties"), dict)
    form = (schema if has_fields else schema_of_args(call.args)) if may_edit else {}
    return Pause(call_id, question or call.name, offered, call, form)


def value_pause(pause_id: str, question: str, schema: Any, answers: Iterable[OfferedAnswer], **more: Any) -> Pause:
    """Return a question whose answer is one JSON value by a schema; what is no object gets a field of its own."""
    schema = schema if isinstance(schema, dict) else ANY_VALUE
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        return Pause(pause_id, question, tuple(answers), form=schema, **more)
    form = {"type": "object", "properties": {SINGLE: schema}, "required": [SINGLE], "$defs": schema.get("$defs", {})}
    return Pause(pause_id, question, tuple(answers), form=form, single=SINGLE, **more)


def value_of(pause: Pause, values: Mapping[str, Any]) -> Any:
    """Return what a form's values say: the one value that it wraps, or all of them."""
    return values.get(pause.single) if pause.single else dict(values)


def question_in(value: Any) -> str:
    """Return the words in a value of an unknown shape: its own question, or the whole of it as JSON."""
    if isinstance(value, str):
        return value[:MAX_QUESTION_CHARACTERS]
    if isinstance(value, dict):
        for key in ("question", "message", "description", "prompt", "instruction", "title"):
            if isinstance(value.get(key), str) and value[key].strip():
                return str(value[key])[:MAX_QUESTION_CHARACTERS]
    return json.dumps(value, ensure_ascii=False, indent=1)[:MAX_QUESTION_CHARACTERS]
