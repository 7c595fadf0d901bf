import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from dialogue.engine.language.compiler import Slot
from dialogue.engine.slots.display import display_or_redact
from dialogue.engine.slots.values import (
    ValueRefused,
    form_schema,
    format_value,
    json_value,
    redacted_value,
    slots_from_schema,
    typed_value,
    validator,
    value_from_any,
    value_from_json,
    value_from_text,
)
from dialogue.engine.source.json import JsonRefused, read_json
from dialogue.engine.source.value_errors import RULES
from dialogue.engine.validators import ValidatorNotFound, find_validator, is_iban, is_luhn
from tests.support import hostile

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)  # a Monday
EDITION = {
    "type": "choice",
    "options": (
        {"value": "large_print", "label": {"en": "large print", "es": "letra grande"}, "synonyms": ("big letters",)},
        "audio",
    ),
}


def slot(**spec):
    """A slot as it stands in a flow, with a name."""
    fields = Slot.model_validate({"type": "object", "fields": {"it": spec}}).fields
    return fields["it"]


def text(given, *, timezone="UTC", **spec):
    return value_from_text(slot(**spec), given, now=NOW, timezone=timezone)


def body(given, **spec):
    return value_from_json(slot(**spec), given, now=NOW, timezone="UTC")


def refusal(take, given, **spec):
    with pytest.raises(ValueRefused) as refused:
        take(given, **spec)
    return refused.value


@pytest.mark.parametrize(
    ("spec", "given", "stored"),
    [
        ({"type": "text"}, "  Lindqvist Marine ", "Lindqvist Marine"),
        ({"type": "text"}, "two\nlines", "two\nlines"),
        ({"type": "integer"}, " 9000 ", 9000),
        ({"type": "integer"}, "-7", -7),
        ({"type": "integer"}, "+7", 7),
        ({"type": "integer"}, "9007199254740991", 2**53 - 1),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "number"}, ".5", 0.5),
        ({"type": "boolean"}, "YES", True),
        ({"type": "boolean"}, "y", True),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "On", True),
        ({"type": "boolean"}, "1", True),
        ({"type": "boolean"}, "sí", True),
        ({"type": "boolean"}, "no", False),
        ({"type": "boolean"}, "N", False),
        ({"type": "boolean"}, "FALSE", False),
        ({"type": "boolean"}, "off", False),
        ({"type": "boolean"}, "0", False),
        ({"type": "date"}, "2026-12-14", "2026-12-14"),
        ({"type": "date"}, "today", "2026-11-23"),
        ({"type": "date"}, "Tomorrow", "2026-11-24"),
        ({"type": "date"}, "el viernes", "2026-11-27"),
        ({"type": "date"}, "next monday", "2026-11-30"),
        ({"type": "date"}, "in 3 days", "2026-11-26"),
        ({"type": "date"}, "mañana", "2026-11-24"),
        ({"type": "time"}, "9:30", "09:30"),
        ({"type": "time"}, "09:30:15", "09:30:15"),
        ({"type": "datetime"}, "2026-12-14T09:30", "2026-12-14T09:30:00+00:00"),
        ({"type": "datetime"}, "2026-12-14 09:30+01:00", "2026-12-14T09:30:00+01:00"),
        ({"type": "datetime"}, "2026-12-14T09:30Z", "2026-12-14T09:30:00+00:00"),
        ({"type": "email"}, "Mia@Example.ORG", "Mia@example.org"),
        ({"type": "phone"}, "+34 600 123-456", "+34600123456"),
        ({"type": "money"}, "8450", "8450.00"),
        ({"type": "money"}, "8,450.00", "8450.00"),
        ({"type": "money"}, "8.450,00", "8450.00"),
        ({"type": "money", "currency": "EUR"}, "€8,450.00", "8450.00"),
        ({"type": "money", "currency": "EUR"}, "8450 EUR", "8450.00"),
        ({"type": "money"}, "-0", "0.00"),
        (EDITION, "large_print", "large_print"),
        (EDITION, "LARGE  print", "large_print"),
        (EDITION, "Letra grande", "large_print"),
        (EDITION, "Big Letters", "large_print"),
        ({"type": "list", "items": {"type": "integer"}}, "[1, 2]", [1, 2]),
        ({"type": "list", "items": {"type": "integer"}}, "[]", []),
        ({"type": "object", "fields": {"town": {"type": "text"}}}, '{"town": "Rome"}', {"town": "Rome"}),
    ],
)
def test_what_a_person_types_becomes_a_stored_value(spec, given, stored):
    assert text(given, **spec) == stored
    assert type(text(given, **spec)) is type(stored)


