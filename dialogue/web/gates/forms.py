"""A gate's form as the page shows it: each field with its type in words, what was typed, and what is wrong with it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from babel.numbers import format_decimal
from django.http import HttpRequest
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from dialogue.desk.access.people import Person
from dialogue.desk.forms.action_preview import is_reason_told
from dialogue.desk.forms.action_preview import redact_value as hidden
from dialogue.desk.forms.choices import actions_of, label_of
from dialogue.desk.forms.forms import Field, fields_of, parts_of, row_parts_of
from dialogue.desk.forms.refusals import Refused
from dialogue.desk.sessions.drafts import answers_of, draft_of
from dialogue.engine.slots.definitions.labels import label_of_slot, words_of_name
from dialogue.engine.slots.display import value_at
from dialogue.engine.slots.file_values import endings_of, file_slot_of, kinds_text, max_bytes_of, size_text
from dialogue.engine.slots.models import Slot
from dialogue.models import HITLSession
from dialogue.web.gates.pickers import NO_PICKER, Picker, picker_for
from dialogue.web.shared.times import locale

PREFIX = "value."
"""Prefix of field names in the page's form, so that none collides with the form's own."""
REASON = "reason"
LONG_TEXT_CHARACTERS = 120
MAX_TABLE_CELLS = 600
"""A larger table is typed as JSON: a browser may send 1,000 fields at most."""
BLANK_ROWS = 1
"""The rows of a table in which more records can be typed; a button adds others."""


@dataclass(frozen=True)
class Choice:
    """One radio button; `display` is its value within a sentence."""

    value: str
    label: str
    chosen: bool
    display: str


@dataclass(frozen=True)
class Control:
    """One field on the page. `kind` is line, area, number, choice, select, table or file.

    A table has its `headings`, in each of its `rows` a control for each of them, and `max_rows`. A file has the
    `endings` of the names that are accepted; `several` says that the field takes more than one file. The `picker` is
    how the browser helps to type a line. `proposed` is the value that an agent proposed, as a person would type it.
    """

    id: str
    name: str
    title: str
    gate: str
    kind: str
    type_words: str
    value: str
    error: str
    hint: str
    choices: tuple[Choice, ...]
    required: bool
    headings: tuple[str, ...] = ()
    rows: tuple[tuple["Control", ...], ...] = ()
    max_rows: int = 0
    endings: str = ""
    several: bool = False
    picker: Picker = NO_PICKER
    proposed: str | None = None

    @property
    def is_changed(self) -> bool:
        """Whether the field has another value than the one that was proposed."""
        return self.proposed is not None and self.value.replace("\r\n", "\n") != self.proposed


@dataclass(frozen=True)
class FormInput:
    """What a person typed: values by field name and the pressed action; `handed_on_by`: the draft's first author.

    `longer_table` is the field whose table gets one row more than was typed in.
    """

    values: Mapping[str, str]
    action: str = ""
    reason: str = ""
    handed_on_by: str = ""
    longer_table: str = ""


@dataclass(frozen=True)
class Attempt:
    """What was just submitted, and why it was refused; both None when a page is only read."""

    typed: FormInput | None = None
    refused: Refused | None = None


NO_ATTEMPT = Attempt()


def stored_input(session: HITLSession, person: Person, *, masked: bool = False) -> FormInput:
    """Return this person's draft, with the fields that were answered one by one; the latest input counts.

    `masked` hides what others answered in sensitive fields.
    """
    draft = draft_of(session, person.id)
    slots = {field.name: field.slot for field in fields_of(session)}
    stored = {name: value for name, value in answers_of(session).items() if name in slots}
    answers = {
        field_name: text
        for name, value in stored.items()
        for field_name, text in _answer_texts(name, slots[name], value, masked)
    }
    values = {**answers, **{str(name): _draft_text(value) for name, value in draft.values.items()}}
    return FormInput(values, draft.action, values.get(REASON, ""), draft.author)


def draft_input(session: HITLSession, person: Person) -> FormInput:
    """Return this person's draft alone, without the fields that were answered one by one."""
    draft = draft_of(session, person.id)
    values = {str(name): _draft_text(value) for name, value in draft.values.items()}
    return FormInput(values, draft.action, values.get(REASON, ""), draft.author)


