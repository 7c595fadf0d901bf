"""The values of a gate's card as rows: what is at stake, what was answered, and what the form asks for."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from dialogue.desk.forms.action_preview import text_for_staff
from dialogue.desk.forms.form_answers import answers_for
from dialogue.desk.forms.forms import REASON, Field, fields_of, reading_context_of
from dialogue.desk.sessions.drafts import answers_of
from dialogue.engine.slots.display import display_or_redact, format_value
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.record_tables import RecordTable, record_table
from dialogue.models import HITLSession, Turn
from dialogue.turns.compiled_releases import assistant_of
from dialogue.turns.live.values_at_stake import label_of_value
from dialogue.web.gates.agent_gate import changed_fields
from dialogue.web.gates.file_inputs import FileLink, file_links
from dialogue.web.gates.forms import field_title, type_text


@dataclass(frozen=True)
class ValueRow:
    """One value at stake; `was` and `turn` are its value before the last change, and that turn's number.

    Records have a `table` instead of the text, files have links to their content.
    """

    title: str
    display: str
    note: str = ""
    was: str = ""
    turn: int = 0
    table: "ValueTable | None" = None
    files: tuple[FileLink, ...] = ()


class ValueTable:
    """The table of a record or of a list of records, with the titles of its columns for people."""

    def __init__(self, table: RecordTable) -> None:
        self.is_single = table.is_single
        self._numeric = [column.is_number for column in table.columns]
        self._titles = [field_title(column.path, column.slot) for column in table.columns]
        self._rows = table.rows

    @property
    def headings(self) -> list[tuple[str, bool]]:
        """The titles of the columns, and whether each has numbers."""
        return list(zip(self._titles, self._numeric, strict=True))

    @property
    def rows(self) -> list[list[tuple[str, bool]]]:
        """The texts of each row, and whether each is a number."""
        return [list(zip(row, self._numeric, strict=True)) for row in self._rows]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The titles and texts of a single record."""
        return list(zip(self._titles, self._rows[0], strict=True))


def stake_rows(session: HITLSession, turns: Sequence[Turn], in_form: Set[str], *, unmasked: bool) -> Iterator[ValueRow]:
    """Yield the values at stake, but for those that stand in the form, or among its answers, with the proposal."""
    changes = _slot_changes(session, turns)
    for entry in (entry for entry in session.shown if entry["name"] not in in_form):
        was, turn = changes.get(entry["name"], ("", 0))
        yield ValueRow(
            title=label_of_value(session, entry["name"]),
            display=text_for_staff(session, entry, unmasked=unmasked) or _("empty"),
            note=_("as proposed") if session.is_from_agent else "",
            was=was,
            turn=turn,
            table=_shown_table(session, entry, unmasked=unmasked),
            files=file_links(entry.get("value")) if unmasked or not entry.get("sensitive") else (),
        )


def _shown_table(session: HITLSession, entry: dict[str, Any], *, unmasked: bool) -> ValueTable | None:
    """Return the table of a record that the gate shows; None for other values, and for a value that is masked whole."""
    if not isinstance(entry.get("value"), list | dict):
        return None
    slot = assistant_of(session.release).slot(session.flow, entry["name"])
    return _table_of(session, slot, entry["value"], unmasked=unmasked) if slot is not None else None


def _table_of(session: HITLSession, slot: Slot, value: Any, *, unmasked: bool) -> ValueTable | None:
    reader = reading_context_of(session)
    table = record_table(slot, value, masks=not unmasked, language=reader.language, timezone=reader.timezone)
    return ValueTable(table) if table else None


def answer_rows(session: HITLSession, arguments: Mapping[str, str], *, unmasked: bool) -> Iterator[ValueRow]:
    """Yield the submitted answers; the reason has its own place on the card. `arguments` as `editable_arguments`."""
    answers = answers_for(session, unmasked=unmasked)
    changed = changed_fields(session) if answers.decided else frozenset()
    for field in fields_of(session) if answers.decided else ():
        if field.name in arguments and field.name in session.values:
            answered = answers.values.get(field.name, "")
            yield _argument_row(session, field, arguments[field.name], answered, is_changed=field.name in changed)
        elif field.name != REASON and field.name in answers.values:
            table = _table_of(session, field.slot, session.values.get(field.name), unmasked=unmasked)
            is_shown = unmasked or not field.slot.sensitive
            files = file_links(session.values.get(field.name)) if is_shown else ()
            title = field_title(field.name, field.slot)
            yield ValueRow(title, answers.values[field.name], _("answered"), table=table, files=files)


def asked_rows(session: HITLSession, arguments: Mapping[str, str], *, unmasked: bool) -> Iterator[ValueRow]:
    """Yield the form's fields with what was answered so far, for people who only read an undecided gate.

    Proposed `arguments`, as `editable_arguments` has them, stand among the values at stake.
    """
    answered, reader = answers_of(session), reading_context_of(session)
    format_for = format_value if unmasked else display_or_redact
    for field in fields_of(session):
        if field.name in arguments and field.name not in answered:
            continue
        value = answered.get(field.name, field.slot.default)
        has_value = value is not None
        yield ValueRow(
            title=field_title(field.name, field.slot),
            display=format_for(field.slot, value, language=reader.language, timezone=reader.timezone)
            if has_value
            else _("not answered yet"),
            note=type_text(field.slot),
            table=_table_of(session, field.slot, value, unmasked=unmasked) if has_value else None,
            files=file_links(value) if unmasked or not field.slot.sensitive else (),
        )


def _argument_row(session: HITLSession, field: Field, argument: str, answered: str, *, is_changed: bool) -> ValueRow:
    """The row of an argument that could be changed: as it was answered, and what had been proposed if that differs."""
    title = label_of_value(session, argument)
    if not is_changed:
        return ValueRow(title, answered, _("as proposed"))
    reader = reading_context_of(session)
    proposed = display_or_redact(field.slot, field.slot.default, language=reader.language, timezone=reader.timezone)
    return ValueRow(title, answered or _("empty"), _("answered"), was=proposed)


def _slot_changes(session: HITLSession, turns: Sequence[Turn]) -> dict[str, tuple[str, int]]:
    """Return, by slot, the text of the value before its last change, and the number of that turn."""
    changes: dict[str, tuple[str, int]] = {}
    for turn in turns:
        for change in turn.record.get("slots", ()):
            before = change.get("from")
            if change.get("frame") == session.frame and before not in (None, "", change.get("to")):
                changes[change["slot"]] = (_value_text(session, change["slot"], before), turn.number)
    return changes


def _value_text(session: HITLSession, name: str, value: Any) -> str:
    assistant = assistant_of(session.release)
    slot = assistant.slot(session.flow, name)
    if slot is None or slot.sensitive:
        return str(value)
    return display_or_redact(slot, value, language=session.conversation.language or assistant.language)