@pytest.mark.parametrize(
    ("spec", "given", "rule"),
    [
        ({"type": "boolean"}, "maybe", "boolean"),
        ({"type": "boolean"}, "2", "boolean"),
        ({"type": "integer"}, "1_000", "whole_number"),
        ({"type": "integer"}, "7.5k", "whole_number"),
        ({"type": "integer"}, "5.0", "whole_number"),
        ({"type": "integer"}, "0x10", "whole_number"),
        ({"type": "integer"}, "nan", "whole_number"),
        ({"type": "integer"}, "٣", "whole_number"),
        ({"type": "integer"}, "３", "whole_number"),
        ({"type": "integer"}, "1,5", "decimal_point"),
        ({"type": "integer"}, str(2**70), "too_large"),
        ({"type": "integer"}, str(2**53), "too_large"),
        ({"type": "integer"}, "9" * 4_400, "too_large"),
        ({"type": "number"}, "inf", "number"),
        ({"type": "number"}, "1e400", "number"),
        ({"type": "number"}, "1,5", "decimal_point"),
        ({"type": "number"}, "", "required"),
        ({"type": "money"}, "12,5", "decimal_point"),
        ({"type": "money"}, "0.001", "two_decimals"),
        ({"type": "money"}, "1e400", "money"),
        ({"type": "money"}, "1" + "0" * 15, "too_large"),
        ({"type": "money", "currency": "EUR"}, "$5", "money"),
        ({"type": "date"}, "28/02/2025", "date"),
        ({"type": "date"}, "0", "date"),
        ({"type": "date"}, "10000-01-01", "date"),
        ({"type": "date"}, "2025-02-30", "date"),
        ({"type": "date"}, "2026-11-23T09:00", "date"),
        ({"type": "time"}, "25:00", "time"),
        ({"type": "time"}, "930", "time"),
        ({"type": "datetime"}, "2026-11-23", "datetime"),
        ({"type": "datetime"}, "tomorrow at nine", "datetime"),
        ({"type": "email"}, "mia@@example", "email"),
        ({"type": "email"}, "mia@example", "email"),
        ({"type": "email"}, ".mia@example.org", "email"),
        ({"type": "email"}, "mia@example.org, ana@example.org", "email"),
        ({"type": "phone"}, "call me", "phone"),
        ({"type": "phone"}, "123", "phone"),
        (EDITION, "cassette", "option"),
        ({"type": "text"}, "a\0b", "characters"),
        ({"type": "text"}, "a\ud800b", "characters"),
        ({"type": "text"}, "   ", "required"),
        ({"type": "text"}, "x" * 1_000_000, "too_long"),
        ({"type": "list", "items": {"type": "integer"}}, "1, 2", "json"),
        ({"type": "list", "items": {"type": "integer"}}, '{"a": 1}', "list"),
        ({"type": "object", "fields": {"town": {"type": "text"}}}, '{"town": "Rome", "town": "Oslo"}', "json"),
        ({"type": "object", "fields": {"town": {"type": "text"}}}, '{"is_superuser": true}', "unknown_field"),
    ],
)
def test_a_wrong_text_names_field_rule_and_what_was_typed(spec, given, rule):
    refused = refusal(text, given, **spec)

    assert (refused.field, refused.rule) == ("it", rule)
    assert refused.rule in RULES
    assert refused.value_text[:20] in str(refused) or rule in ("required", "characters")


def test_a_decimal_comma_is_told_to_be_a_point():
    assert str(refusal(text, "1,5", type="number")) == "“1,5” has a comma. Use a point: 1.5."


def test_the_options_are_named_in_the_language_of_the_conversation():
    with pytest.raises(ValueRefused) as refused:
        value_from_text(slot(**EDITION), "cassette", now=NOW, timezone="UTC", language="es")

    assert refused.value.sentence("es") == "“cassette” no es ninguna de estas opciones: letra grande, audio."


@pytest.mark.parametrize("spec", [{"type": "text"}, {"type": "integer"}, EDITION])
def test_an_empty_text_is_nothing_where_the_field_is_optional(spec):
    assert text("  ", required=False, **spec) is None


def test_a_local_time_in_the_gap_of_the_clocks_does_not_exist():
    refused = refusal(text, "2026-03-29T02:30", type="datetime", timezone="Europe/Rome")

    assert refused.rule == "time_skipped"


