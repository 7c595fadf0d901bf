"""What the functions of expressions give."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from dialogue.engine.expressions.conditions import Condition, ConditionRefused, ExpressionTooCostly, TypedValue

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
ITEMS: list[TypedValue] = [
    {"name": "lamp", "price": Decimal("20.00"), "stock": True, "sizes": ["S", "M"]},
    {"name": "Mug", "price": Decimal("8.50"), "stock": False, "sizes": []},
    {"name": "desk", "price": Decimal("129.90"), "stock": True, "sizes": ["L"]},
]
ORDERS: list[TypedValue] = [
    {"order_id": "W1", "status": "pending", "items": ITEMS[:2], "address": {"zip": "80204"}},
    {"order_id": "W2", "status": "delivered", "items": ITEMS[2:], "address": {"zip": None}},
]
VALUES: dict[str, TypedValue] = {
    "items": ITEMS,
    "orders": ORDERS,
    "order": ORDERS[0],
    "nothing": [],
    "amounts": [Decimal(3), Decimal(1), Decimal(2)],
    "names": ["b", "A", "c"],
    "amount": Decimal("12.50"),
    "city": "Rome",
    "price": Decimal(10),
    "wanted": "W2",
    "due": date(2026, 12, 14),
    "at": datetime(2026, 11, 23, 23, 30, tzinfo=ZoneInfo("America/New_York")),
    "empty": None,
}


def value(text: str, **values: TypedValue) -> TypedValue:
    return Condition(text).evaluate({**VALUES, **values}, NOW)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("sum(items, price)", Decimal("158.40")),
        ("sum(items, price * 2)", Decimal("316.80")),
        ("sum(amounts)", 6),
        ("sum(nothing)", 0),
        ("sum(nothing, price)", 0),
        ("sum([amount, 2.50])", 15),
        ("sum(filter(items, stock), price)", Decimal("149.90")),
        ("count(items)", 3),
        ("count(items, price > 10)", 2),
        ("count(nothing, price > 10)", 0),
        ("min(items, price)", Decimal("8.50")),
        ("max(items, name)", "Mug"),
        ("min(amounts)", 1),
        ("max(amount, 3)", Decimal("12.50")),
        ("min(due, today())", date(2026, 11, 23)),
        ("min(max(amount, 3), 5)", 5),
        ("any(items, price > 100)", True),
        ("any(nothing, price > 100)", False),
        ("all(items, price > 8)", True),
        ("all(nothing, price > 100)", True),
        ("pick(items, name)", ["lamp", "Mug", "desk"]),
        ("pick(orders, address.zip)", ["80204"]),
        ("filter(names, item != 'A')", ["b", "c"]),
        ("filter(items, 'M' in sizes)", ITEMS[:1]),
        ("filter(orders, item.order_id == wanted)", ORDERS[1:]),
        ("filter(orders, order_id == wanted)", ORDERS[1:]),
        ("first(items).name", "lamp"),
        ("last(items).name", "desk"),
        ("first(nothing)", None),
        ("first(filter(orders, order_id == wanted)).status", "delivered"),
        ("pick(sort(items, price), name)", ["Mug", "lamp", "desk"]),
        ("pick(sort(items, -price), name)", ["desk", "lamp", "Mug"]),
        ("sort(names)", ["A", "b", "c"]),
        ("pick(orders, sum(items, price))", [Decimal("28.50"), Decimal("129.90")]),
        ("filter(orders, any(items, price > 100))", ORDERS[1:]),
        ("count(orders, any(items, item.price > 100 and status == 'delivered'))", 1),
        ("order.status", "pending"),
        ("order.address.zip", "80204"),
        ("order.items.price", [Decimal("20.00"), Decimal("8.50")]),
        ("sum(order.items, price)", Decimal("28.50")),
        ("order.missing.zip", None),
        ("empty.status", None),
    ],
)
def test_list_functions(text, result):
    assert value(text) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("if(amount > 10, 'much', 'little')", "much"),
        ("if(amount < 10, 'much', 'little')", "little"),
        ("if(empty, 1, 2)", 2),
        ("first_filled(empty, city, 'x')", "Rome"),
        ("first_filled(empty, empty)", None),
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(10 / 3, 2)", Decimal("3.33")),
        ("round(empty)", None),
        ("abs(3 - 5)", 2),
        ("upper(city)", "ROME"),
        ("lower(city)", "rome"),
        ("'Order ' + wanted", "Order W2"),
        ("city + ' ' + 3", "Rome 3"),
        ("'€' + amount", "€12.50"),
        ("'€' + amount * 2", "€25.00"),
        ("'x' + 4 / 2", "x2"),
        ("city + empty", None),
        ("join(names, ', ')", "b, A, c"),
        ("join(names)", "b, A, c"),
        ("join(amounts, '+')", "3+1+2"),
        ("join(items, ', ')", None),
        ("join(pick(items, name), ' and ')", "lamp and Mug and desk"),
        ("today() + 30d", date(2026, 12, 23)),
        ("today() - 1w", date(2026, 11, 16)),
        ("1d + today()", date(2026, 11, 24)),
        ("now() - 1h30m", datetime(2026, 11, 23, 7, 30, tzinfo=UTC)),
        ("2 * 3d", timedelta(days=6)),
        ("due + price * 1d", date(2026, 12, 24)),
        ("due + 3650d * 1000000", None),
        ("due - today()", None),
        ("days_between(today(), due)", 21),
        ("days_between(due, today())", -21),
        ("days_between('2026-01-01', today())", 326),
        ("days_between(at, today())", -1),
        ("days_between(empty, today())", None),
        ("weekday(today())", "monday"),
        ("weekday(at)", "tuesday"),
        ("due > today() + 2w", True),
        ("if(amount > 10, 4h, 2d)", timedelta(hours=4)),
    ],
)
def test_functions_of_values(text, result):
    assert value(text) == result


def test_days_keep_the_time_of_day_and_hours_are_real_hours():
    before_the_change = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Madrid"))

    assert value("at + 1d", at=before_the_change).hour == 12  # type: ignore[union-attr]
    assert value("at + 24h", at=before_the_change).hour == 12  # type: ignore[union-attr]
    assert value("at + 23h", at=before_the_change).hour == 12  # type: ignore[union-attr]


@pytest.mark.parametrize("function", ["sum(items, price)", "min(items, price)", "max(items, price)"])
def test_a_result_without_one_of_its_values_is_empty(function):
    incomplete: list[TypedValue] = [*ITEMS, {"name": "gift", "price": None}]

    assert value(function, items=incomplete) is None
    assert value(function.replace("items", "filter(items, filled(price))"), items=incomplete) is not None


def test_sorting_puts_empty_values_last():
    incomplete: list[TypedValue] = [{"price": None}, *ITEMS]

    assert value("last(sort(items, price)).price", items=incomplete) is None
    assert value("first(sort(items, price)).name", items=incomplete) == "Mug"


@pytest.mark.parametrize("name", ["sum", "count", "min", "any", "filter", "pick", "sort", "first", "join"])
def test_a_function_of_an_empty_list_slot_is_empty(name):
    arguments = "empty" if name in ("sum", "count", "min", "first", "join", "sort") else "empty, price > 1"

    assert value(f"{name}({arguments})") is None


def test_an_entrys_field_hides_the_slot_of_its_name_and_other_names_are_slots():
    assert value("count(items, price == 8.50)") == 1  # the slot `price` is 10
    assert value("count(amounts, item < price)") == 3


def test_it_knows_the_names_that_it_reads():
    condition = Condition("sum(order.items, price) > limit and first(orders).status == approval.action")

    assert condition.slots == {"order.items", "price", "limit", "orders", "approval.action"}
    assert condition.names_read == condition.slots | {"order", "approval"}
    assert Condition("filter(orders, item.total > 5)").slots == {"orders"}
    assert Condition("item.total > 5").slots == {"item.total"}


def test_an_evaluation_that_costs_too_much_is_given_up():
    many: list[TypedValue] = [{"parts": [Decimal(1)] * 1_000}] * 1_000

    assert value("sum(items, count(parts))", items=many) == 1_000_000
    with pytest.raises(ExpressionTooCostly, match="200,000 steps"):
        value("sum(items, count(parts, item > 0))", items=many)
    with pytest.raises(ExpressionTooCostly, match="longer than 100,000 characters"):
        value("words + words", words="x" * 60_000)
    with pytest.raises(ExpressionTooCostly):
        value("count(items, lower(words) == 'x')", items=many, words="x" * 90_000)
    with pytest.raises(ExpressionTooCostly):
        value("count(items, 1 in items)", items=many)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("any(items)", 1, "Write `any(list, test)`"),
        ("if(known, 1)", 1, "Write `if(test, a, b)`"),
        ("round()", 1, "Write `round(number, digits)`"),
        ("sun(items)", 1, "Did you mean `sum`?"),
        ("30D", 1, "is not a name"),
        ("4000d", 1, "at most 3650d"),
        ("today().year()", 13, "Found `(`"),
        ("[1, 2].x", 7, "Found `.x`"),
        ("any(a, any(b, any(c, item > 1)))", 22, "more than 2 levels deep"),
        ("x.__class__", 1, "reads an attribute"),
        ("items[0].price", 6, "`first(list)`, `last(list)`"),
        ("a if b else c", 3, "Write `if(test, a, b)`"),
    ],
)
def test_what_is_written_wrongly_is_refused_at_its_column(text, column, message):
    with pytest.raises(ConditionRefused) as refused:
        Condition(text)

    assert (refused.value.column, message) == (column, message)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("text", "result"),
    [("weekday(late)", None), ("days_between(late, today())", None), ("days_between(today(), early)", None)],
)
def test_a_moment_outside_of_the_calendar_has_no_day(text: str, result: TypedValue):
    late = datetime(9999, 12, 31, 23, 59, tzinfo=ZoneInfo("America/New_York"))
    early = datetime(1, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo"))

    assert value(text, late=late, early=early) is result


def test_a_number_of_more_than_a_hundred_digits_is_written_out():
    assert value("'' + large", large=Decimal("1E+120")) == "1" + "0" * 120
    assert value("join(numbers)", numbers=[Decimal("2.0"), Decimal("1E+101")]) == "2, 1" + "0" * 101


@pytest.mark.parametrize("number", ["1E+999999", "1E-999990", "-1E+100001"])
def test_a_number_of_a_million_digits_is_not_written_out(number: str):
    with pytest.raises(ExpressionTooCostly):
        value("'' + large", large=Decimal(number))


@pytest.mark.parametrize(
    "text", ["count(filter(lists, count(lists.lines) > 1))", "sum(lists, count(first(lists).lines.a))"]
)
def test_walking_through_lists_inside_lists_costs_as_much_as_it_visits(text: str):
    lists: list[TypedValue] = [{"lines": [{"a": Decimal(1)}] * 500} for _ in range(500)]

    with pytest.raises(ExpressionTooCostly):
        value(text, lists=lists)
