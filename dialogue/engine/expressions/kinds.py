"""The kinds of values that expressions are checked with, and what a name means within a list function."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from dialogue.engine.expressions.model import Name
from dialogue.engine.expressions.parser import ConditionRefused
from dialogue.engine.expressions.values import ENTRY
from dialogue.engine.source.phrases import Phrase
from dialogue.engine.source.problems import did_you_mean


@dataclass(frozen=True)
class Kind:
    """The kind of a value: number, text, boolean, date, time, datetime, duration, list, object or any.

    `options` holds the values of a choice, `fields` the kinds of an object's fields, `item` that of a list's entries
    (None: unknown). `integer` says that a number is surely whole, `fraction` that it comes from a division, `currency`
    that it is an amount of money: its code, "" without one.
    """

    name: str
    options: frozenset[str] = frozenset()
    fields: Mapping[str, "Kind"] = field(default_factory=dict, hash=False)
    item: "Kind | None" = None
    integer: bool = False
    fraction: bool = False
    currency: str | None = None

    @property
    def phrase(self) -> Phrase:
        """The kind with its article: "an object"."""
        if self.item and self.item.name != "any":
            return Phrase("a list of {kind}", kind=_NAMES.get(self.item.name, self.item.name))
        return _PHRASES.get(self.name) or Phrase("a {name}", name=self.name)

    def __str__(self) -> str:
        return f"list of {self.item.name}" if self.item and self.item.name != "any" else self.name


_PHRASES = {
    "any": Phrase("an any"),
    "boolean": Phrase("a boolean"),
    "date": Phrase("a date"),
    "datetime": Phrase("a datetime"),
    "duration": Phrase("a duration"),
    "list": Phrase("a list"),
    "number": Phrase("a number"),
    "object": Phrase("an object"),
    "text": Phrase("a text"),
    "time": Phrase("a time"),
}
_NAMES = {
    "boolean": Phrase("boolean"),
    "date": Phrase("date"),
    "datetime": Phrase("datetime"),
    "duration": Phrase("duration"),
    "list": Phrase("list"),
    "number": Phrase("number"),
    "object": Phrase("object"),
    "text": Phrase("text"),
    "time": Phrase("time"),
}
ANY, BOOLEAN, NUMBER, TEXT = Kind("any"), Kind("boolean"), Kind("number"), Kind("text")
INTEGER = Kind("number", integer=True)


def part_kind(kind: Kind, name: str) -> Kind | None:
    """Return the kind of a field of an object, or of that field's values in a list; None if there is no such field."""
    if kind.name == "list" and kind.item is not None:
        inner = part_kind(kind.item, name)
        # The lists of several entries are joined to one.
        return inner if inner is None or inner.name == "list" else Kind("list", item=inner)
    if kind.name == "any" or (kind.name == "list" and kind.item is None):
        return ANY
    # An object of unknown fields may have any field.
    return kind.fields.get(name) if kind.fields else (ANY if kind.name == "object" else None)


def known_fields(kind: Kind) -> Iterable[str]:
    """Return the names that `part_kind` finds."""
    return known_fields(kind.item) if kind.name == "list" and kind.item else kind.fields


def kind_at(kind: Kind, path: Iterable[str], text: str, column: int) -> Kind:
    """Return the kind at a path of fields. Raises ConditionRefused at the column of the wrong name.

    `text` is what stands before the path, for the message; `column` is where it begins.
    """
    for name in path:
        inner = part_kind(kind, name)
        if inner is None:
            fields = known_fields(kind)
            reason = (
                Phrase("has no field `{name}`. {advice}", name=name, advice=did_you_mean(name, fields))
                if fields
                else Phrase("is {kind} without fields", kind=kind.phrase)
            )
            raise ConditionRefused(
                Phrase("`{text}` {reason}", text=text, reason=reason).strip(), column + len(text) + 1
            )
        kind, text = inner, f"{text}.{name}"
    return kind


@dataclass(frozen=True)
class KindScope:
    """What names mean at one place of an expression: the kinds of slots, and of the entries around, innermost first."""

    kinds: Mapping[str, Kind]
    entries: tuple[Kind, ...] = ()

    def with_entry(self, entry: Kind) -> "KindScope":
        """Return the scope within a list function."""
        return KindScope(self.kinds, (entry, *self.entries))

    def entry_of(self, name: Name) -> Kind | None:
        """Return the kind of the entry whose field the name is, or None for a slot."""
        head = name.name.split(".", maxsplit=1)[0]
        if head == ENTRY and self.entries:
            return self.entries[0]
        return next((entry for entry in self.entries if head in entry.fields), None)

    def is_known(self, name: Name) -> bool:
        """Return whether the name is a field of an entry, a slot, or a decision of a human step."""
        if self.entry_of(name) is not None or self.base_of(name.name):
            return True
        # A field of an entry whose fields are not known.
        return any(entry.name in ("any", "object") and not entry.fields for entry in self.entries)

    def names(self) -> frozenset[str]:
        """Return every name that may be written here."""
        return frozenset(self.kinds).union(*(entry.fields for entry in self.entries))

    def base_of(self, name: str) -> str:
        """Return the slot or decision that a name such as order.address.zip begins with, or ""."""
        base = name
        while base and base not in self.kinds:
            base = base.rpartition(".")[0]
        return base

    def kind_of(self, name: Name) -> Kind:
        """Return the kind of a name; any for an unknown one. Raises ConditionRefused for an unknown field."""
        entry = self.entry_of(name)
        if entry is not None:
            return self._kind_in_entry(entry, name)
        base = self.base_of(name.name)
        if not base:
            return ANY
        path = name.name[len(base) + 1 :]
        return kind_at(self.kinds[base], path.split(".") if path else (), base, name.column)

    def _kind_in_entry(self, entry: Kind, name: Name) -> Kind:
        head, *path = name.name.split(".")
        return kind_at(entry if head == ENTRY else entry.fields[head], path, head, name.column)