def test_a_local_time_that_happens_twice_asks_for_the_offset():
    refused = refusal(text, "2026-10-25T02:30", type="datetime", timezone="Europe/Rome")

    assert refused.rule == "time_twice"
    assert text("2026-10-25T02:30+01:00", type="datetime", timezone="Europe/Rome") == "2026-10-25T02:30:00+01:00"


def test_tomorrow_is_reckoned_in_the_time_zone_of_the_conversation():
    late = datetime(2026, 11, 23, 23, 30, tzinfo=UTC)

    assert value_from_text(slot(type="date"), "today", now=late, timezone="Asia/Tokyo") == "2026-11-24"


@pytest.mark.parametrize(
    ("spec", "given", "stored"),
    [
        ({"type": "boolean"}, False, False),
        ({"type": "integer"}, 0, 0),
        ({"type": "number"}, 3, 3.0),
        ({"type": "money"}, 8450, "8450.00"),
        ({"type": "money"}, 23118.4, "23118.40"),
        ({"type": "money"}, "8450.00", "8450.00"),
        ({"type": "text"}, "yes", "yes"),
        (EDITION, "audio", "audio"),
        ({"type": "list", "items": {"type": "text"}}, [], []),
        ({"type": "object", "fields": {"a": {"type": "text", "required": False}}}, {}, {"a": None}),
        ({"type": "integer", "required": False}, None, None),
    ],
)
def test_json_that_is_exact_is_taken_as_it_is(spec, given, stored):
    assert body(given, **spec) == stored


@pytest.mark.parametrize(
    ("spec", "given", "rule"),
    [
        ({"type": "boolean"}, "yes", "boolean"),
        ({"type": "boolean"}, 1, "boolean"),
        ({"type": "integer"}, True, "whole_number"),
        ({"type": "integer"}, "5", "whole_number"),
        ({"type": "integer"}, 5.5, "whole_number"),
        ({"type": "integer"}, 2**70, "too_large"),
        pytest.param({"type": "integer"}, 10**4_400, "too_large", id="a very long integer"),
        pytest.param({"type": "text"}, 10**4_400, "text", id="a very long integer as text"),
        pytest.param({"type": "number"}, 10**4_400, "too_large", id="a very long number"),
        pytest.param({"type": "money"}, 10**4_400, "too_large", id="a very long amount"),
        ({"type": "number"}, float("inf"), "too_large"),
        ({"type": "number"}, float("nan"), "too_large"),
        ({"type": "number"}, False, "number"),
        ({"type": "money"}, float("nan"), "too_large"),
        ({"type": "money"}, True, "money"),
        ({"type": "date"}, 0, "date"),
        ({"type": "date"}, "tomorrow", "date"),
        ({"type": "datetime"}, "2026-11-23T09:30", "zone_missing"),
        ({"type": "text"}, 5, "text"),
        ({"type": "text"}, None, "required"),
        (EDITION, "Large print", "option"),
        (EDITION, ["audio"], "option"),
        ({"type": "list", "items": {"type": "text"}}, "a", "list"),
        ({"type": "object", "fields": {"a": {"type": "text"}}}, [], "object"),
    ],
)
def test_json_that_is_nearly_right_is_refused(spec, given, rule):
    assert refusal(body, given, **spec).rule == rule


def test_a_refusal_inside_a_list_or_an_object_says_where():
    fields = {"lines": {"type": "list", "items": {"type": "object", "fields": {"price": {"type": "money"}}}}}

    refused = refusal(body, {"lines": [{"price": 1}, {"price": "lots"}]}, type="object", fields=fields)

    assert refused.field == "it.lines[1].price"


@pytest.mark.parametrize(
    ("spec", "given", "stored"),
    [
        ({"type": "money"}, Decimal("5.00"), "5.00"),
        ({"type": "integer"}, Decimal("9000"), 9000),
        ({"type": "number"}, Decimal("0.1"), 0.1),
        ({"type": "text"}, 4471, "4471"),
        (EDITION, "Audio", "audio"),
        ({"type": "boolean"}, "yes", True),
        ({"type": "boolean"}, False, False),
        ({"type": "date"}, "2026-12-14", "2026-12-14"),
        ({"type": "list", "items": {"type": "text"}}, ("a", "b"), ["a", "b"]),
    ],
)
def test_what_a_command_or_an_action_carries_is_taken_kindly(spec, given, stored):
    assert value_from_any(slot(**spec), given, now=NOW, timezone="UTC") == stored