def _answer_texts(name: str, slot: Slot, value: Any, masked: bool) -> list[tuple[str, str]]:
    """Return an answer as pairs of field name and text; an object gives a pair for each part."""
    parts = parts_of(slot)
    if row_parts_of(slot) and isinstance(value, list) and not (masked and slot.sensitive):
        return [pair for row, entry in enumerate(value) for pair in _row_texts(f"{name}.{row}", slot, entry, masked)]
    if not parts or not isinstance(value, dict) or (masked and slot.sensitive):
        return [(name, hidden("") if masked and slot.hides_parts else _answer_text(slot, value, masked))]
    return _part_texts(name, parts, value, masked)


def _row_texts(name: str, slot: Slot, value: Any, masked: bool) -> list[tuple[str, str]]:
    return _part_texts(name, row_parts_of(slot), value if isinstance(value, dict) else {}, masked)


def _part_texts(name: str, parts: Mapping[str, Slot], value: dict[str, Any], masked: bool) -> list[tuple[str, str]]:
    return [
        (f"{name}.{part}", _answer_text(part_slot, value_at(value, part.split(".")), masked))
        for part, part_slot in parts.items()
    ]


def _answer_text(slot: Slot, value: Any, masked: bool) -> str:
    return hidden(str(value)) if masked and slot.sensitive and value is not None else input_text(slot, value)


def controls_of(session: HITLSession, typed: FormInput, refused: Refused | None = None) -> list[Control]:
    """Build the form's controls, and one for the reason when an action needs it and the form has no such field."""
    errors = {field.name: field.message for field in refused.fields} if refused else {}
    fields = fields_of(session)
    needing = ", ".join(label_of(action) for action in actions_of(session) if action.reason)
    labels = {action.id: label_of(action) for action in actions_of(session)}
    controls = [
        control
        for field in fields
        for control in _field_controls(
            field, typed, errors, needing if field.name == REASON else _actions_needing(field, labels)
        )
    ]
    if needing and not any(field.name == REASON for field in fields):
        reason = _reason_control(session, typed, needing)
        controls.append(_with_error(reason, errors[REASON]) if REASON in errors else reason)
    if session.is_from_agent:
        controls = [_with_proposal(session, _as_line(control), fields) for control in controls]
    if refused is not None and refused.code == "reason_required":
        controls = [
            _with_error(control, refused.detail) if control.name == PREFIX + REASON else control for control in controls
        ]
    return controls


def _as_line(control: Control) -> Control:
    """Return the control with one line for a short text: agents do not say how long their texts may be."""
    is_short = 0 < len(control.value) < LONG_TEXT_CHARACTERS and "\n" not in control.value
    is_text = control.kind == "area" and control.name != PREFIX + REASON and control.value[:1] not in "[{"
    return replace(control, kind="line") if is_short and is_text else control


def _with_proposal(session: HITLSession, control: Control, fields: Iterable[Field]) -> Control:
    """Return the control with what the agent proposed for it: the default, where the gate shows a call."""
    field = next((field for field in fields if PREFIX + field.name == control.name), None)
    if field is None or not session.shown or field.slot.default is None:
        return control
    type_words = _join_words(type_text(field.slot, may_be_empty=False), _("required") if field.needed_for else "")
    return replace(control, proposed=input_text(field.slot, field.slot.default), type_words=type_words)


def wrong_controls(controls: Iterable[Control]) -> list[Control]:
    """Return the controls whose values were refused, the cells of tables among them."""
    cells = (cell for control in controls for cell in (control, *(cell for row in control.rows for cell in row)))
    return [cell for cell in cells if cell.error]


