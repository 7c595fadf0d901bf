"""The options of a choice: written in the document, or taken from data."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapSerializer,
    WrapValidator,
    model_validator,
)

from dialogue.engine.slots.fields import LanguagePart, TranslatedText, describe_value, field_error, text_advice
from dialogue.engine.slots.option_sources import DataOptions, OptionsFrom, OrMapping, parse_data_options
from dialogue.engine.slots.templates import Translated
from dialogue.engine.source.phrases import Phrase


class Option(LanguagePart):
    """One value of a choice, with its label and synonyms."""

    value: str = Field(min_length=1, max_length=200)
    """What is stored."""
    label: TranslatedText = Translated("")
    """The text that people read; without it, the value."""
    synonyms: tuple[str, ...] = ()
    """Other words for it."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: object) -> object:
        if isinstance(value, str):
            return {"value": value, "label": value}
        if isinstance(value, Mapping):
            return {"label": value.get("value"), **value}
        if isinstance(value, Option):
            return value
        raise field_error(
            "text_type",
            Phrase("found {value} where an option is expected", value=describe_value(value)),
            text_advice(value),
        )


Options = Annotated[
    tuple[Option, ...], BeforeValidator(lambda value: value, json_schema_input_type=tuple[Option | str, ...])
]


def _parse_options(value: object, parse_list: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    data_options = parse_data_options(value, info.context)
    return parse_list(value) if data_options is None else data_options


def _write_options(options: Any, write_list: SerializerFunctionWrapHandler) -> Any:
    if isinstance(options, DataOptions):
        return options.source.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return write_list(options)


SlotOptions = Annotated[
    tuple[Option, ...],
    OrMapping(OptionsFrom),
    WrapValidator(_parse_options, json_schema_input_type=tuple[Option | str, ...] | OptionsFrom),
    WrapSerializer(_write_options),
]
"""Options in the document, or a mapping that says from which data they come: an empty `DataOptions` then."""
