"""What docs/flows.md says about expressions: each example has its value, and every function is in the table."""

import ast
import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from dialogue.engine.expressions.conditions import Condition, Kind, TypedValue
from dialogue.engine.expressions.signatures import FUNCTIONS

GUIDE = (Path(__file__).parents[1] / "docs" / "flows.md").read_text()
NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
ITEMS: list[TypedValue] = [{"name": "lamp", "price": Decimal("20.00")}, {"name": "mug", "price": Decimal("8.50")}]
ORDER: dict[str, TypedValue] = {
    "order_id": "W1",
    "status": "pending",
    "placed": date(2026, 11, 1),
    "note": None,
    "items": ITEMS,
}
VALUES: dict[str, TypedValue] = {
    "order": ORDER,
    "orders": [ORDER, {**ORDER, "order_id": "W2", "status": "delivered", "items": []}],
}
ORDER_KIND = Kind(
    "object",
    fields={
        "order_id": Kind("text"),
        "status": Kind("text", frozenset({"pending", "delivered"})),
        "placed": Kind("date"),
        "note": Kind("text"),
        "items": Kind("list", item=Kind("object", fields={"name": Kind("text"), "price": Kind("number")})),
    },
)
KINDS = {"order": ORDER_KIND, "orders": Kind("list", item=ORDER_KIND)}


def rows(head: str) -> list[tuple[str, str]]:
    """The rows of the table with this first column: what stands in code, and the second column."""
    table = GUIDE.partition(f"| {head} |")[2].partition("\n\n")[0]
    return re.findall(r"^\| `(.+?)` \| (.+) \|$", table, re.MULTILINE)


def read(text: str) -> TypedValue:
    """The value that the guide writes."""
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return date.fromisoformat(text)
    if text.endswith("h"):
        return timedelta(hours=int(text[:-1]))
    return Decimal(text) if text[0].isdigit() else ast.literal_eval(text)


@pytest.mark.parametrize(("expression", "value"), rows("expression"))
def test_each_example_has_the_value_that_stands_beside_it(expression: str, value: str):
    condition = Condition(expression)

    assert condition.check_as_expression(KINDS).name != "any"
    assert condition.evaluate(VALUES, NOW) == read(value)


def test_the_table_has_every_function():
    assert rows("function") == [(function.usage, function.summary) for function in FUNCTIONS.values()]


def test_there_are_examples():
    assert len(rows("expression")) > 15
