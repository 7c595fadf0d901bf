"""Slots: the values that a flow asks for, their types and their limits."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationInfo,
    model_validator,
)

from dialogue.engine.expressions.conditions import Condition
from dialogue.engine.slots.computed import COMPUTED_KEYS, WriteComputed, parse_computed_keys
from dialogue.engine.slots.definitions.bounds import Bound, check_pattern, parse_bound
from dialogue.engine.slots.definitions.options import Option, SlotOptions
from dialogue.engine.slots.definitions.slot_types import (
    DATA_OPTION_TYPES,
    RESERVED_WORDS,
    SLOT_TYPES,
    TYPES_BY_CONSTRAINT,
    SlotType,
)
from dialogue.engine.slots.fields import (
    IDENTIFIER,
    FileSize,
    Flag,
    Identifier,
    LanguagePart,
    Message,
    RefersTo,
    TranslatedText,
    WholeNumber,
    field_error,
)
from dialogue.engine.slots.file_kinds import FILE_KINDS, KIND_GROUPS
from dialogue.engine.slots.option_sources import DataOptions, OptionsFrom
from dialogue.engine.slots.short_forms import SHORT_FORM, expand_short_form
from dialogue.engine.slots.templates import Template
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean


def _check_kinds(kinds: tuple[str, ...]) -> tuple[str, ...]:
    for kind in kinds:
        if kind not in FILE_KINDS and kind not in KIND_GROUPS:
            text, advice = (
                Phrase("`{kind}` is not a kind of file", kind=kind[:64]),
                did_you_mean(kind, (*KIND_GROUPS, *FILE_KINDS)),
            )
            raise field_error(
                "file_kind",
                text,
                advice or Phrase("Write one of {names}", names=", ".join((*KIND_GROUPS, *FILE_KINDS))),
            )
    return kinds


RecordName = Annotated[str, Field(pattern=f"^{IDENTIFIER}$"), RefersTo("record")]


def _check_type(value: object, info: ValidationInfo) -> object:
    """Name the records too where a type is misspelt; without records, pydantic names the types."""
    records = (info.context or {}).get("records")
    if records and isinstance(value, str) and value not in SLOT_TYPES:
        advice = did_you_mean(value, (*SLOT_TYPES, *records))
        raise field_error("unknown_word", Phrase("`{value}` is not allowed here", value=value[:64]), advice)
    return value


def check_label(label: Template | None, fields: Mapping[str, "Slot"]) -> None:
    """Raise a validation error if the label names something that is not a field."""
    if label and label.expressions:
        text = Phrase("the label has the expression `{{{name}}}`", name=next(iter(label.expressions)))
        raise field_error("expression", text, Phrase("Name fields only"), key="label")
    for name in sorted(label.names if label else ()):
        if not has_field(fields, name):
            text = Phrase("the label names `{{{name}}}`, but there is no such field", name=name)
            raise field_error("unknown_field", text, did_you_mean(name, fields), key="label")


def has_field(fields: Mapping[str, "Slot"], name: str) -> bool:
    """Return whether the name, such as zip or address.zip, is a field, also inside objects and the items of lists."""
    head, _, rest = name.partition(".")
    slot = fields.get(head)
    while slot is not None and slot.items is not None:
        slot = slot.items
    is_unreadable_record = slot is not None and slot.record and not slot.fields
    return slot is not None and (not rest or is_unreadable_record or has_field(slot.own_fields, rest))


class Slot(LanguagePart):
    """One slot. `minimum` and `maximum` are Decimals for numbers and ISO texts for dates and times."""

    type: Annotated[SlotType, BeforeValidator(_check_type, json_schema_input_type=SlotType | RecordName)]
    """The type of its value, or the name of a record."""
    title: TranslatedText | None = None
    """What messages call it: "pick-up branch". Without it, a `description` in several languages, or else its name."""
    description: TranslatedText | None = None
    """What it is; used to understand messages. In several languages it is also said in them, if there is no `title`."""
    prompt: Message | None = None
    """The question that asks for it."""
    examples: tuple[str, ...] = ()
    """Values as people say them."""
    default: Annotated[Any, WriteComputed] = None
    """The value before anyone is asked; "=amount / 2" is computed when the flow begins."""
    required: Flag = True
    """false: it may be skipped."""
    sensitive: Flag = False
    """Masked in logs, prompts, traces and lists."""
    validator: str | None = None
    """A registered Python function that checks the value; iban and luhn are built in."""
    invalid: Message | None = None
    """The message when a value is refused; it may name {value} and the limits."""
    options: SlotOptions = ()
    """The values to choose from: a list, or a mapping that names the data that they come from."""
    minimum: Bound = None
    """The least value; "=balance" is computed when a value is checked."""
    maximum: Bound = None
    """The greatest value; "=balance" is computed when a value is checked."""
    min_length: WholeNumber | None = Field(default=None, ge=0, le=1_000_000)
    """The fewest characters or entries."""
    max_length: WholeNumber | None = Field(default=None, ge=1, le=1_000_000)
    """The most characters or entries."""
    pattern: Annotated[str, AfterValidator(check_pattern)] | None = None
    """What the whole text must match (RE2)."""
    not_past: Flag = False
    """Today or later."""
    not_future: Flag = False
    """Today or earlier."""
    weekdays: Flag = False
    """Monday to Friday."""
    currency: str | None = Field(default=None, pattern="^[A-Z]{3}$")
    """ISO 4217 code, such as EUR."""
    items: "SlotOrShortForm | None" = None
    """The slot of each item of a list."""
    fields: "Fields" = Field(default_factory=dict)
    """The fields of an object."""
    kinds: Annotated[tuple[str, ...], AfterValidator(_check_kinds)] = ()
    """The kinds of file that are accepted, such as [pdf, image]; without it, every kind that is known."""
    max_size: FileSize | None = None
    """The largest file, such as 5 MB; without it, 10 MB."""
    label: Message | None = None
    """The text that stands for an object, which names its fields, such as "{name}, {price}"."""
    source: Literal["start", "claim"] | None = None
    """What fills it when a conversation opens: `start`, the opening call; `claim`, the customer's signed token."""
    claim: str | None = Field(default=None, min_length=1, max_length=100)
    """The claim of the token; without it, the one with the slot's name."""
    _name: str = PrivateAttr("")
    _record: str = PrivateAttr("")
    _is_computed: bool = PrivateAttr(False)
    _field_count: int = PrivateAttr(1)
    _hides_parts: bool = PrivateAttr(False)
    _parts: dict[tuple[str, bool, str], "Slot | None"] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _resolve_record(cls, definition: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo) -> Self:
        """Read a short form, and put the fields and the label of a record in the place of its name."""
        records = (info.context or {}).get("records") or {}
        if isinstance(definition, str):
            definition = expand_short_form(definition, (*SLOT_TYPES, *records))
        name = definition.get("type") if isinstance(definition, Mapping) else None
        if name in SLOT_TYPES or not isinstance(name, str) or name not in records:
            return handler(definition)
        # A record that cannot be read is reported where it is declared: what stands beside its name is not checked.
        readable = records[name] is not None
        slot = handler(_with_record(definition, records[name]) if readable else {"type": "text"})
        slot._record = name
        return slot

    @model_validator(mode="before")
    @classmethod
    def _parse_bounds(cls, values: object) -> object:
        if not isinstance(values, Mapping):
            return values
        computed = parse_computed_keys(values)
        bounds = {key: values[key] for key in ("minimum", "maximum") if values.get(key) is not None}
        literals = {
            key: parse_bound(key, bound, values.get("type"))
            for key, bound in bounds.items()
            if key not in computed and not isinstance(bound, Condition)
        }
        return {**values, **literals, **computed}

    @property
    def name(self) -> str:
        """The key under which the slot is declared."""
        # Ten times as fast as `self._name`, and the NLU asks for up to a hundred names in each message.
        return str((self.__pydantic_private__ or {})["_name"])

    @property
    def is_computed(self) -> bool:
        """Whether a limit or the default is an expression."""
        # As for `name`: this is asked about every value.
        return bool((self.__pydantic_private__ or {})["_is_computed"])

    @property
    def computed_settings(self) -> dict[str, Condition]:
        """The expressions in the place of limits and the default, by key."""
        values = {key: getattr(self, key) for key in COMPUTED_KEYS} if self._is_computed else {}
        return {key: value for key, value in values.items() if isinstance(value, Condition)}

    def with_settings(self, **settings: Any) -> "Slot":
        """Return a copy with these values in the place of its expressions."""
        slot = self.model_copy(update=settings)
        slot._is_computed = False
        return slot

    @property
    def record(self) -> str:
        """The name of the record that is its type, or "" for another type."""
        return self._record

    @property
    def own_fields(self) -> Mapping[str, "Slot"]:
        """Its fields: those of an object, and `name`, `kind` and `size` of a file."""
        return FILE_FIELDS if self.type == "file" else self.fields

    @property
    def field_count(self) -> int:
        """The number of its values, with those of its fields and items."""
        return self._field_count

    @property
    def hides_parts(self) -> bool:
        """Whether a field or an item of it is sensitive, at any depth."""
        # As for `name`.
        return bool((self.__pydantic_private__ or {})["_hides_parts"])

    @property
    def hides_values(self) -> bool:
        """Whether it is sensitive itself or in one of its parts."""
        return self.sensitive or self.hides_parts

    def part(self, path: str) -> "Slot | None":
        """Return the slot of a field of an object, named by its path from here, such as address.zip; None without one.

        A field of a sensitive object is sensitive itself.
        """
        # A copy of the slot shares the table, and may have another name or be sensitive.
        key = self.name, self.sensitive, path
        if key not in self._parts:
            head, _, rest = path.partition(".")
            field = self.own_fields.get(head)
            part = field.part(rest) if field and rest else field
            self._parts[key] = part and part._as_field_of(self, path)
        return self._parts[key]

    def _as_field_of(self, whole: "Slot", path: str) -> "Slot":
        copy = self.model_copy(update={"sensitive": self.sensitive or whole.sensitive})
        copy._name = f"{whole.name}.{path}"
        return copy

    @property
    def options_from(self) -> OptionsFrom | None:
        """Where the options come from, if not from the document; for a list, those of its items. None otherwise."""
        if isinstance(self.options, DataOptions):
            return self.options.source
        return self.items.options_from if self.items is not None else None

    def with_options(self, options: tuple[Option, ...]) -> "Slot":
        """Return a copy with these options in place of those from data; for a list, of its items."""
        if self.type == "list":
            items = (self.items or Slot(type="choice", options=options)).with_options(options)
            return self.model_copy(update={"items": items, "options": ()})
        return self.model_copy(update={"options": options})

    def option(self, value: object) -> Option | None:
        """Return the option with this value, or None."""
        return next((option for option in self.options if option.value == value), None)

    @model_validator(mode="after")
    def _constraints_fit(self) -> Self:
        for constraint, types in TYPES_BY_CONSTRAINT.items():
            if getattr(self, constraint) and self.type not in types:
                advice = Phrase("It fits these types: {names}", names=", ".join(sorted(types)))
                text = Phrase("`{constraint}` does not fit the type `{type}`", constraint=constraint, type=self.type)
                raise field_error("constraint", text, advice, key=constraint)
        if self.type == "choice" and not self.options and not isinstance(self.options, DataOptions):
            raise field_error(
                "options_missing", Phrase("a choice has no `options`"), Phrase("Write options: [first, second]")
            )
        if isinstance(self.options, DataOptions) and self.type not in DATA_OPTION_TYPES:
            text = Phrase("options from data do not fit the type `{type}`", type=self.type)
            raise field_error(
                "constraint", text, Phrase("They fit a choice, a record and a list of these"), key="options"
            )
        if self.type == "object" and not self.fields:
            raise field_error(
                "fields_missing", Phrase("an object has no `fields`"), Phrase("Write fields: {name: {type: text}}")
            )
        return self

    @property
    def claim_name(self) -> str:
        """The name of the claim that fills it, or "" for a slot that no claim fills."""
        return (self.claim or self.name) if self.source == "claim" else ""

    @model_validator(mode="after")
    def _claim_has_source(self) -> Self:
        if self.claim is not None and self.source != "claim":
            raise field_error(
                "constraint", Phrase("`claim` is for a slot with `source: claim`"), Phrase("Add it"), key="claim"
            )
        return self

    @model_validator(mode="after")
    def _label_fits(self) -> Self:
        check_label(self.label, self.fields)
        return self

    @model_validator(mode="after")
    def _survey_parts(self) -> Self:
        """Note once what is asked about the slot whenever its value is checked or shown."""
        self._is_computed = any(isinstance(getattr(self, key), Condition) for key in COMPUTED_KEYS)
        if self.items is not None or self.fields:
            parts = [*self.fields.values(), *([self.items] if self.items else [])]
            self._field_count = 1 + sum(part.field_count for part in parts)
            self._hides_parts = any(part.sensitive or part.hides_parts for part in parts)
        return self

    @model_validator(mode="after")
    def _limits_agree(self) -> Self:
        for low, high in (("minimum", "maximum"), ("min_length", "max_length")):
            least, most = getattr(self, low), getattr(self, high)
            are_literals = type(least) is type(most) and least is not None and not isinstance(least, Condition)
            if are_literals and least > most:
                raise field_error(
                    "limits",
                    Phrase("`{low}` {least} is above `{high}` {most}", low=low, least=least, high=high, most=most),
                    Phrase("Swap them"),
                    key=low,
                )
        return self

    @model_validator(mode="after")
    def _options_differ(self) -> Self:
        option_by_word: dict[str, str] = {}
        for option in self.options:
            for word in {name.casefold() for name in (option.value, option.label, *option.synonyms)}:
                if option_by_word.setdefault(word, option.value) != option.value:
                    text = Phrase(
                        "`{word}` stands for both `{option_by_word}` and `{value}`",
                        word=word,
                        option_by_word=option_by_word[word],
                        value=option.value,
                    )
                    raise field_error(
                        "options_overlap", text, Phrase("Keep it in only one of the options"), key="options"
                    )
        if len({option.value for option in self.options}) < len(self.options):
            raise field_error(
                "options_overlap",
                Phrase("two options have the same value"),
                Phrase("Delete one of them"),
                key="options",
            )
        return self