def _actions_needing(field: Field, labels: Mapping[str, str]) -> str:
    """Return the labels of the actions that need this field."""
    return ", ".join(labels[action] for action in field.needed_for if action in labels)


def control_for(slot: Slot, id: str, title: str, typed: str) -> Control:
    """Build a slot's field outside of a gate's form; `typed` is its value as a person would type it."""
    return Control(
        id=id,
        name="value",
        title=title,
        gate="",
        kind="line"
        if slot.type == "text" and len(typed) < LONG_TEXT_CHARACTERS and "\n" not in typed
        else _control_kind(slot),
        type_words=type_text(slot),
        value=typed,
        error="",
        hint=slot.description.in_language(get_language() or "") if slot.description else "",
        choices=_slot_choices(slot, typed),
        required=slot.required,
        picker=picker_for(slot, typed),
    )


def input_text(slot: Slot, value: Any) -> str:
    """Return a stored value as a person would type it."""
    if value is None:
        return ""
    if slot.type == "boolean":
        return "yes" if value else "no"
    if file_slot_of(slot) is not None:
        return ",".join(str(file["id"]) for file in (value if isinstance(value, list) else [value]))
    return json.dumps(value, ensure_ascii=False) if slot.type in ("list", "object") else str(value)


def type_text(slot: Slot, *, may_be_empty: bool = True) -> str:
    """Return the type and its limits in words: "whole number, 0 to 10,000, optional"."""
    file_slot = file_slot_of(slot)
    words = [str(_TYPES[slot.type]), _limits_text(slot)]
    if slot.type == "money" and slot.currency:
        words[0] = _("amount in %s") % slot.currency
    if file_slot is not None:
        words = [_("files") if slot.type == "list" else _("file"), _file_limits_text(file_slot)]
    if may_be_empty and not slot.required:
        words.append(_("optional"))
    return ", ".join(word for word in words if word)


def field_title(name: str, slot: Slot | None = None) -> str:
    """Return what pages call a field: its slot's title, or else its name in words."""
    return label_of_slot(name, slot.title if slot else None, get_language() or "")


def _field_controls(field: Field, typed: FormInput, errors: Mapping[str, str], needing: str) -> list[Control]:
    """Build one control, or one for each part of an object, or a table for a list of records."""
    parts = parts_of(field.slot)
    table = _table_control(field, typed, errors, needing)
    if table:
        return [table]
    if not parts:
        return [_field_control(field, typed, errors.get(field.name, ""), needing)]
    field_error = errors.get(field.name, "")
    controls = [_part_control(field, name, slot, typed, errors) for name, slot in parts.items()]
    return [_with_error(controls[0], field_error), *controls[1:]] if field_error else controls


def _part_control(field: Field, name: str, slot: Slot, typed: FormInput, errors: Mapping[str, str]) -> Control:
    path = f"{field.name}.{name}"
    given = isinstance(field.slot.default, dict)
    default = value_at(field.slot.default, name.split(".")) if given else slot.default
    control = _field_control(
        Field(path, field.reference, slot.model_copy(update={"default": default})), typed, errors.get(path, ""), ""
    )
    title = f"{field_title(field.name, field.slot)}: {part_title(name, slot)}"
    control_id = f"{control.id}-{name.replace('.', '-')}"
    return replace(control, id=control_id, title=title, required=slot.required and field.slot.required)


def part_title(path: str, slot: Slot) -> str:
    """Return the title of a part inside its object, or else its name: "place: city" for place.city."""
    title = slot.title.in_language(get_language() or "") if slot.title else ""
    return title or ": ".join(map(words_of_name, path.split(".")))


