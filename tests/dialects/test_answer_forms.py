"""Forms from JSON Schemas, and answers checked against them."""

from time import process_time
from typing import Any

import pytest

from dialogue.dialects.answer_forms import fields_of_form, is_sensitive, problems_of_answer, values_of_answer
from dialogue.dialects.json_schemas import check_schema, problems_in
from dialogue.dialects.pauses import AskRefused


def form(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


FIELDS = [
    ({"type": "string"}, "text", "value"),
    ({"type": "string", "format": "date"}, "date", "value"),
    ({"type": "string", "format": "date-time"}, "datetime", "value"),
    ({"type": "string", "format": "email"}, "email", "value"),
    ({"type": "integer", "minimum": 1}, "integer", "value"),
    ({"type": "number"}, "number", "value"),
    ({"type": "boolean"}, "boolean", "value"),
    ({"enum": ["S", "M"]}, "choice", "value"),
    ({"enum": [1, 2]}, "choice", "option"),
    ({"oneOf": [{"const": "s", "title": "Small"}, {"const": "m", "title": "Medium"}]}, "choice", "value"),
    ({"type": "array", "items": {"enum": ["S", "M"]}}, "list", "value"),
    ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer", "value"),
    ({"$ref": "#/$defs/size"}, "choice", "value"),
    ({"type": "object", "properties": {}}, "text", "json"),
    ({"type": "array", "items": {"type": "integer"}}, "text", "json"),
    ({"enum": [1, "1"]}, "text", "json"),
    ({}, "text", "json"),
    (True, "text", "json"),
]


@pytest.mark.parametrize(("schema", "kind", "reads"), FIELDS)
def test_a_property_becomes_a_field_of_its_type_or_one_for_json(schema, kind, reads):
    (field,) = fields_of_form({**form(value=schema), "$defs": {"size": {"enum": ["S", "M"]}}})

    assert (field.slot["type"], field.reads) == (kind, reads)


def test_names_of_any_kind_get_names_that_the_desk_can_read():
    fields = fields_of_form(form(**{"orderId": {}, "order-id": {}, "größe": {}, "reason": {}, "7": {}, "🙂": {}}))

    assert [field.name for field in fields] == ["order_id", "order_id_2", "gr_sse", "reason_value", "field_7", "field"]
    assert [field.prop for field in fields] == ["orderId", "order-id", "größe", "reason", "7", "🙂"]


def test_arguments_stand_in_the_form_as_they_were_proposed():
    fields = fields_of_form(
        form(amount={"type": "number"}, size={"enum": ["S", "M"]}, lines={"type": "array"}, note={"type": "string"}),
        {"amount": 420, "size": "L", "lines": [1], "note": 7},
    )

    assert [field.slot.get("default") for field in fields] == [420, None, "[\n 1\n]", None]
    assert not any(field.needed for field in fields)


def test_a_required_argument_is_needed_again_and_a_proposed_secret_is_not():
    form = {
        "properties": {"amount": {"type": "number"}, "note": {"type": "string"}, "key": {"format": "password"}},
        "required": ["amount", "key"],
    }

    fields = fields_of_form(form, {"amount": 420.0, "note": "-", "key": "k3"})
    without_secret = fields_of_form(form, {"amount": 420.0})

    assert [field.prop for field in fields if field.needed] == ["amount"]
    assert [field.prop for field in without_secret if field.needed] == ["amount", "key"]


def test_secrets_never_stand_in_a_form():
    secret = {"type": "string", "writeOnly": True}
    (field,) = fields_of_form(form(token=secret), {"token": "abc"})

    assert is_sensitive(secret)
    assert is_sensitive({"format": "password"})
    assert field.slot["sensitive"]
    assert "default" not in field.slot


def test_what_people_filled_in_becomes_json_again():
    fields = fields_of_form(form(pick={"enum": [1, 2]}, lines={"type": "array"}, orderId={"type": "string"}, no={}))

    values = values_of_answer(fields, {"pick": "2", "lines": '[{"a": 1}]', "order_id": "W-1", "no": None})

    assert values == {"pick": 2, "lines": [{"a": 1}], "orderId": "W-1"}


@pytest.mark.parametrize("text", ["{", "NaN", "[1,]"])
def test_a_text_that_is_no_json_is_refused(text):
    with pytest.raises(ValueError):
        values_of_answer(fields_of_form(form(lines={"type": "array"})), {"lines": text})


CHECKS: list[tuple[Any, Any, list[str]]] = [
    ({"type": "integer"}, 3.0, []),
    ({"type": "integer"}, True, ["type"]),
    ({"type": ["string", "null"]}, None, []),
    ({"enum": [1]}, True, ["enum"]),
    ({"const": "x"}, "y", ["const"]),
    ({"minimum": 2, "maximum": 3}, 1, ["minimum"]),
    ({"exclusiveMaximum": 3}, 3, ["exclusiveMaximum"]),
    ({"multipleOf": 0.1}, 0.3, []),
    ({"multipleOf": 5}, 7, ["multipleOf"]),
    ({"minLength": 2}, "a", ["minLength"]),
    ({"pattern": "^W"}, "X1", ["pattern"]),
    ({"maxItems": 1}, [1, 2], ["maxItems"]),
    ({"items": {"type": "string"}}, ["a", 1], ["type"]),
    ({"required": ["a"]}, {}, ["required"]),
    ({"properties": {"a": {}}, "additionalProperties": False}, {"b": 1}, ["additionalProperties"]),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, 1.5, ["anyOf"]),
    ({"oneOf": [{"type": "number"}, {"type": "integer"}]}, 1, ["oneOf"]),
    ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, 3, ["maximum"]),
    ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, 1, ["type"]),
]


