"""The assistant's actions over a shop, and the records that they return."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from dialogue.engine.actions import ActionFailed, ActionRegistry
from tests.bench.tau2.shop import Row, Shop, ShopRefused, cents

METHOD_NAMES = {"credit_card": "credit card", "paypal": "PayPal", "gift_card": "gift card"}


class ShopActions:
    """The actions, named as in assistant.yaml, on one shop."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop
        self._customers: dict[str, str] = {}

    def registry(self) -> ActionRegistry:
        """Return a registry of these actions."""
        registry = ActionRegistry()
        for name in vars(type(self)):
            if not name.startswith("_") and name != "registry":
                registry.action(name)(getattr(self, name))
        return registry

    def find_by_email(self, inputs: Row, *, key: str, conversation: str) -> Row:
        return self._only_customer(self._shop.find_by_email(inputs["email"]), conversation)

    def find_by_name(self, inputs: Row, *, key: str, conversation: str) -> Row:
        return self._only_customer(self._shop.find_by_name(inputs["name"], inputs["zip"]), conversation)

    def _only_customer(self, customer: str | None, conversation: str) -> Row:
        """Return the customer, unless `other`, one who was found in this conversation before, also before a restart.

        An account that does not exist is answered like that of another customer, so that the answer does not tell them
        apart.
        """
        if customer is not None:
            self._customers.setdefault(conversation, customer)
        is_other = self._customers.get(conversation, customer) != customer
        return {"customer": None if is_other else customer, "other": is_other}

    def find_orders(self, inputs: Row, *, key: str, conversation: str) -> Row:
        user = self._shop.users[inputs["customer"]]
        orders = [self._shop.database["orders"][order_id] for order_id in user["orders"]]
        moved = self._shop.moved_orders
        return {
            "orders": [
                {**order_record(order, user["payment_methods"]), "address_once": order["order_id"] not in moved}
                for order in orders
            ]
        }

    def find_payment_methods(self, inputs: Row, *, key: str, conversation: str) -> Row:
        methods = self._shop.users[inputs["customer"]]["payment_methods"].values()
        order = self._shop.database["orders"].get(inputs.get("order_id"))
        original = order["payment_history"][0]["payment_method_id"] if order else None
        return {"methods": [method_record(method, original) for method in methods]}

    def find_home_address(self, inputs: Row, *, key: str, conversation: str) -> Row:
        user = self._shop.users[inputs["customer"]]
        return {"address": address_record(user["address"]), "email": user["email"]}

    def find_addresses(self, inputs: Row, *, key: str, conversation: str) -> Row:
        user = self._shop.users[inputs["customer"]]
        orders = [self._shop.database["orders"][order_id] for order_id in user["orders"]]
        places = [("your default address", user["address"])]
        places += [(f"the address of {order['order_id']} ({_names(order)})", order["address"]) for order in orders]
        return {"addresses": [{"place": place, "address": address_record(address)} for place, address in places]}

    def find_products(self, inputs: Row, *, key: str, conversation: str) -> Row:
        products = self._shop.database["products"].values()
        return {"products": [{"product_id": product["product_id"], "name": product["name"]} for product in products]}

    def find_variants(self, inputs: Row, *, key: str, conversation: str) -> Row:
        variants = self._shop.database["products"][inputs["product_id"]]["variants"].values()
        return {"variants": [variant_record(variant) for variant in variants]}

    def cancel_order(self, inputs: Row, *, key: str, conversation: str) -> None:
        _change(self._shop.cancel, inputs["customer"], inputs["order_id"], inputs["reason"])

    def change_address(self, inputs: Row, *, key: str, conversation: str) -> None:
        _change(self._shop.change_address, inputs["customer"], inputs["order_id"], inputs["address"])

    def change_home_address(self, inputs: Row, *, key: str, conversation: str) -> None:
        _change(self._shop.change_home_address, inputs["customer"], inputs["address"])

    def change_payment(self, inputs: Row, *, key: str, conversation: str) -> None:
        _change(self._shop.change_payment, inputs["customer"], inputs["order_id"], inputs["method"])

    def return_items(self, inputs: Row, *, key: str, conversation: str) -> None:
        _change(self._shop.return_items, inputs["customer"], inputs["order_id"], inputs["items"], inputs["method"])

    def change_items(self, inputs: Row, *, key: str, conversation: str) -> None:
        swap = inputs["items"], inputs["new_items"], inputs["method"]
        _change(self._shop.change_items, inputs["customer"], inputs["order_id"], *swap)

    def exchange_items(self, inputs: Row, *, key: str, conversation: str) -> None:
        swap = inputs["items"], inputs["new_items"], inputs["method"]
        _change(self._shop.exchange_items, inputs["customer"], inputs["order_id"], *swap)


