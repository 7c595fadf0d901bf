"""Field types of the language's models: strict scalars, texts, conditions, durations and references to names."""

import ast
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainSerializer,
    PlainValidator,
    Strict,
    ValidationInfo,
)
from pydantic_core import CoreSchema, PydanticCustomError

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.slots.durations import DurationRefused, format_duration, parse_duration
from dialogue.engine.slots.templates import Template, TemplateRefused, Translated, is_language_tag
from dialogue.engine.source.phrases import Phrase, split_sentence

IDENTIFIER = r"[a-z][a-z0-9_]{0,63}"


class LanguagePart(BaseModel):
    """Base of every model of the language: frozen, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        definition: dict[str, Any] = handler(schema)
        keys = handler.resolve_ref_schema(definition).get("properties", {})
        for name, text in field_descriptions(cls).items():
            keys.get(cls.model_fields[name].alias or name, {}).setdefault("description", text)
        return definition


@cache
def field_descriptions(model: type) -> dict[str, str]:
    """Return the description of each field by its Python name: the string that stands below it in the source.

    Inherited fields are included. Pydantic's `use_attribute_docstrings` would read the source of every model at each
    start, though only the pages and commands that show a schema need it.
    """
    descriptions: dict[str, str] = {}
    for part in reversed(model.__mro__):
        if "__annotations__" in vars(part) and part.__module__.startswith("dialogue."):
            descriptions |= dict(_descriptions_in(part))
    return descriptions


def _descriptions_in(part: type) -> Iterator[tuple[str, str]]:
    (definition,) = ast.parse(dedent(inspect.getsource(part))).body
    assert isinstance(definition, ast.ClassDef)
    for field, text in pairwise(definition.body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            yield field.target.id, " ".join(ast.literal_eval(text.value).split())


@dataclass(frozen=True)
class RefersTo:
    """Mark of a field that refers to something by name. `kind` is slot, child_slot, step, flow, action or event."""

    kind: str

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "x-refers": self.kind}


def field_error(rule: str, text: str, advice: str = "", *, offset: int = 0, key: str = "") -> PydanticCustomError:
    """Return a validation error with text and advice; the loader adds file, line and column.

    It points `offset` characters into the text of its field, or at the `key` of its mapping.
    """
    context = {"text": text, "advice": advice, "offset": offset, "key": key}
    return PydanticCustomError(rule, "{text}", context)


def field_error_from_text(rule: str, sentences: str, *, offset: int = 0) -> PydanticCustomError:
    """Return a validation error from sentences: the first says what was found, the rest what to write instead."""
    text, advice = split_sentence(sentences)
    return field_error(rule, text, advice, offset=offset)


def describe_value(value: object) -> Phrase:
    """Describe a value of a document in the words of an author: "the text 'no'", "a mapping"."""
    match value:
        case None:
            return Phrase("nothing")
        case bool():
            return Phrase("the boolean {value}", value=str(value).lower())
        case str():
            return Phrase("the text {value}", value=repr(_clip(value)))
        case dict():
            return Phrase("a mapping")
        case tuple() | list():
            return Phrase("a list")
        case _:
            return Phrase("the number {value}", value=_clip(str(value)))


def _clip(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "…"


def _parse_words(value: object, info: ValidationInfo) -> Translated:
    if isinstance(value, str):
        return value if isinstance(value, Translated) else Translated(value)
    if isinstance(value, Mapping) and value and all(map(_is_translation, value.items())):
        language = (info.context or {}).get("language") or ("en" if "en" in value else min(value))
        if language not in value:
            advice = Phrase("Add the text in `{language}`, the assistant's language", language=language)
            raise field_error(
                "translation_missing", Phrase("the text is missing in `{language}`", language=language), advice
            )
        return Translated(value[language], value)
    raise field_error(
        "text_type", Phrase("found {value} where a text is expected", value=describe_value(value)), text_advice(value)
    )


def _is_translation(item: tuple[object, object]) -> bool:
    language, text = item
    return isinstance(language, str) and is_language_tag(language) and isinstance(text, str)


def text_advice(value: object) -> str:
    """Return advice for a value that stands where a text is expected."""
    if isinstance(value, Mapping) and len(value) == 1:
        key, content = next(iter(value.items()))
        text = f"{{{key}}}" if content is None else f"{key}: {content}"
        return Phrase('Quote the text: "{text}"', text=text)
    if value is None or isinstance(value, Mapping | tuple | list):
        return Phrase("Write a text in quotes")
    return Phrase('Quote it: "{text}"', text=str(value).lower() if isinstance(value, bool) else value)


def _parse_template(value: object, info: ValidationInfo) -> Template:
    if isinstance(value, Template):
        return value
    try:
        return Template(_parse_words(value, info))
    except TemplateRefused as error:
        raise field_error_from_text("template", str(error)) from error


def _parse_condition(value: object) -> Condition:
    if isinstance(value, Condition):
        return value
    # YAML reads an unquoted true or false as a boolean.
    if isinstance(value, bool):
        return compile_condition(str(value).lower())
    if not isinstance(value, str):
        raise field_error(
            "condition_type",
            Phrase("found {value} where a condition is expected", value=describe_value(value)),
            text_advice(value),
        )
    return compile_condition(value)


class Computes:
    """Mark of a field that holds a condition or an expression, for editors."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "x-expression": True}


