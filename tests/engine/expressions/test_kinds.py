"""Expressions are checked with the kinds of slots, records and entries before any conversation."""

import pytest

from dialogue.engine.expressions.conditions import Condition, ConditionRefused, Kind

ITEM = Kind("object", fields={"name": Kind("text"), "price": Kind("number"), "amount": Kind("number", integer=True)})
ORDER = Kind(
    "object",
    fields={
        "order_id": Kind("text"),
        "status": Kind("text", frozenset({"pending", "delivered"})),
        "placed": Kind("date"),
        "items": Kind("list", item=ITEM),
        "address": Kind("object", fields={"zip": Kind("text")}),
    },
)
KINDS = {
    "order": ORDER,
    "orders": Kind("list", item=ORDER),
    "items": Kind("list", item=ITEM),
    "names": Kind("list", item=Kind("text")),
    "things": Kind("list"),
    "whole": Kind("number", integer=True),
    "price": Kind("number"),
    "order_id": Kind("text"),
    "city": Kind("text"),
    "paid": Kind("boolean"),
    "due": Kind("date"),
    "at": Kind("datetime"),
    "approval.status": Kind("text"),
}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("order.status", "text"),
        ("order.address.zip", "text"),
        ("order.items.price", "list"),
        ("approval.status", "text"),
        ("sum(order.items, price)", "number"),
        ("sum(items, if(price > 3, price, 0))", "number"),
        ("count(orders, status == 'pending' and any(items, price > whole))", "number"),
        ("first(filter(orders, status == 'pending')).address.zip", "text"),
        ("first(things).whatever", "any"),
        ("max(orders, placed)", "date"),
        ("max(due, today())", "date"),
        ("pick(orders, order_id)", "list"),
        ("filter(names, item != city)", "list"),
        ("any(things, anything > 3)", "boolean"),
        ("if(paid, 'a', 'b')", "text"),
        ("if(paid, order, first(orders)).status", "text"),
        ("first_filled(city, order.address.zip, '-')", "text"),
        ("'n ' + whole + city", "text"),
        ("due + 30d", "date"),
        ("due + whole * 1d", "date"),
        ("at - 2h", "datetime"),
        ("2h + 30m", "duration"),
        ("weekday(due) == 'monday'", "boolean"),
        ("weekday(at) in ['saturday', 'sunday']", "boolean"),
        ("days_between(due, '2026-12-24')", "number"),
        ("order_id in pick(orders, order_id)", "boolean"),
        ("join(pick(items, name), ', ')", "text"),
    ],
)
def test_the_kind_of_an_expression(text, name):
    assert Condition(text).check_as_expression(KINDS).name == name


@pytest.mark.parametrize(
    ("text", "integer", "fraction"),
    [
        ("whole", True, False),
        ("whole * 2 + 1", True, False),
        ("whole / 2", False, True),
        ("(whole / 2) * 2", False, True),
        ("round(whole / 2)", True, False),
        ("round(whole / 2, 1)", False, False),
        ("price", False, False),
        ("sum(items, amount)", True, False),
        ("sum(items, price / 3)", False, True),
        ("count(items)", True, False),
        ("if(paid, whole, whole / 2)", False, True),
        ("1.5", False, False),
    ],
)
def test_whole_numbers_and_fractions_are_told_apart(text, integer, fraction):
    kind = Condition(text).check_as_expression(KINDS)

    assert (kind.integer, kind.fraction) == (integer, fraction)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("order.statu == 'x'", 7, "`order` has no field `statu`. Did you mean `status`?"),
        ("order.address.zap", 15, "`order.address` has no field `zap`. Did you mean `zip`?"),
        ("city.length", 6, "`city` is a text without fields"),
        ("order.status == 'delivred'", 17, "Did you mean `delivered`?"),
        ("first(orders).statu", 15, "has no field `statu`"),
        ("any(orders, status == 'lost')", 23, "not one of the options"),
        ("any(orders, item.statu == 'x')", 18, "`item` has no field `statu`"),
        ("any(order, status == 'pending')", 1, "`any` takes a list, not an object. Write `any(list, test)`"),
        ("any(orders, order_id)", 13, "takes a test of each entry, not a text"),
        ("sum(orders, order_id)", 13, "`sum` adds numbers, but this is a text"),
        ("sum(items)", 5, "Name the value of an entry: `sum(list, value)`"),
        ("sort(items)", 6, "An object has no order"),
        ("max(orders, items)", 13, "has no order"),
        ("min(price)", 1, "`min` takes a list, not a number"),
        ("max(due, 5)", 10, "compares values of one type"),
        ("filter(orders, order_id == order_id)", 28, "A slot `order_id` is hidden by the field of that name"),
        ("filter(orders, order_id == item.order_id)", 28, "compares the entry's `order_id` with itself"),
        ("if(city, 1, 2)", 1, "starts with a test"),
        ("if(paid, 1, 'x')", 13, "gives one of two values"),
        ("first_filled(city, 3)", 20, "gives one of several values"),
        ("due - today()", 7, "Write `days_between(earlier, later)`"),
        ("due + 5", 7, "Write a duration such as 30d"),
        ("due + 2h", 7, "only whole days"),
        ("due * 2d", 7, "does not fit"),
        ("'due ' + due", 10, "Put it into a message"),
        ("weekday(due) == 'funday'", 17, "`funday` is not one of the options"),
        ("weekday(city)", 9, "takes a date"),
        ("days_between(5, due)", 14, "takes two dates"),
        ("round(city)", 1, "`round` takes a number"),
        ("join(items, ', ')", 1, "Write `join(pick(list, value), ', ')`"),
        ("join(names, 3)", 13, "where a text is expected"),
        ("city in orders", 6, "Look into one of their fields"),
        ("first(city)", 1, "`first` takes a list"),
    ],
)
def test_kinds_that_do_not_fit_are_found(text, column, message):
    with pytest.raises(ConditionRefused) as refused:
        Condition(text).check_as_expression(KINDS)

    assert message in str(refused.value)
    assert refused.value.column == column


def test_the_slots_of_a_condition_are_told_from_fields_of_entries():
    condition = Condition("filter(orders, order_id == wanted and placed > due)")

    assert condition.slots_read(KINDS) == {"orders", "wanted", "due"}
    assert [(name.name, name.column) for name, _ in condition.unknown_names(KINDS)] == [("wanted", 28)]


def test_the_names_that_may_stand_in_a_list_function_are_those_of_its_entries_too():
    (_, names), *_ = Condition("filter(orders, statu == 'x')").unknown_names(KINDS)

    assert {"status", "orders"} <= names