def _change(operation: Any, *arguments: Any) -> None:
    try:
        operation(*arguments)
    except ShopRefused as error:
        raise ActionFailed(str(error)) from error


def order_record(order: Row, methods: Row) -> Row:
    """Return the record `order` without `address_once`.

    `original` is what paid for it first, `paid_with` what paid last, `paid_once` says that they never differed.
    """
    items = [item_record(number, item) for number, item in enumerate(order["items"], start=1)]
    history = order["payment_history"]
    paid_with = [payment["payment_method_id"] for payment in history if payment["transaction_type"] == "payment"]
    return {
        "order_id": order["order_id"],
        "status": order["status"],
        "items": items,
        "summary": _names(order),
        "total": sum((item["price"] for item in items), Decimal(0)),
        "address": address_record(order["address"]),
        "original": method_record(methods[history[0]["payment_method_id"]]),
        "paid_with": method_record(methods[paid_with[-1]]),
        "paid_once": [payment["transaction_type"] for payment in history] == ["payment"],
        "payments": [_payment_text(payment, methods) for payment in history],
        "parcels": [_parcel_text(parcel) for parcel in order["fulfillments"]],
        "changes": list(_change_texts(order, methods)),
    }


def _payment_text(payment: Row, methods: Row) -> str:
    return f"{payment['transaction_type']} of ${cents(payment['amount'])}, {_method_text(payment, methods)}"


def _method_text(row: Row, methods: Row, key: str = "payment_method_id") -> str:
    return f"{method_record(methods[row[key]])['title']} (id {row[key]})"


def _parcel_text(parcel: Row) -> str:
    return f"tracking number {', '.join(parcel['tracking_id'])}: items {', '.join(parcel['item_ids'])}"


def _change_texts(order: Row, methods: Row) -> Iterator[str]:
    """Yield what an order has only after a change: why it was cancelled, what is sent back and what comes instead."""
    if "cancel_reason" in order:
        yield f"cancelled because it was {order['cancel_reason']}"
    if "return_items" in order:
        method = _method_text(order, methods, "return_payment_method_id")
        yield f"return of items {', '.join(order['return_items'])}, refund to {method}"
    if "exchange_items" in order:
        old, new = ", ".join(order["exchange_items"]), ", ".join(order["exchange_new_items"])
        difference = cents(order["exchange_price_difference"])
        method = _method_text(order, methods, "exchange_payment_method_id")
        yield f"exchange of items {old} for items {new}, difference ${difference}, {method}"


def item_record(number: int, item: Row) -> Row:
    """Return the record `item`; `line` is its number in the order."""
    return {
        "line": str(number),
        "item_id": item["item_id"],
        "product_id": item["product_id"],
        "name": item["name"],
        "details": option_text(item["options"]),
        "price": cents(item["price"]),
    }


def variant_record(variant: Row) -> Row:
    """Return the record `variant`."""
    return {
        "item_id": variant["item_id"],
        "details": option_text(variant["options"]),
        "price": cents(variant["price"]),
        "available": variant["available"],
    }


def method_record(method: Row, original: str | None = None) -> Row:
    """Return the record `payment_method`; only a gift card has a balance, and `original` has a remark."""
    card = f" ({method['brand']} ending in {method['last_four']})" if method["source"] == "credit_card" else ""
    balance = cents(method["balance"]) if method["source"] == "gift_card" else None
    return {
        "id": method["id"],
        "source": method["source"],
        "title": f"{METHOD_NAMES[method['source']]}{card}",
        "balance": balance,
        "remark": ", the one you paid with" if method["id"] == original else None,
    }


def address_record(address: Row) -> Row:
    """Return the record `address`, with an empty second line as None."""
    return {field: text or None for field, text in address.items()}


def _names(order: Row) -> str:
    return ", ".join(item["name"] for item in order["items"])


def option_text(options: Row) -> str:
    """Return a variant's options as a text, such as "color blue, size M"."""
    return ", ".join(f"{name} {value}" for name, value in options.items())
