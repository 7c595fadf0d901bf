"""Settings whose value is computed when it is needed: `"=balance"` in the place of a literal."""

from collections.abc import Mapping
from typing import Any

from pydantic import PlainSerializer, SerializerFunctionWrapHandler, ValidatorFunctionWrapHandler, WrapSerializer

from dialogue.engine.expressions.conditions import Condition, ConditionRefused
from dialogue.engine.slots.fields import compile_condition, field_error
from dialogue.engine.source.phrases import split_sentence

MARK = "="
EXPRESSION_PATTERN = f"^{MARK}"
COMPUTED_KEYS = ("minimum", "maximum", "default")
"""The keys of a slot that may be computed."""


def is_expression(value: object) -> bool:
    """Return whether an author wrote an expression here."""
    return isinstance(value, str) and value.startswith(MARK)


def parse_computed_keys(values: Mapping[str, Any]) -> dict[str, Condition]:
    """Return the computed settings of a slot's definition. Raises a validation error that points at the key."""
    texts = {key: values[key] for key in COMPUTED_KEYS if is_expression(values.get(key))}
    return {key: _compile(key, text) for key, text in texts.items()}


def _compile(key: str, text: str) -> Condition:
    try:
        return Condition(text.removeprefix(MARK))
    except ConditionRefused as error:
        text, advice = split_sentence(str(error))
        raise field_error("condition", text, advice, key=key) from error


def parse_computed(value: object, parse_literal: ValidatorFunctionWrapHandler) -> Any:
    """Compile an expression, or parse the literal that stands in its place."""
    if isinstance(value, Condition):
        return value
    return compile_condition(str(value).removeprefix(MARK)) if is_expression(value) else parse_literal(value)


def write_computed(value: Any) -> Any:
    """Return what the author wrote; other values unchanged."""
    return f"{MARK}{value.text}" if isinstance(value, Condition) else value


def _write_in_turn(value: Any, write_literal: SerializerFunctionWrapHandler) -> Any:
    return write_computed(value) if isinstance(value, Condition) else write_literal(value)


WriteComputed = PlainSerializer(write_computed, when_used="json")
WriteComputedOrLiteral = WrapSerializer(_write_in_turn)