@pytest.mark.parametrize(("schema", "value", "rules"), CHECKS)
def test_a_value_is_checked_by_the_keywords_that_people_use(schema, value, rules):
    check_schema(schema)

    assert [problem.rule for problem in problems_in(schema, value)] == rules


def test_a_problem_says_where_it_is():
    schema = form(order=form(lines={"items": {"type": "integer"}}))

    assert problems_of_answer(schema, {"order": {"lines": [1, "x"]}})[0].path == "order.lines.1"


BAD_SCHEMAS = [
    {"type": "objekt"},
    {"pattern": "("},
    {"pattern": "(a)\\1"},
    {"pattern": "x" * 501},
    {"enum": "S"},
    {"enum": list(range(501))},
    {"anyOf": [{}] * 21},
    {"anyOf": [3]},
    {"properties": {"a": 3}},
    {"required": [1]},
    {"minimum": "1"},
    {"multipleOf": 0},
    {"$ref": "https://x.example/schema"},
    {"$ref": "#/$defs/none"},
    {"$ref": "#"},
    {"properties": {f"p{number}": {} for number in range(1_001)}},
]


@pytest.mark.parametrize("schema", BAD_SCHEMAS)
def test_a_schema_that_cannot_be_used_is_refused(schema):
    with pytest.raises(AskRefused):
        check_schema(schema)


def test_a_schema_that_is_built_to_be_expensive_ends_at_once():
    node: dict[str, Any] = {"type": "integer"}
    for _ in range(12):
        node = {"anyOf": [node, node, node, node]}
    schema = {"$defs": {"a": {"anyOf": [{"items": {"$ref": "#/$defs/a"}}] * 20}}, "items": {"$ref": "#/$defs/a"}}
    value: Any = []
    for _ in range(15):
        value = [value] * 3 if len(str(value)) < 10_000 else [value]
    began = process_time()

    with pytest.raises(AskRefused, match="at most"):
        check_schema(node)
    check_schema(schema)
    problems_in(schema, value)
    problems_in({"pattern": "(a+)+$"}, "a" * 10_000 + "!")

    assert process_time() - began < 20


def test_a_form_has_at_most_fifty_fields():
    with pytest.raises(AskRefused, match="at most 50"):
        fields_of_form(form(**{f"p{number}": {} for number in range(51)}))
