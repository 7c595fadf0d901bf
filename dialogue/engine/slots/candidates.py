"""Candidates: the options of a slot whose choices come from data, as they are known in a turn."""

import marshal
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from hashlib import blake2b

from pydantic import JsonValue

from dialogue.engine.expressions.conditions import TypedValue
from dialogue.engine.expressions.values import Scope
from dialogue.engine.slots.definitions.options import Option
from dialogue.engine.slots.display import field_of, format_value, redacted_value
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.option_sources import OptionsFrom
from dialogue.engine.slots.templates import Template, Translated
from dialogue.engine.slots.values import typed_value

ENTRY_NAME = "item"
"""The name of the whole entry in `label` and `when`."""
EXTRA_TEST_VISITS = 800_000
"""How much more work the tests of all entries may take than one expression, in visited nodes."""
MAX_SHARED_LISTS = 32
"""The lists of candidates that are kept for later turns."""
_WORDLESS_TYPES = frozenset({"list", "object", "boolean"})
"""Types of fields that words do not refer to; the fields of a nested record count on their own."""


@dataclass(frozen=True)
class Candidate:
    """One option of a choice from data.

    `key` is a stable text that buttons send and programs name; `value` is what the slot stores: a text, or a whole
    record. `label` is what the user reads, `texts` are the displayed values of its attributes, in order of declaration.
    `fields` are the stored values of these attributes and `types` their slots, so that dates and amounts can be
    compared; an entry that is only a text has none. `masked_label` is the label for logs, prompts and traces: sensitive
    fields are masked in it. `sensitive` says that the slot or a displayed field is sensitive.
    """

    key: str
    value: JsonValue
    label: str
    texts: tuple[str, ...] = ()
    fields: Mapping[str, JsonValue] = field(default_factory=dict)
    types: Mapping[str, Slot] = field(default_factory=dict, repr=False, compare=False)
    synonyms: tuple[str, ...] = ()
    masked_label: str = ""
    sensitive: bool = False


class CandidateList(tuple[Candidate, ...]):
    """The candidates that can be chosen. It also knows the `withheld` ones, which `when` does not let through.

    Words that mean a withheld candidate choose no other one: a "gift card" that is not offered is not the credit card.
    """

    _build_withheld: Callable[[], tuple[Candidate, ...]]

    def __new__(
        cls, candidates: Iterable[Candidate], build_withheld: Callable[[], tuple[Candidate, ...]]
    ) -> "CandidateList":
        listed = super().__new__(cls, candidates)
        listed._build_withheld = build_withheld
        return listed

    @cached_property
    def withheld(self) -> tuple[Candidate, ...]:
        """The other candidates of the source, which are built when they are asked for."""
        return self._build_withheld()


def find_candidate(words: object, candidates: Iterable[Candidate]) -> Candidate | None:
    """Return the candidate whose key, value or label is exactly this; upper and lower case are the same in labels."""
    options = tuple(candidates)
    if not isinstance(words, str):
        return next((option for option in options if option.value == words), None)
    text = words.strip()
    exact = next((option for option in options if text in (option.key, option.value)), None)
    return exact or next((option for option in options if option.label.casefold() == text.casefold()), None)


def stores_records(slot: Slot) -> bool:
    """Whether the slot stores the chosen entries themselves, and not only the values that identify them."""
    chosen = slot.items if slot.type == "list" else slot
    return chosen is not None and chosen.type == "object"


def display_slot(slot: Slot, labels: Mapping[str, str] | None) -> Slot:
    """Return the slot as its chosen value is displayed: with the labels of these options from data, by key."""
    source = slot.options_from if labels else None
    if not labels or source is None:
        return slot
    if not stores_records(slot):
        options = ((key, Translated(label)) for key, label in labels.items())
        return slot.with_options(tuple(Option.model_construct(value=key, label=label) for key, label in options))
    if source.label is None:
        return slot
    record = (slot.items or slot).model_copy(update={"label": source.label})
    return slot.model_copy(update={"items": record}) if slot.type == "list" else record


def key_path(source: OptionsFrom, entry: Slot) -> str:
    """Return the path of the field that identifies an entry, or "" for an entry that is not a record."""
    return source.value or next(iter(entry.fields), "")


def attribute_paths(source: OptionsFrom, entry: Slot) -> tuple[str, ...]:
    """Return the paths of the fields that words may refer to."""
    return source.attributes or tuple(_wordy_fields(entry))


def _wordy_fields(record: Slot, prefix: str = "") -> Iterator[str]:
    for name, slot in record.fields.items():
        if slot.type == "object":
            yield from _wordy_fields(slot, f"{prefix}{name}.")
        elif slot.type not in _WORDLESS_TYPES and not slot.sensitive:
            yield prefix + name


def part_at(entry: Slot, value: JsonValue, path: str) -> tuple[Slot, JsonValue] | None:
    """Return slot and value of a field of an entry by its path, of the entry itself for "item", or None."""
    if path == ENTRY_NAME:
        return entry, value
    return field_of(entry, value, path.removeprefix(f"{ENTRY_NAME}."))