def _table_control(field: Field, typed: FormInput, errors: Mapping[str, str], needing: str) -> Control | None:
    """Build the table of a list of records, with a blank row for one more; None for other fields and large tables."""
    parts = row_parts_of(field.slot)
    prefix = f"{field.name}."
    texts = {name.removeprefix(prefix): text for name, text in typed.values.items() if name.startswith(prefix)}
    typed_rows = [(int(head), text) for name, text in texts.items() if is_row_number(head := name.partition(".")[0])]
    default = field.slot.default if isinstance(field.slot.default, list) and not typed_rows else []
    row_count = _row_count(field, typed, len(default), typed_rows, len(parts) or 1)
    # What a draft or an answer holds as one text is typed as JSON, too.
    if not parts or field.name in typed.values or row_count * len(parts) > MAX_TABLE_CELLS:
        return None
    values = {**dict(_answer_texts(field.name, field.slot, default, masked=False)), **typed.values}
    cells = FormInput(values)
    control = _field_control(field, typed, errors.get(field.name, ""), needing)
    return replace(
        control,
        kind="table",
        value="",
        type_words=_join_words(_TYPES["table"], *([] if field.slot.required else [_("optional")]), needing),
        headings=tuple(field_title(path, part) for path, part in parts.items()),
        max_rows=min(field.slot.max_length or MAX_TABLE_CELLS, MAX_TABLE_CELLS // len(parts)),
        rows=tuple(
            tuple(_cell_control(field, f"{row}.{path}", slot, cells, errors) for path, slot in parts.items())
            for row in range(row_count)
        ),
    )


def _row_count(field: Field, typed: FormInput, defaults: int, typed_rows: list[tuple[int, str]], width: int) -> int:
    """Return how many rows a table shows: those with values, a blank one, and the one that was asked for."""
    filled = max([defaults, *(row + 1 for row, text in typed_rows if text.strip())])
    wanted = max([filled + BLANK_ROWS, *(row + 2 for row, _ in typed_rows if typed.longer_table == field.name)])
    limit = min(field.slot.max_length or wanted, MAX_TABLE_CELLS // width)
    return max(min(wanted, limit), filled, 1)


def is_row_number(text: str) -> bool:
    """Whether this part of a field's name is the number of a row."""
    return text.isascii() and text.isdigit() and len(text) < 6


def _join_words(*words: Any) -> str:
    return ", ".join(str(word) for word in words if word)


def _cell_control(field: Field, place: str, slot: Slot, typed: FormInput, errors: Mapping[str, str]) -> Control:
    """Build one cell of a table; `place` is its row and the path of its part, such as 0.status."""
    row, _dot, path = place.partition(".")
    name = f"{field.name}.{place}"
    plain = slot.model_copy(update={"default": None})
    control = _field_control(Field(name, field.reference, plain), typed, errors.get(name, ""), "")
    kind = {"choice": "select", "area": "line"}.get(control.kind, control.kind)
    title = f"{field_title(field.name, field.slot)} {int(row) + 1}: {part_title(path, slot)}"
    return replace(control, id=f"{control.id}-{place.replace('.', '-')}", title=title, kind=kind)


def _field_control(field: Field, typed: FormInput, error: str, needing: str) -> Control:
    slot = field.slot
    value = typed.values.get(field.name)
    value = input_text(slot, slot.default) if value is None else value
    return Control(
        id=f"field-{field.reference.replace('.', '-')}",
        name=PREFIX + field.name,
        title=field_title(field.name, slot),
        gate=field.reference,
        kind=_control_kind(slot),
        type_words=_type_and_need_text(field, needing),
        value=value,
        error=error,
        hint=slot.description.in_language(get_language() or "") if slot.description else "",
        choices=_slot_choices(slot, value),
        required=slot.required,
        endings=",".join(endings_of(file_slot)) if (file_slot := file_slot_of(slot)) else "",
        several=slot.type == "list",
        picker=picker_for(slot, value),
    )


def _type_and_need_text(field: Field, needing: str) -> str:
    if not needing:
        return type_text(field.slot)
    if field.name == REASON:
        return _required_text(needing)
    return f"{type_text(field.slot, may_be_empty=False)}, {_required_text(needing)}"


def _control_kind(slot: Slot) -> str:
    match slot.type:
        case "file" | "list" if file_slot_of(slot) is not None:
            return "file"
        case "boolean":
            return "choice"
        case "choice":
            return "choice" if len(slot.options) <= 4 else "select"
        case "integer" | "number" | "money":
            return "number"
        case "text" if (slot.max_length or LONG_TEXT_CHARACTERS + 1) > LONG_TEXT_CHARACTERS:
            return "area"
        case "list" | "object":
            return "area"
        case _:
            return "line"


def _slot_choices(slot: Slot, value: str) -> tuple[Choice, ...]:
    if slot.type == "boolean":
        both = (("yes", _("Yes")), ("no", _("No")))
        return tuple(Choice(word, label, value.strip().lower() == word, label.lower()) for word, label in both)
    language = get_language() or ""
    labels = {option.value: option.label.in_language(language) for option in slot.options}
    return tuple(Choice(name, label, value == name, label) for name, label in labels.items())


def _limits_text(slot: Slot) -> str:
    low, high = _number_text(slot.minimum), _number_text(slot.maximum)
    if low and high:
        return _("%(low)s to %(high)s") % {"low": low, "high": high}
    if low or high:
        return _("at least %s") % low if low else _("at most %s") % high
    if slot.max_length:
        return _("at most %s characters") % slot.max_length
    return ""


def _file_limits_text(slot: Slot) -> str:
    kinds = kinds_text(slot) if slot.kinds else ""
    size = _("at most %s") % size_text(max_bytes_of(slot))
    return f"{kinds}, {size}" if kinds else size


def _number_text(limit: Any) -> str:
    if limit is None:
        return ""
    return limit if isinstance(limit, str) else format_decimal(limit, locale=locale())


def _reason_control(session: HITLSession, typed: FormInput, needing: str) -> Control:
    return Control(
        id="field-reason",
        name=PREFIX + REASON,
        title=_("Message to the agent") if session.is_from_agent else _("Reason"),
        gate="",
        kind="area",
        type_words=_required_text(needing),
        value=typed.reason,
        error="",
        hint=_reason_hint(session),
        choices=(),
        required=False,
    )


def _reason_hint(session: HITLSession) -> str:
    if session.is_from_agent:
        return _("The agent reads it")
    return _("The customer is told it") if is_reason_told(session) else _("For the audit; the customer does not see it")


def _required_text(needing: str) -> str:
    return _("required for: %s") % needing


def _with_error(control: Control, error: str) -> Control:
    return Control(**{**vars(control), "error": error})


def _draft_text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


_TYPES = {
    "text": gettext_lazy("text"),
    "integer": gettext_lazy("whole number"),
    "number": gettext_lazy("number"),
    "boolean": gettext_lazy("yes or no"),
    "date": gettext_lazy("date"),
    "time": gettext_lazy("time"),
    "datetime": gettext_lazy("date and time"),
    "email": gettext_lazy("e-mail address"),
    "phone": gettext_lazy("phone number"),
    "money": gettext_lazy("amount"),
    "choice": gettext_lazy("one of these"),
    "list": gettext_lazy("list, as JSON"),
    "object": gettext_lazy("object, as JSON"),
    "file": gettext_lazy("file"),
    "table": gettext_lazy("one row each"),
}


PAGE_FIELDS = frozenset({"csrfmiddlewaretoken", "version", "key", "action", "rows"})
"""Posted names that are not fields of the gate's form."""


def read_form_input(request: HttpRequest) -> FormInput:
    """Read the submitted form. Unknown fields are passed on to the desk, which refuses them."""
    sent = {name: str(value) for name, value in request.POST.items()}
    fields = {name.removeprefix(PREFIX): value for name, value in sent.items() if name not in PAGE_FIELDS}
    return FormInput(fields, sent.get("action", ""), fields.get(REASON, ""))
