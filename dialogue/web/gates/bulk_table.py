"""The gates of one bulk answer as a table: a column for each value, the sum of money, and what would happen."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import get_language

from dialogue.desk.access.people import Person
from dialogue.desk.access.redaction import redactor_for, shows_in_full
from dialogue.desk.forms.action_preview import text_for_staff
from dialogue.engine.slots.display import format_value
from dialogue.engine.slots.models import Slot
from dialogue.models import HITLSession
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.values_at_stake import label_of_value
from dialogue.web.gates.page import ActionOption, action_options

NUMBERS = frozenset({"money", "integer", "number"})


@dataclass(frozen=True)
class Column:
    """A value at stake: its name, its label, whether it is a number, and the sum of all gates if it is money."""

    name: str
    label: str
    is_number: bool
    total: str = ""


@dataclass(frozen=True)
class BulkRow:
    """A gate with the texts of its values, each with whether it is a number, in the order of the columns."""

    session: HITLSession
    cells: list[tuple[str, bool]]


@dataclass(frozen=True)
class CommonConsequence:
    """What an action does to all gates: one sentence if it is the same for each, else one for each gate's name."""

    id: str
    label: str
    step: str
    text: str
    texts: list[tuple[str, str]]


@dataclass(frozen=True)
class BulkTable:
    """The table above the form of a bulk answer. What has a sum comes first, so that a phone shows it."""

    columns: list[Column]
    rows: list[BulkRow]
    consequences: list[CommonConsequence]

    @property
    def has_totals(self) -> bool:
        return len(self.rows) > 1 and any(column.total for column in self.columns)


def bulk_table(sessions: Sequence[HITLSession], person: Person) -> BulkTable:
    """Return the table of gates with the same form; values are unmasked for a person who may decide them."""
    entries = [{entry["name"]: entry for entry in session.shown} for session in sessions]
    unmasked = {session.pk: shows_in_full(session, person) for session in sessions}
    names = list(dict.fromkeys(name for row in entries for name in row))
    columns = sorted((_column(sessions, entries, name) for name in names), key=lambda column: not column.total)
    rows = [
        BulkRow(session, _cells(session, row, columns, unmasked=unmasked[session.pk]))
        for session, row in zip(sessions, entries, strict=True)
    ]
    return BulkTable(columns, rows, _consequences(sessions, person, unmasked))


def _cells(
    session: HITLSession, entries: dict[str, dict[str, Any]], columns: Sequence[Column], *, unmasked: bool
) -> list[tuple[str, bool]]:
    """Return the text in each column, and whether it is a number."""
    cells = []
    for column in columns:
        entry = entries.get(column.name)
        text = text_for_staff(session, entry, unmasked=unmasked) if entry else ""
        cells.append((text, column.is_number))
    return cells


def _column(sessions: Sequence[HITLSession], entries: Sequence[dict[str, Any]], name: str) -> Column:
    slots = [assistant_of(session.release).slot(session.flow, name) for session in sessions]
    types = {slot.type for slot in slots if slot}
    is_number = bool(types) and types <= NUMBERS
    total = _total(slots, [row[name] for row in entries if name in row]) if types == {"money"} else ""
    return Column(name, label_of_value(sessions[0], name), is_number, total)


def _total(slots: Sequence[Slot | None], entries: Sequence[dict[str, Any]]) -> str:
    """Return the sum in one currency, as the reader writes it; "" for several, and where one value is sensitive."""
    money = [slot for slot in slots if slot]
    if len({slot.currency for slot in money}) != 1 or any(entry.get("sensitive") for entry in entries):
        return ""
    total = sum((Decimal(str(entry["value"])) for entry in entries if entry.get("value") is not None), Decimal(0))
    return format_value(money[0], str(total), language=get_language() or "en")


def _consequences(
    sessions: Sequence[HITLSession], person: Person, unmasked: dict[int, bool]
) -> list[CommonConsequence]:
    options = [
        action_options(session, unmasked=unmasked[session.pk], redactor=redactor_for(person, session.conversation))
        for session in sessions
    ]
    return [_common_consequence(sessions, choice) for choice in zip(*options, strict=False) if choice[0].id]


def _common_consequence(sessions: Sequence[HITLSession], options: Sequence[ActionOption]) -> CommonConsequence:
    first, texts = options[0], [option.text for option in options]
    pairs = [(session.name, text) for session, text in zip(sessions, texts, strict=True)]
    is_same = len(set(texts)) == 1
    return CommonConsequence(first.id, first.label, first.step, first.text if is_same else "", [] if is_same else pairs)
