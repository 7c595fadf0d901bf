"""Values at a gate: both sides of each line of the coercion table, for typed text and for JSON, and what is told."""

from typing import Any

import pytest

from dialogue.desk.forms import forms
from dialogue.desk.forms.forms import fields_of, read_values
from dialogue.desk.forms.refusals import InvalidValue
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller, InputFormat
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import HITLSession
from tests.support.transfers import Opener

pytestmark = pytest.mark.django_db
MISSING = object()

CENTRAL = {"value": "central", "label": "Central branch", "synonyms": ["main"]}
SLOTS: dict[str, dict[str, Any]] = {
    "agreed": {"type": "boolean"},
    "limit": {"type": "integer", "minimum": 0, "maximum": 10_000},
    "rate": {"type": "number"},
    "sum": {"type": "money"},
    "day": {"type": "date"},
    "at": {"type": "datetime"},
    "branch": {"type": "choice", "options": [CENTRAL, "north"]},
    "names": {"type": "list", "items": {"type": "text"}},
    "box": {"type": "object", "fields": {"width": {"type": "integer"}}},
    "word": {"type": "text", "max_length": 10},
    "maybe": {"type": "integer", "required": False},
}  # fmt: skip


@pytest.fixture
def one_field(open_session: Opener):
    """A session whose form has this one field."""

    def opened(name: str) -> HITLSession:
        return open_session(schema=form_schema({name: Slot.model_validate(SLOTS[name])}))

    return opened


@pytest.mark.parametrize(
    ("name", "typed", "stored"),
    [
        ("agreed", " YES ", True), ("agreed", "off", False), ("agreed", "0", False), ("agreed", "T" "rue", True),
        ("limit", "9000", 9000), ("limit", "0", 0), ("rate", "1.5", 1.5), ("sum", "8450", "8450.00"),
        ("day", "2026-12-14", "2026-12-14"), ("branch", "MAIN", "central"), ("branch", "central BRANCH", "central"),
        ("names", '["a", "b"]', ["a", "b"]), ("names", "[]", []), ("box", '{"width": 0}', {"width": 0}),
        ("word", "  hello ", "hello"), ("maybe", "", None), ("maybe", "   ", None),
    ],
)  # fmt: skip
def test_typed_text_is_taken(name, typed, stored, one_field):
    assert read_values(one_field(name), {name: typed}, InputFormat.TYPED) == {name: stored}


@pytest.mark.parametrize(
    ("name", "typed", "told"),
    [
        ("agreed", "perhaps", "“perhaps” is neither yes nor no."),
        ("agreed", "", "A value is needed here."),
        ("limit", "7.5k", "“7.5k” is not a whole number. Write digits only, such as 9000."),
        ("limit", "1_000", "“1_000” is not a whole number. Write digits only, such as 9000."),
        ("limit", "0x10", "“0x10” is not a whole number. Write digits only, such as 9000."),
        ("limit", "١٢", "“١٢” is not a whole number. Write digits only, such as 9000."),
        ("limit", "10001", "“10001” is out of range. It must be between 0 and 10,000."),
        ("limit", "-1", "“-1” is out of range. It must be between 0 and 10,000."),
        ("rate", "1,5", "“1,5” has a comma. Use a point: 1.5."),
        ("rate", "nan", "“nan” is not a number. Write digits, such as 12.5."),
        ("rate", "inf", "“inf” is not a number. Write digits, such as 12.5."),
        ("day", "28/02/2025", "“28/02/2025” is not a date. Write year, month and day, such as 2026-11-23."),
        ("day", "2025-02-30", "“2025-02-30” is not a date. Write year, month and day, such as 2026-11-23."),
        ("branch", "south", "“south” is not one of these: Central branch, north."),
        ("word", "x" * 11, "“xxxxxxxxxxx” is too long. Write at most 10 characters."),
        ("word", "   ", "A value is needed here."),
    ],
)  # fmt: skip
def test_typed_text_that_is_not_taken_is_told_in_words(name, typed, told, one_field):
    session = one_field(name)

    with pytest.raises(InvalidValue) as refused:
        read_values(session, {name: typed}, InputFormat.TYPED)

    field = refused.value.fields[0]
    assert (field.name, field.reference, field.value) == (name, f"{session.name}.0", typed)
    assert field.message == told
    assert refused.value.detail == f"{session.name}.0: {told}"


