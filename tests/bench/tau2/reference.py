"""What a task's calls do to the database, computed without the assistant and without the shop's own code.

A call that the domain refuses changes nothing. Amounts are floats as in the database and are compared in cents.
"""

from collections.abc import Callable, Iterable
from typing import Any

Row = dict[str, Any]
Swaps = list[tuple[Row, Row]]
CHANGING_CALLS = frozenset(
    {
        "cancel_pending_order",
        "exchange_delivered_order_items",
        "modify_pending_order_address",
        "modify_pending_order_items",
        "modify_pending_order_payment",
        "modify_user_address",
        "return_delivered_order_items",
    }
)


def apply_calls(database: Row, calls: Iterable[Row]) -> None:
    """Apply the calls `{name, arguments}` that change something, in their order."""
    for call in calls:
        if call["name"] in CHANGING_CALLS:
            _CALLS[call["name"]](database, **call["arguments"])


def comparable(value: Any) -> Any:
    """Return a copy in which amounts are rounded to cents, so that two ways to compute a sum compare equal."""
    if isinstance(value, dict):
        return {key: comparable(part) for key, part in value.items()}
    if isinstance(value, list):
        return [comparable(part) for part in value]
    return round(value, 2) if isinstance(value, float) else value


def _cancel(database: Row, order_id: str, reason: str) -> None:
    order = database["orders"][order_id]
    if order["status"] != "pending":
        return
    refunds = [{**payment, "transaction_type": "refund"} for payment in order["payment_history"]]
    for refund in refunds:
        _add_to_gift_card(_method_of(database, order, refund["payment_method_id"]), refund["amount"])
    order["payment_history"] += refunds
    order |= {"status": "cancelled", "cancel_reason": reason}


def _exchange(
    database: Row, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> None:
    order = database["orders"][order_id]
    swaps = _swaps(database, order, item_ids, new_item_ids)
    difference = sum(new["price"] - old["price"] for old, new in swaps or ())
    if order["status"] != "delivered" or not swaps or not _covers(database, order, payment_method_id, difference):
        return
    order |= {
        "status": "exchange requested",
        "exchange_items": sorted(item_ids),
        "exchange_new_items": sorted(new_item_ids),
        "exchange_payment_method_id": payment_method_id,
        "exchange_price_difference": difference,
    }


def _change_items(
    database: Row, order_id: str, item_ids: list[str], new_item_ids: list[str], payment_method_id: str
) -> None:
    order = database["orders"][order_id]
    swaps = _swaps(database, order, item_ids, new_item_ids)
    difference = sum(new["price"] - old["price"] for old, new in swaps or ())
    if order["status"] != "pending" or not swaps or not _covers(database, order, payment_method_id, difference):
        return
    kind = "payment" if difference > 0 else "refund"
    order["payment_history"].append(
        {"transaction_type": kind, "amount": abs(difference), "payment_method_id": payment_method_id}
    )
    _add_to_gift_card(_method_of(database, order, payment_method_id), -difference)
    for old, new in swaps:
        old |= {"item_id": new["item_id"], "price": new["price"], "options": new["options"]}
    order["status"] = "pending (item modified)"


def _change_payment(database: Row, order_id: str, payment_method_id: str) -> None:
    order = database["orders"][order_id]
    first = order["payment_history"][0]
    is_changed = first["payment_method_id"] == payment_method_id or len(order["payment_history"]) != 1
    if (
        "pending" not in order["status"]
        or is_changed
        or not _covers(database, order, payment_method_id, first["amount"])
    ):
        return
    order["payment_history"] += [
        {**first, "payment_method_id": payment_method_id},
        {**first, "transaction_type": "refund"},
    ]
    _add_to_gift_card(_method_of(database, order, payment_method_id), -first["amount"])
    _add_to_gift_card(_method_of(database, order, first["payment_method_id"]), first["amount"])


def _change_order_address(database: Row, order_id: str, **address: str) -> None:
    if "pending" in database["orders"][order_id]["status"]:
        database["orders"][order_id]["address"] = address


def _change_home_address(database: Row, user_id: str, **address: str) -> None:
    database["users"][user_id]["address"] = address


def _return(database: Row, order_id: str, item_ids: list[str], payment_method_id: str) -> None:
    order = database["orders"][order_id]
    method = _method_of(database, order, payment_method_id)
    original = order["payment_history"][0]["payment_method_id"]
    if order["status"] == "delivered" and (method["source"] == "gift_card" or method["id"] == original):
        order |= {
            "status": "return requested",
            "return_items": sorted(item_ids),
            "return_payment_method_id": payment_method_id,
        }


def _swaps(database: Row, order: Row, item_ids: list[str], new_item_ids: list[str]) -> Swaps | None:
    """Return each line of the order with the variant that replaces it; None if one cannot be had."""
    swaps: Swaps = []
    lines = list(order["items"])
    for item_id, new_id in zip(item_ids, new_item_ids, strict=True):
        # Equal items are lines of their own.
        line = lines.pop(next(index for index, line in enumerate(lines) if line["item_id"] == item_id))
        variant = database["products"][line["product_id"]]["variants"].get(new_id)
        if variant is None or not variant["available"]:
            return None
        swaps.append((line, variant))
    return swaps


def _covers(database: Row, order: Row, method_id: str, amount: float) -> bool:
    method = _method_of(database, order, method_id)
    return bool(method["source"] != "gift_card" or method["balance"] >= round(amount, 2))


def _method_of(database: Row, order: Row, method_id: str) -> Row:
    method: Row = database["users"][order["user_id"]]["payment_methods"][method_id]
    return method


def _add_to_gift_card(method: Row, amount: float) -> None:
    if method["source"] == "gift_card":
        method["balance"] += amount


_CALLS: dict[str, Callable[..., None]] = {
    "cancel_pending_order": _cancel,
    "exchange_delivered_order_items": _exchange,
    "modify_pending_order_address": _change_order_address,
    "modify_pending_order_items": _change_items,
    "modify_pending_order_payment": _change_payment,
    "modify_user_address": _change_home_address,
    "return_delivered_order_items": _return,
}
