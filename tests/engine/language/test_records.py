"""Records: types with a name, in assistant.yaml, which stand wherever a slot is written."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from dialogue.engine.language.compiler import (
    ActionContract,
    Assistant,
    Human,
    check_documents,
    json_schema,
    load_assistant,
)
from dialogue.engine.language.python_values import stored_results
from dialogue.engine.language.reference import language_reference
from dialogue.engine.slots.display import field_of
from dialogue.engine.slots.values import ValueRefused, format_value, value_from_any, value_from_json

NOON = datetime(2026, 11, 23, 12, 0, tzinfo=UTC)
CLOCK: dict[str, Any] = {"now": NOON, "timezone": "UTC"}

SHOP = """\
version: 1
assistant: shop
records:
  order:
    fields:
      order_id: text
      status: {type: choice, options: [pending, delivered]}
      items: list of item
      address: optional address
    label: "{order_id}, {status}, {address.zip}"
  item: {fields: {name: text, price: {type: money, currency: EUR}, pieces: optional number}, label: "{name}"}
  address: {fields: {street: text, zip: {type: text, pattern: "[0-9]{5}", prompt: "Which zip code?"}}}
slots:
  orders: list of order
  current: {type: order, required: false, description: The order that this is about.}
actions:
  find_orders: {inputs: {customer: text, tags: optional list of text}, outputs: {orders: list of order}}
"""

PICK = """\
flow: pick
description: Pick an order.
slots:
  order: order
  name: optional text
  more: {type: list, items: order}
steps:
  - {step: ask, type: collect, slot: name, message: Name?}
  - {step: find, type: action, call: find_orders, inputs: {customer: name}, outputs: {orders: orders}, on_error: end}
  - step: check
    type: human
    title: Check
    next: {yes_please: tell, no_thanks: end}
    actions: [{id: yes_please}, {id: no_thanks}]
    timeout: 1h
    on_timeout: no_thanks
    form: {chosen: order, others: optional list of order}
  - {step: tell, type: say, message: "{order.address.zip|order} {orders.items.name} {current.status}"}
