"""The types of slots, and which limits fit them."""

from collections.abc import Mapping
from typing import Literal, get_args

SlotType = Literal[
    "text", "integer", "number", "boolean", "date", "time", "datetime", "email", "phone", "money", "choice", "list",
    "object", "file",
]  # fmt: skip

SLOT_TYPES: tuple[str, ...] = get_args(SlotType)

TEXT_TYPES = frozenset({"text", "email", "phone"})

NUMBER_TYPES = frozenset({"integer", "number", "money"})

CLOCK_TYPES = frozenset({"date", "time", "datetime"})

TYPES_BY_CONSTRAINT: Mapping[str, frozenset[str]] = {
    "minimum": NUMBER_TYPES | CLOCK_TYPES,
    "maximum": NUMBER_TYPES | CLOCK_TYPES,
    "min_length": TEXT_TYPES | {"list"},
    "max_length": TEXT_TYPES | {"list"},
    "pattern": TEXT_TYPES,
    "options": frozenset({"choice"}),
    "not_past": frozenset({"date", "datetime"}),
    "not_future": frozenset({"date", "datetime"}),
    "weekdays": frozenset({"date", "datetime"}),
    "currency": frozenset({"money"}),
    "items": frozenset({"list"}),
    "fields": frozenset({"object"}),
    "label": frozenset({"object"}),
    "kinds": frozenset({"file"}),
    "max_size": frozenset({"file"}),
}
"""The slot types that each constraint fits."""

DATA_OPTION_TYPES = frozenset({"choice", "object", "list"})
"""The slot types whose options may come from data."""

RESERVED_WORDS = frozenset({"and", "or", "not", "in", "true", "false", "null", "none"})