@dataclass(frozen=True)
class OptionList:
    """The entries of a source, and what turns them into candidates of `slot`.

    `entry` is the slot of one entry, `known` the typed values that `when` names beside the entry's fields.
    """

    slot: Slot
    source: OptionsFrom
    entry: Slot
    language: str
    timezone: str
    now: datetime
    known: Mapping[str, TypedValue] = field(default_factory=dict)

    def candidates(self, entries: Sequence[JsonValue]) -> tuple[Candidate, ...]:
        """Return the candidates that `when` lets through, in the order of the list, with distinct keys.

        Raises ExpressionTooCostly.
        """
        if self.source.when is None:
            return self._build([entry for entry in entries if entry is not None])
        offered, withheld = self._divide(entries)
        return CandidateList(self._build(offered), partial(self._build, withheld)) if withheld else self._build(offered)

    def _build(self, entries: Iterable[JsonValue]) -> tuple[Candidate, ...]:
        paths, types, counts = attribute_paths(self.source, self.entry), self._types, dict[str, int]()
        keyed_by, whole = key_path(self.source, self.entry), stores_records(self.slot)
        label_texts, sensitive = self._label_reader(), self.slot.sensitive or self._shows_sensitive
        candidates: list[Candidate] = []
        for entry in entries:
            fields = {path: value for path in paths if (value := _value_at(entry, path)) is not None}
            name = _text_of(_value_at(entry, keyed_by) if keyed_by else entry)
            if not name:
                continue  # without an identity it cannot be chosen
            counts[name] = counts.get(name, 0) + 1
            label = label_texts(entry) or name
            candidates.append(
                Candidate(
                    key=name if counts[name] == 1 else f"{name}~{counts[name]}",
                    value=entry if whole else name,
                    label=label,
                    texts=tuple(self._text(types[path], value) for path, value in fields.items() if path in types),
                    fields=fields,
                    types=types,
                    masked_label=self._masked_label(entry) if sensitive else label,
                    sensitive=sensitive,
                )
            )
        return tuple(candidates)

    @property
    def _types(self) -> Mapping[str, Slot]:
        parts = ((path, part_at(self.entry, None, path)) for path in attribute_paths(self.source, self.entry))
        return {path: part[0] for path, part in parts if part is not None}

    @property
    def _shows_sensitive(self) -> bool:
        names = self.source.label.names if self.source.label else self.entry.fields
        parts = (part_at(self.entry, None, name) for name in names)
        return self.entry.sensitive or any(part is not None and part[0].sensitive for part in parts)

    def _divide(self, entries: Sequence[JsonValue]) -> tuple[list[JsonValue], list[JsonValue]]:
        """Return the entries that `when` lets through, and the others. All of them share one limit of work."""
        test, visits = self.source.when, -EXTRA_TEST_VISITS
        assert test is not None
        offered: list[JsonValue] = []
        withheld: list[JsonValue] = []
        for entry in entries:
            if entry is None:
                continue
            values = {**self.known, **self._typed_names(test.slots, entry)}
            scope = Scope(values, self.now, visits)
            is_offered, visits = test.tree.evaluate(scope) is True, scope.visits
            (offered if is_offered else withheld).append(entry)
        return offered, withheld

    def _typed_names(self, names: Iterable[str], entry: JsonValue) -> dict[str, TypedValue]:
        """Return the typed values of the names that mean the entry or one of its fields."""
        parts = ((name, part_at(self.entry, entry, name)) for name in names)
        return {name: typed_value(*part) for name, part in parts if part is not None}

    def _label_reader(self) -> Callable[[JsonValue], str]:
        """Return what gives an entry's label: the author's, or else the display of the record or the text."""
        if self.source.label is None:
            return partial(self._text, self.entry)
        return partial(self._render, self.source.label.in_language(self.language), mask=False)

    def _masked_label(self, entry: JsonValue) -> str:
        if self.source.label is None or self.slot.sensitive:
            return redacted_value(Slot(type="text"), self._text(self.entry, entry))
        return self._render(self.source.label.in_language(self.language), entry, mask=True)

    def _render(self, label: Template, entry: JsonValue, *, mask: bool) -> str:
        return label.render(lambda name: self._part_text(name, entry, mask=mask))

    def _part_text(self, name: str, entry: JsonValue, *, mask: bool) -> str | None:
        part = part_at(self.entry, entry, name)
        if part is None or part[1] is None:
            return None
        return redacted_value(*part) if mask and part[0].sensitive else self._text(*part)

    def _text(self, slot: Slot, value: JsonValue) -> str:
        return format_value(slot, value, language=self.language, timezone=self.timezone)


_shared: OrderedDict[tuple[object, ...], tuple[Slot, tuple[Candidate, ...]]] = OrderedDict()


def shared_candidates(options: OptionList, entries: Sequence[JsonValue]) -> tuple[Candidate, ...]:
    """Return the candidates of these entries; those of an earlier turn with equal entries are used again.

    The texts of a thousand entries take longer than the rest of a turn. The last few lists are kept.
    """
    key = _cache_key(options, entries)
    if key is None:
        return options.candidates(entries)
    cached = _shared.get(key)
    if cached is None or cached[0] is not options.slot:
        # The slot is kept with its candidates, so that its identity cannot belong to another one.
        cached = _shared[key] = options.slot, options.candidates(entries)
        while len(_shared) > MAX_SHARED_LISTS:
            _shared.popitem(last=False)
    _shared.move_to_end(key)
    return cached[1]


def _cache_key(options: OptionList, entries: Sequence[JsonValue]) -> tuple[object, ...] | None:
    """Return what the candidates depend on, or None if that is the moment."""
    test = options.source.when.text if options.source.when else ""
    if "now" in test:
        return None
    day = options.now.date() if "today" in test else None
    # Version 2 writes equal values as equal bytes, whether or not they are the same object.
    digest = blake2b(marshal.dumps(list(entries), 2), digest_size=16).digest()
    return id(options.slot), options.language, options.timezone, day, repr(sorted(options.known.items())), digest


def _value_at(entry: JsonValue, path: str) -> JsonValue:
    """Return the stored value at the path of an entry, or None."""
    value = entry
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _text_of(identity: JsonValue) -> str:
    """Return the key of an entry as text, at most 200 characters: of a record its values, "" for nothing."""
    if identity is None:
        return ""
    if isinstance(identity, dict):
        return " ".join(str(part) for part in identity.values())[:200]
    return str(identity)[:200]