def _check_names(slots: object) -> object:
    for name in slots if isinstance(slots, Mapping) else ():
        if name in RESERVED_WORDS:
            raise field_error(
                "reserved",
                Phrase("`{name}` is a reserved word of conditions", name=name),
                Phrase("Choose another name"),
                key=name,
            )
    return slots


def _give_names(slots: dict[str, Slot]) -> dict[str, Slot]:
    for name, slot in slots.items():
        slot._name = name
        if slot.items:
            # Refusals of an item name its list.
            slot.items._name = name
    return slots


def _with_record(definition: Mapping[str, Any], record: Any) -> dict[str, Any]:
    """Return the slot's definition with what the record says; its own label and description go first."""
    if "fields" in definition:
        text = Phrase("the record `{definition}` has its `fields` already", definition=definition["type"])
        raise field_error("record_fields", text, Phrase("Delete the key, or write type: object"), key="fields")
    own = {"label": record.label, "description": record.description, **definition}
    return {**own, "type": "object", "fields": record.fields}


ShortForm = Annotated[str, Field(pattern=f"^{SHORT_FORM}$"), RefersTo("slot_type")]
"""A slot in one or two words, such as text, "optional date" or "list of order"."""
SlotOrShortForm = Annotated[Slot, BeforeValidator(lambda value: value, json_schema_input_type=Slot | ShortForm)]
Fields = Annotated[dict[Identifier, SlotOrShortForm], BeforeValidator(_check_names), AfterValidator(_give_names)]
"""Slots by name. A short form such as "optional text" may stand for {type: text, required: false}."""
ShortFields = Fields

Slot.model_rebuild()

FILE_FIELDS: Mapping[str, Slot] = {
    "name": Slot(type="text"),
    "kind": Slot(type="text"),
    "size": Slot(type="integer"),
}
"""What texts and conditions may read of a file: `{invoice.name}`, `invoice.size > 1000`."""