@pytest.mark.parametrize(
    "given",
    [
        Decimal("sNaN"),
        Decimal("1e999"),
        pytest.param(10**5000, id="long"),
        pytest.param([10**5000], id="list"),
        b"x",
        {1: 2},
    ],
)
@pytest.mark.parametrize("kind", ["text", "integer", "number", "boolean", "date", "email", "money"])
def test_whatever_an_action_returns_only_our_refusal_comes_out(kind, given):
    with pytest.raises(ValueRefused):
        value_from_any(slot(type=kind), given, now=NOW, timezone="UTC")


@pytest.mark.parametrize(
    ("spec", "inside", "outside", "rule"),
    [
        ({"type": "integer", "minimum": 0, "maximum": 10}, "10", "11", "between"),
        ({"type": "integer", "minimum": 0}, "0", "-1", "at_least"),
        ({"type": "money", "maximum": "14.50"}, "14.50", "14.51", "at_most"),
        ({"type": "date", "minimum": "2026-01-01"}, "2026-01-01", "2025-12-31", "at_least"),
        ({"type": "date", "not_past": True}, "2026-11-23", "2026-11-22", "past"),
        ({"type": "date", "not_future": True}, "2026-11-23", "2026-11-24", "future"),
        ({"type": "date", "weekdays": True}, "2026-11-27", "2026-11-28", "weekday"),
        ({"type": "datetime", "not_past": True}, "2026-11-23T09:00Z", "2026-11-23T08:59Z", "past"),
        ({"type": "time", "maximum": "18:00"}, "18:00", "18:01", "at_most"),
        ({"type": "text", "min_length": 2}, "ab", "a", "too_short"),
        ({"type": "text", "max_length": 2}, "ab", "abc", "too_long"),
        ({"type": "text", "pattern": "L[0-9]{4}"}, "L4040", "L40401", "pattern"),
        ({"type": "text", "pattern": "[0-9]{4}"}, "4471", "x4471", "pattern"),
        ({"type": "text", "validator": "luhn"}, "4111 1111 1111 1111", "4111 1111 1111 1112", "validator"),
        ({"type": "list", "items": {"type": "integer"}, "max_length": 1}, "[1]", "[1, 2]", "too_many"),
        ({"type": "list", "items": {"type": "integer"}, "min_length": 1}, "[1]", "[]", "too_few"),
    ],
)
def test_every_limit_has_two_sides(spec, inside, outside, rule):
    text(inside, **spec)

    assert refusal(text, outside, **spec).rule == rule


def test_a_limit_is_named_in_the_refusal():
    refused = refusal(text, "10001", type="integer", minimum=0, maximum=10000)

    assert str(refused) == "“10001” is out of range. It must be between 0 and 10,000."
    assert refused.limits == {"minimum": "0", "maximum": "10000"}


def test_a_pattern_that_backtracks_for_ever_elsewhere_comes_to_an_end():
    refused = refusal(text, "a" * 9_000 + "!", type="text", pattern=hostile.PATTERN)

    assert refused.rule == "pattern"


def test_an_iban_may_be_typed_in_groups_and_small_letters():
    spec = {"type": "text", "pattern": "[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}", "validator": "iban"}

    assert text("de89 3704 0044 0532 0130 00", **spec) == "DE89370400440532013000"
    assert refusal(text, "DE89370400440532013001", **spec).rule == "validator"


@pytest.mark.parametrize("number", ["ES9121000418450200051332", "GB82WEST12345698765432"])
def test_real_ibans_pass(number):
    assert is_iban(number)


@pytest.mark.parametrize("number", ["", "DE", "DE00", "ＤＥ89370400440532013000", "GB82WEST12345698765433", "1" * 40])
def test_other_texts_are_no_ibans(number):
    assert not is_iban(number)


def test_luhn_checks_the_last_digit():
    assert is_luhn("79927398713")
    assert not is_luhn("79927398714")
    assert not is_luhn("٧٩٩٢")


def test_a_registered_validator_can_be_named_by_a_slot():
    @validator("even_length")
    def is_even(given):
        return len(given) % 2 == 0

    assert text("ab", type="text", validator="even_length") == "ab"
    assert refusal(text, "abc", type="text", validator="even_length").rule == "validator"


def test_an_unknown_validator_is_named():
    with pytest.raises(ValidatorNotFound, match="nobody"):
        find_validator("nobody")


def test_a_sensitive_value_is_masked_in_its_refusal():
    refused = refusal(text, "DE8937040044", type="text", pattern="x", sensitive=True)

    assert "DE89" not in str(refused) + refused.value_text
    assert refused.value_text == "••••"