@dataclass(frozen=True)
class EditedAs:
    """Mark of a field that editors show in a control of its own.

    `control` is words (a text with translations), message (one that may name slots), duration, required or group (the
    name of a group of people).
    """

    control: str

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "x-control": self.control}


def compile_condition(text: str, shift: int = 0) -> Condition:
    """Compile a condition or an expression. Raises a validation error that points at the column in the text.

    `shift` is the number of characters before the condition, such as 1 for an equals sign.
    """
    try:
        return Condition(text)
    except ConditionRefused as error:
        raise field_error_from_text("condition", str(error), offset=error.column - 1 + shift) from error


def _parse_expression(value: object) -> Condition:
    """Read an input of a step: an expression in text, or a plain number or boolean."""
    if isinstance(value, bool):
        return compile_condition(str(value).lower())
    if isinstance(value, str):
        return compile_condition(value.removeprefix("="), len(value) - len(value.removeprefix("=")))
    if isinstance(value, Condition):
        return value
    if value is None or isinstance(value, Mapping | tuple | list):
        advice = Phrase("Write the name of a slot, or a text in two pairs of quotes: \"'text'\"")
        raise field_error(
            "expression_type",
            Phrase("found {value} where an expression is expected", value=describe_value(value)),
            advice,
        )
    return compile_condition(str(value))


def _parse_duration_field(value: object) -> timedelta:
    if isinstance(value, timedelta):
        return value
    if not isinstance(value, str):
        advice = Phrase("Write an amount and a unit (w, d, h, m, s), such as 30m or 1h30m")
        raise field_error(
            "duration", Phrase("found {value} where a duration is expected", value=describe_value(value)), advice
        )
    try:
        return parse_duration(value)
    except DurationRefused as error:
        raise field_error_from_text("duration", str(error)) from error


_FILE_SIZE = re.compile(r"([1-9][0-9]{0,8}) ?(KB|MB)", re.IGNORECASE)
_UNIT_BYTES = {"KB": 1024, "MB": 1024 * 1024}


def _parse_file_size(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    match = _FILE_SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        text = Phrase("found {value} where a size is expected", value=describe_value(value))
        raise field_error("file_size", text, Phrase("Write 5 MB or 500 KB"))
    return int(match[1]) * _UNIT_BYTES[match[2].upper()]


def _parse_required(value: object) -> bool:
    if value == "required" or value is False:
        return value == "required"
    raise field_error(
        "required_word",
        Phrase("found {value}", value=describe_value(value)),
        Phrase("Write `required`, or leave the key out"),
    )


Flag = Annotated[bool, Strict()]
WholeNumber = Annotated[int, Strict()]
TranslatedText = Annotated[
    Translated,
    PlainValidator(_parse_words, json_schema_input_type=str | dict[str, str]),
    PlainSerializer(lambda words: dict(words.translations) if words.translations else str(words)),
    EditedAs("words"),
]
Message = Annotated[
    Template,
    PlainValidator(_parse_template, json_schema_input_type=str | dict[str, str]),
    PlainSerializer(lambda template: template.as_written()),
    EditedAs("message"),
]
ConditionText = Annotated[
    Condition,
    PlainValidator(_parse_condition, json_schema_input_type=str),
    PlainSerializer(lambda condition: condition.text),
    Computes(),
]
ExpressionText = Annotated[
    Condition,
    PlainValidator(_parse_expression, json_schema_input_type=str | int | float | bool),
    PlainSerializer(lambda condition: condition.text),
    Computes(),
]
Duration = Annotated[
    timedelta,
    PlainValidator(_parse_duration_field, json_schema_input_type=str),
    PlainSerializer(format_duration),
    EditedAs("duration"),
]
FileSize = Annotated[int, PlainValidator(_parse_file_size, json_schema_input_type=str | int)]
RequiredWord = Annotated[
    bool,
    PlainValidator(_parse_required, json_schema_input_type=str),
    PlainSerializer(lambda required: "required" if required else False),
    EditedAs("required"),
]
Identifier = Annotated[str, Field(pattern=f"^{IDENTIFIER}$")]
SlotName = Annotated[str, RefersTo("slot")]
ChildSlot = Annotated[str, RefersTo("child_slot")]
StepName = Annotated[str, RefersTo("step")]
FlowName = Annotated[str, RefersTo("flow")]
ActionName = Annotated[str, RefersTo("action")]
EventName = Annotated[str, RefersTo("event")]
