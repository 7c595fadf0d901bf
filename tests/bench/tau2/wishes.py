"""What the customer of a task wants, from the calls that solve it: flows with the values for their slots."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.bench.tau2.shop import Row, Shop

FLOWS = {
    "cancel_pending_order": "cancel_order",
    "exchange_delivered_order_items": "exchange_items",
    "modify_pending_order_address": "change_address",
    "modify_pending_order_items": "change_items",
    "modify_pending_order_payment": "change_payment",
    "modify_user_address": "change_home_address",
    "return_delivered_order_items": "return_items",
}


@dataclass(frozen=True)
class Wish:
    """One change that the customer wants: a flow, and its slots' values. `replacements` are asked for one by one."""

    flow: str
    values: dict[str, Any]
    replacements: tuple[str, ...] = field(default=())


def calls_of(task: Row) -> list[Row]:
    """Return the calls `{name, arguments}` that solve the task."""
    return list((task.get("evaluation_criteria") or {}).get("actions") or [])


def customer_of(task: Row, shop: Shop) -> str | None:
    """Return the id of the task's customer, or None if its calls concern no customer."""
    for call in calls_of(task):
        arguments = call["arguments"]
        match call["name"]:
            case "find_user_id_by_email":
                customer = shop.find_by_email(arguments["email"])
            case "find_user_id_by_name_zip":
                customer = shop.find_by_name(f"{arguments['first_name']} {arguments['last_name']}", arguments["zip"])
            case _:
                order = shop.database["orders"].get(arguments.get("order_id"), {})
                customer = arguments.get("user_id") or order.get("user_id")
        if customer:
            return str(customer)
    return None


def wishes_of(task: Row, shop: Shop) -> Iterator[Wish]:
    """Yield the wish of each call that changes something. The items are looked up in the order as it is then."""
    for call in calls_of(task):
        if call["name"] in FLOWS:
            yield wish_of(call, shop)


def wish_of(call: Row, shop: Shop) -> Wish:
    """Return the wish of one call."""
    arguments = dict(call["arguments"])
    flow = FLOWS[call["name"]]
    values: dict[str, Any] = {}
    if "order_id" in arguments:
        values["order"] = arguments.pop("order_id")
    if "item_ids" in arguments:
        values["items"] = _lines_of(shop.database["orders"][values["order"]], arguments["item_ids"])
    if "payment_method_id" in arguments:
        values["method"] = arguments["payment_method_id"]
    if "reason" in arguments:
        values["reason"] = arguments["reason"]
    if "address1" in arguments:
        values["address"] = {name: text or None for name, text in arguments.items() if name != "user_id"}
    return Wish(flow, values, tuple(arguments.get("new_item_ids", ())))


def _lines_of(order: Row, item_ids: list[str]) -> list[str]:
    """Return the numbers of the order's lines for these items; equal items are different lines."""
    used: Counter[str] = Counter()
    numbers = []
    for item_id in item_ids:
        lines = [str(number) for number, item in enumerate(order["items"], start=1) if item["item_id"] == item_id]
        numbers.append(lines[used[item_id]] if used[item_id] < len(lines) else item_id)
        used[item_id] += 1
    return numbers