@pytest.mark.parametrize(
    ("spec", "stored", "english", "spanish"),
    [
        ({"type": "money"}, "8450.00", "8,450.00", "8.450,00"),
        ({"type": "money", "currency": "EUR"}, "8450.00", "€8,450.00", "8.450,00 €"),
        ({"type": "money", "currency": "JPY"}, "5.00", "¥5.00", "5,00 JPY"),
        ({"type": "boolean"}, False, "no", "no"),
        ({"type": "boolean"}, True, "yes", "sí"),
        ({"type": "integer"}, 2026, "2026", "2026"),
        ({"type": "number"}, 1.5, "1.5", "1,5"),
        ({"type": "date"}, "2026-12-14", "December 14, 2026", "14 de diciembre de 2026"),
        ({"type": "time"}, "09:30", "9:30 AM", "9:30"),
        (
            {"type": "datetime"},
            "2026-12-14T09:30:00+01:00",
            "December 14, 2026, 8:30 AM",
            "14 de diciembre de 2026, 8:30",
        ),
        (EDITION, "large_print", "large print", "letra grande"),
        (EDITION, "removed_option", "removed_option", "removed_option"),
        ({"type": "list", "items": {"type": "boolean"}}, [True, False], "yes, no", "sí, no"),
        ({"type": "object", "fields": {"zip_code": {"type": "text"}}}, {"zip_code": "1"}, "zip code: 1", "zip code: 1"),
        ({"type": "text"}, None, "", ""),
    ],
)
def test_values_are_shown_in_the_language_of_the_conversation(spec, stored, english, spanish):
    assert format_value(slot(**spec), stored) == english
    assert format_value(slot(**spec), stored, language="es") == spanish


def test_an_unknown_language_is_shown_as_english():
    assert format_value(slot(type="money"), "8450.00", language="xx") == "8,450.00"


def test_a_sensitive_value_keeps_its_last_four_characters_when_it_is_long():
    iban, card = slot(type="text", sensitive=True), slot(type="text", sensitive=True)

    assert redacted_value(iban, "DE89370400440532013000") == "•••• 3000"
    assert redacted_value(card, "4471") == "••••"
    assert display_or_redact(iban, "DE89370400440532013000") == "•••• 3000"
    assert display_or_redact(slot(type="text"), "plain") == "plain"


def test_stored_values_become_python_values_for_conditions_and_back():
    assert typed_value(slot(type="money"), "8450.00") == Decimal("8450.00")
    assert typed_value(slot(type="date"), "2026-12-14") == date(2026, 12, 14)
    assert typed_value(slot(type="integer"), None) is None
    assert typed_value(slot(type="list", items={"type": "integer"}), [1]) == [Decimal(1)]
    assert json_value(Decimal("16900.00")) == 16900
    assert json_value(Decimal("0.10")) == "0.1"
    assert json_value(date(2026, 12, 14)) == "2026-12-14"


def test_a_form_can_be_kept_as_json_schema_and_read_back():
    fields = Slot.model_validate(
        {
            "type": "object",
            "fields": {
                "limit": {"type": "integer", "minimum": 0, "maximum": 10000, "required": False},
                "paid": {"type": "money", "maximum": "14.50", "currency": "EUR"},
                "edition": EDITION,
                "day": {"type": "date", "minimum": "2026-01-01", "invalid": "{value} is too early"},
                "lines": {"type": "list", "items": {"type": "object", "fields": {"price": {"type": "money"}}}},
            },
        }
    ).fields

    kept = json.loads(json.dumps(form_schema(fields), sort_keys=True))

    assert slots_from_schema(kept) == fields
    assert list(slots_from_schema(kept)) == list(fields)
    assert kept["properties"]["limit"]["maximum"] == 10000
    assert kept["properties"]["edition"]["enum"] == ["large_print", "audio"]
    assert kept["required"] == ["paid", "edition", "day", "lines"]


def test_an_empty_form_is_a_form():
    assert slots_from_schema(form_schema({})) == {}


@pytest.mark.parametrize(
    "given",
    [
        '{"a": 1, "a": 2}',
        "NaN",
        "[Infinity]",
        "1e400",
        "9" * 4_400,
        "[" * 100_000,
        "[" * 25 + "]" * 25,
        "{",
        "",
        b"\xff\xfe\xfd",
    ],
)
def test_json_that_is_broken_deep_or_ambiguous_is_refused(given):
    with pytest.raises(JsonRefused):
        read_json(given)


def test_strict_json_reads_what_is_json():
    assert read_json('{"a": [0, false, null, 1.5, "x"]}') == {"a": [0, False, None, 1.5, "x"]}
