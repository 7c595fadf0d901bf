"""Walk the language's models by path: known keys, references to names, and values."""

import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from dialogue.engine.language.steps import STEP_TYPES
from dialogue.engine.slots.fields import LanguagePart, RefersTo
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_sources import OrMapping
from dialogue.engine.source.parser import DocumentPath

_OF_RECORDS = frozenset({"fields", "label", "description"})


@dataclass(frozen=True)
class Reference:
    """A name that a document mentions. `kind` is that of RefersTo, `path` the position in the document."""

    kind: str
    path: DocumentPath
    name: str


def known_keys(root: type[BaseModel], tree: Any, path: DocumentPath) -> frozenset[str]:
    """Return the keys that the language allows in the mapping at this path of the document."""
    annotation: Any = root
    node = tree
    for key in path:
        # Of the models of all steps, the `type` in the mapping around the key decides.
        annotation = _annotation_at(annotation, key, node)
        node = _child_at(node, key)
    model = _model_of(annotation, node)
    return frozenset(field.alias or name for name, field in model.model_fields.items()) if model else frozenset()


def _child_at(node: Any, key: str | int) -> Any:
    try:
        return node[key]
    except (KeyError, IndexError, TypeError):
        return None


def _annotation_at(annotation: Any, key: str | int, node: Any) -> Any:
    model = _model_of(annotation, node) if isinstance(key, str) else None
    if model is not None:
        field = next((info for name, info in model.model_fields.items() if (info.alias or name) == key), None)
        return _with_mapping(field) if field else None
    for option in _union_members(annotation):
        arguments = get_args(option)
        if get_origin(option) is dict:
            return arguments[1]
        if get_origin(option) is tuple:
            return arguments[0]
    return None


def _with_mapping(field: FieldInfo) -> Any:
    """Return the field's annotation, with the model of the mapping that may stand there instead."""
    mapping = next((mark.model for mark in field.metadata if isinstance(mark, OrMapping)), None)
    return Union[field.annotation, mapping] if mapping else field.annotation  # noqa: UP007


def _model_of(annotation: Any, node: Any) -> type[BaseModel] | None:
    models = [
        option for option in _union_members(annotation) if isinstance(option, type) and issubclass(option, BaseModel)
    ]
    # Only the union of all steps has several models; the document's own `type` decides.
    if len(models) > 1:
        return STEP_TYPES.get(str(_child_at(node, "type")))
    return models[0] if models else None


def _union_members(annotation: Any) -> Iterator[Any]:
    """Yield the members of a union, without pydantic's metadata."""
    if get_origin(annotation) is Annotated:
        yield from _union_members(get_args(annotation)[0])
    elif get_origin(annotation) in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from _union_members(member)
    else:
        yield annotation


def references(part: LanguagePart, path: DocumentPath = ()) -> Iterator[Reference]:
    """Yield every name that the part mentions in a field marked with `RefersTo`, in the order of the fields."""
    for field in _fields_of(type(part)):
        yield from _references_in(field.annotation, getattr(part, field.name), (*path, field.key))


def leaves(value: Any, path: DocumentPath = ()) -> Iterator[tuple[DocumentPath, Any]]:
    """Yield every value that is not a part, mapping or list itself, with its path in the document.

    What a slot takes from its record is not repeated: it stands in assistant.yaml, once.
    """
    if isinstance(value, LanguagePart):
        inherited = _OF_RECORDS if isinstance(value, Slot) and value.record else ()
        for field in _fields_of(type(value)):
            if field.name in inherited:
                continue
            yield from leaves(getattr(value, field.name), (*path, field.key))
    elif isinstance(value, dict | tuple):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


class _Field(NamedTuple):
    """A field of a model: its name, its key in the document, and its annotation with the RefersTo mark."""

    name: str
    key: str
    annotation: Any


@cache  # The verifier walks every step of a flow several times.
def _fields_of(model: type[LanguagePart]) -> tuple[_Field, ...]:
    return tuple(_Field(name, field.alias or name, _annotation_of(field)) for name, field in model.model_fields.items())


def _annotation_of(field: FieldInfo) -> Any:
    marks = [mark for mark in field.metadata if isinstance(mark, RefersTo)]
    return Annotated[field.annotation, marks[0]] if marks else field.annotation


def _references_in(annotation: Any, value: Any, path: DocumentPath) -> Iterator[Reference]:
    if isinstance(value, str):
        kind = _reference_kind(annotation)
        if kind:
            yield Reference(kind, path, value)
    elif isinstance(value, LanguagePart):
        yield from references(value, path)
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _references_in(_annotation_at(annotation, index, None), item, (*path, index))
    elif isinstance(value, Mapping):
        dicts = (get_args(member) for member in _union_members(annotation) if get_origin(member) is dict)
        key_annotation, item_annotation = next(dicts, (None, None))
        for key, item in value.items():
            yield from _references_in(key_annotation, key, (*path, key))
            yield from _references_in(item_annotation, item, (*path, key))


def _reference_kind(annotation: Any) -> str | None:
    if get_origin(annotation) is Annotated:
        marks = [mark for mark in get_args(annotation)[1:] if isinstance(mark, RefersTo)]
        return marks[0].kind if marks else _reference_kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return next(filter(None, map(_reference_kind, get_args(annotation))), None)
    return None