"""

BOOTS: dict[str, Any] = {"name": "boots", "price": "129.90", "pieces": None}
FIRST: dict[str, Any] = {
    "order_id": "W1",
    "status": "pending",
    "items": [BOOTS],
    "address": {"street": "12 Pine St", "zip": "80204"},
}
SECOND: dict[str, Any] = {"order_id": "W2", "status": "delivered", "items": [], "address": None}


def shop(head: str = SHOP, flow: str = PICK) -> Assistant:
    return load_assistant({"assistant.yaml": head, "pick.yaml": flow})


def errors(head: str = SHOP, flow: str = PICK) -> list[str]:
    problems = check_documents({"assistant.yaml": head, "pick.yaml": flow})
    return [str(problem) for problem in problems if problem.severity == "error"]


def test_a_record_is_an_object_with_its_fields_and_its_label_wherever_a_slot_is_written():
    assistant = shop()
    orders, pick = assistant.slots["orders"], assistant.flows["pick"]
    check = pick.step("check")
    assert isinstance(check, Human) and orders.items is not None

    assert (orders.type, orders.record, orders.items.type, orders.items.record) == ("list", "", "object", "order")
    assert str(orders.items.label) == "{order_id}, {status}, {address.zip}"
    assert orders.items.fields == assistant.records["order"].fields
    assert orders.items.name == "orders"
    assert orders.items.fields["items"].items is not None and orders.items.fields["items"].items.record == "item"
    assert [slot.record for slot in (pick.slots["order"], check.form["chosen"])] == ["order", "order"]
    assert (pick.slots["more"].items or pick.slots["order"]).record == "order"
    assert check.form["others"].required is False and pick.slots["order"].required is True
    assert assistant.actions["find_orders"].inputs["tags"].type == "list"
    assert str(assistant.slots["current"].description) == "The order that this is about."


def test_records_of_a_valid_document_have_no_findings_and_a_record_may_stay_unused():
    assert errors() == []
    assert errors(SHOP.replace("slots:\n", "  parcel: {fields: {number: text}}\nslots:\n")) == []


def test_a_slot_may_be_called_like_a_record_and_have_another_type():
    assistant = shop(flow=PICK.replace("  order: order\n", "  order: text\n").replace("{order.address.zip|order}", ""))

    assert (assistant.flows["pick"].slots["order"].type, assistant.flows["pick"].slots["order"].record) == ("text", "")


@pytest.mark.parametrize(
    ("old", "new", "finding"),
    [
        (
            "list of order\n",
            "list of ordr\n",
            ":14:11: E-FLOW: `list of ordr` is not a slot type. Did you mean `order`?",
        ),
        ("type: order,", "type: ordr,", ":15:19: E-FLOW: `ordr` is not allowed here. Did you mean `order`?"),
        ("street: text", "street: txt", ":12:30: E-FLOW: `txt` is not a slot type. Did you mean `text`?"),
        ("optional address", "address optional", "`address optional` is not a slot type"),
        (
            "street: text",
            "home: order",
            "the record contains itself: order → address → order. Keep the identifier of the other one",
        ),
        ("street: text", "home: {type: list, items: address}", "the record contains itself: address → address"),
        ("  item:", "  money:", "`money` is a slot type already. Choose another name"),
        ("  item:", "  in:", "`in` is a reserved word. Choose another name"),
        ('"{name}"', '"{nam}"', "the label names `{nam}`, but there is no such field. Did you mean `name`?"),
        ("{address.zip}", "{address.zap}", "the label names `{address.zap}`, but there is no such field"),
        (
            "type: order,",
            "type: order, fields: {a: text},",
            "the record `order` has its `fields` already. Delete the key",
        ),
        ("{fields: {street: text,", "{label: x, fields: {in: text,", "`in` is a reserved word of conditions"),
        ("Which zip code?", "Which {zap}?", ":12:83: E-FLOW: the text names `{zap}`, which has no value here"),
    ],
)
def test_a_mistake_in_a_record_is_one_finding_with_its_place_and_advice(old: str, new: str, finding: str):
    (error,) = errors(SHOP.replace(old, new, 1))

    assert finding in error


def test_a_wrong_type_in_a_flow_suggests_types_and_records():
    (error,) = errors(flow=PICK.replace("optional list of order", "optional list of odrer"))

    assert error.endswith("`optional list of odrer` is not a slot type. Did you mean `order`?")


def test_a_flow_is_still_checked_when_a_record_cannot_be_read():
    found = errors(SHOP.replace("street: text", "street: txt"), PICK.replace("type: say", "type: sya"))

    assert [error.partition(":")[0] for error in found] == ["assistant.yaml", "pick.yaml"]


def test_a_field_inside_a_field_that_does_not_exist_is_found():
    (error,) = errors(flow=PICK.replace("{order.address.zip|order}", "{order.address.zap}"))

    assert "the text names `{order.address.zap}`, but there is no such slot" in error


def test_a_record_of_records_has_at_most_a_thousand_fields():
    fields = ", ".join(f"f{number}: {{}}" for number in range(11))
    records = [f"  r{level}: {{fields: {{{fields.replace('{}', f'r{level + 1}')}}}}}" for level in range(3)]
    head = SHOP.replace("slots:\n", "\n".join([*records, "  r3: {fields: {a: text}}", "slots:\n"]), 1)

    (error,) = errors(head)

    assert "the record has 2,794 fields with those of the records in it. Write at most 1,000" in error


@pytest.mark.parametrize(
    ("value", "field", "rule"),
    [
        ([FIRST, {**SECOND, "status": "lost"}], "orders[1].status", "option"),
        ([FIRST, {"order_id": "W2", "items": []}], "orders[1].status", "required"),
        ([{**FIRST, "colour": "red"}], "orders", "unknown_field"),
        ([{**FIRST, "items": [BOOTS, {**BOOTS, "price": "much"}]}], "orders[0].items[1].price", "money"),
        ([{**FIRST, "address": {"street": "x", "zip": "8020"}}], "orders[0].address.zip", "pattern"),
        (["W1"], "orders[0]", "object"),
    ],
)
def test_a_value_is_refused_with_the_path_of_its_wrong_part(value: Any, field: str, rule: str):
    with pytest.raises(ValueRefused) as refused:
        value_from_json(shop().slots["orders"], value, **CLOCK)

    assert (refused.value.field.removesuffix("[0]") if rule == "unknown_field" else refused.value.field) == field
    assert refused.value.rule == rule


def test_what_an_expression_or_an_action_computed_is_read_inside_records_too():
    computed = [{**FIRST, "items": [{"name": "boots", "price": 12, "pieces": "1.5"}]}]

    stored = value_from_any(shop().slots["orders"], computed, **CLOCK)

    assert isinstance(stored, list) and isinstance(stored[0], dict)
    assert stored[0]["items"] == [{"name": "boots", "price": "12.00", "pieces": 1.5}]
    with pytest.raises(ValueRefused):
        value_from_json(shop().slots["orders"], computed, **CLOCK)


def test_what_an_action_returns_is_checked_and_the_wrong_field_is_named():
    contract = shop().actions["find_orders"]

    fitting = stored_results(contract, {"orders": [{**FIRST, "items": [{**BOOTS, "price": Decimal("9.90")}]}]}, **CLOCK)
    wrong = stored_results(contract, {"orders": [FIRST, {**SECOND, "status": "lost"}]}, **CLOCK)

    assert fitting.outputs == {"orders": [{**FIRST, "items": [{**BOOTS, "price": "9.90"}]}]}
    assert wrong.type_mismatch == (
        "`orders` does not fit the type list: `orders[1].status`: “lost” is not one of these: pending, delivered."
    )


def test_a_contract_by_itself_knows_no_records():
    with pytest.raises(ValueError, match="`list of order` is not a slot type"):
        ActionContract.model_validate({"outputs": {"orders": "list of order"}})


def test_a_record_is_shown_by_its_label_and_without_one_by_its_fields():
    orders = shop().slots["orders"]
    assert orders.items is not None

    assert format_value(orders.items, FIRST) == "W1, pending, 80204"
    assert format_value(orders, [FIRST, SECOND]) == "W1, pending, 80204, W2, delivered, "
    address = orders.items.fields["address"]
    assert format_value(address, FIRST["address"]) == "street: 12 Pine St, zip: 80204"


def test_a_text_reads_fields_to_any_depth_and_of_every_item():
    orders = shop().slots["orders"]

    def text(path: str) -> str:
        part = field_of(orders, [FIRST, SECOND], path)
        return format_value(*part) if part else "(none)"

    assert text("status") == "pending, delivered"
    assert text("items.name") == "boots"
    assert text("items.price") == "€129.90"
    assert text("address.zap") == "(none)"


def test_the_schema_and_the_reference_name_the_records():
    definitions = json_schema(shop())["$defs"]

    word, record = definitions["Slot"]["properties"]["type"]["anyOf"]
    assert "choice" in word["enum"] and record["enum"] == ["address", "item", "order"]
    short = definitions["Assistant"]["properties"]["slots"]["patternProperties"]
    (slot,) = short.values()
    assert {"order", "optional order", "list of order", "list of text"} <= set(slot["anyOf"][1]["enum"])
    keys = {key.name: key for chapter in language_reference() if chapter.name == "Record" for key in chapter.keys}
    assert {"fields", "label", "description"} == set(keys) and keys["fields"].required