@pytest.mark.parametrize("typed", ["4" * 4400, str(2**70), "1e400", "9" * 1000])
@pytest.mark.parametrize("name", ["limit", "rate", "sum"])
def test_numbers_that_are_far_too_large_are_refused_at_once(name, typed, one_field):
    session = one_field(name)
    if name == "rate" and typed == str(2**70):
        assert read_values(session, {name: typed}, InputFormat.TYPED) == {name: float(2**70)}
        return

    with pytest.raises(InvalidValue) as refused:
        read_values(session, {name: typed}, InputFormat.TYPED)

    assert len(refused.value.fields[0].value) <= forms.MAX_QUOTE_CHARACTERS


@pytest.mark.parametrize(
    ("name", "body", "stored"),
    [
        ("agreed", False, False), ("limit", 0, 0), ("names", [], []), ("box", {"width": 3}, {"width": 3}),
        ("maybe", None, None), ("maybe", MISSING, MISSING), ("day", "2026-12-14", "2026-12-14"),
    ],
)  # fmt: skip
def test_json_is_taken_as_it_is(name, body, stored, one_field):
    given = {} if body is MISSING else {name: body}

    values = read_values(one_field(name), given, InputFormat.JSON)

    assert values == ({} if stored is MISSING else {name: stored})


@pytest.mark.parametrize(
    ("name", "body", "rule"),
    [
        ("agreed", "yes", "boolean"), ("agreed", 1, "boolean"), ("limit", True, "whole_number"),
        ("limit", "9000", "whole_number"), ("limit", 1.5, "whole_number"), ("day", 0, "date"),
        ("day", "10000-01-01", "date"), ("at", "2026-03-29T02:30", "zone_missing"), ("names", "a", "list"),
        ("box", [], "object"), ("box", {"width": 1, "depth": 2}, "unknown_field"), ("branch", "main", "option"),
        ("word", 7, "text"), ("agreed", MISSING, "required"), ("agreed", None, "required"),
    ],
)  # fmt: skip
def test_json_of_another_type_is_refused_by_its_rule(name, body, rule, one_field):
    given = {} if body is MISSING else {name: body}

    with pytest.raises(InvalidValue) as refused:
        read_values(one_field(name), given, InputFormat.JSON)

    assert [field.rule for field in refused.value.fields] == [rule]


def test_every_wrong_field_is_named_at_once(open_session: Opener):
    both = {"limit": Slot.model_validate(SLOTS["limit"]), "agreed": Slot.model_validate(SLOTS["agreed"])}
    session = open_session(schema=form_schema(both))

    with pytest.raises(InvalidValue) as refused:
        read_values(session, {"limit": "x", "agreed": "perhaps", "colour": "red"}, InputFormat.TYPED)

    assert {field.name for field in refused.value.fields} == {"limit", "agreed", "colour"}


def test_an_option_that_a_newer_release_removed_is_still_legal_on_the_old_gate(one_field):
    session = one_field("branch")

    assert read_values(session, {"branch": "central"}, InputFormat.JSON) == {"branch": "central"}


def test_a_default_stands_where_nothing_was_given(open_session: Opener):
    slot = Slot.model_validate({"type": "integer", "default": 5})

    assert read_values(open_session(schema=form_schema({"days": slot})), {}, InputFormat.JSON) == {"days": 5}


def test_a_field_that_is_left_out_takes_what_was_answered_at_its_gate(open_session: Opener):
    session = open_session(schema=form_schema({"days": Slot.model_validate({"type": "integer", "default": 5})}))

    assert read_values(session, {}, InputFormat.JSON, {"days": 3}) == {"days": 3}
    assert read_values(session, {"days": 4}, InputFormat.JSON, {"days": 3}) == {"days": 4}


def test_fields_are_gates_in_the_order_of_the_form(session: HITLSession):
    assert [(field.reference, field.name) for field in fields_of(session)] == [
        (f"{session.name}.0", "daily_limit"),
        (f"{session.name}.1", "reason"),
    ]


def test_a_wrong_value_changes_nothing_and_is_told_before_the_reason(session: HITLSession, olga: Caller):
    with pytest.raises(InvalidValue):
        service.submit(session.pk, olga, Answer("reject", {"daily_limit": "7.5k"}, InputFormat.TYPED))

    session.refresh_from_db()
    assert (session.state, session.version) == ("open", 1)
