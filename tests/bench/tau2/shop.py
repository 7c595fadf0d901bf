"""The shop: customers, orders and products of a JSON database, and the changes that its staff may make to them.

The database has the form of τ²-bench's retail domain: `{products, users, orders}`, each by id, amounts as JSON numbers.
Every change checks the shop's rules itself and raises ShopRefused, whatever the assistant has checked before.
"""

import json
import pickle
import unicodedata
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

Row = dict[str, Any]
CANCEL_REASONS = ("no longer needed", "ordered by mistake")
ADDRESS_FIELDS = ("address1", "address2", "city", "state", "country", "zip")


class ShopRefused(ValueError):
    """The shop's rules do not allow a change; the message says why."""


class Shop:
    """One copy of the database in memory."""

    def __init__(self, database: Row) -> None:
        self.database = copy_of(database)
        self.moved_orders: set[str] = set()
        """Orders whose address was changed: the database does not say so."""

    @property
    def users(self) -> dict[str, Row]:
        """The customers by id."""
        users: dict[str, Row] = self.database["users"]
        return users

    def order(self, order_id: str, customer: str) -> Row:
        """Return an order of this customer. Raises ShopRefused."""
        order: Row | None = self.database["orders"].get(order_id)
        if order is None or order["user_id"] != customer:
            raise ShopRefused(f"the customer has no order {order_id}")
        return order

    def payment_method(self, customer: str, method_id: str) -> Row:
        """Return a payment method of this customer. Raises ShopRefused."""
        method: Row | None = self.users[customer]["payment_methods"].get(method_id)
        if method is None:
            raise ShopRefused(f"the customer has no payment method {method_id}")
        return method

    def find_by_email(self, email: str) -> str | None:
        """Return the id of the customer with this address, or None."""
        matches = (user_id for user_id, user in self.users.items() if fold(user["email"]) == fold(email))
        return next(matches, None)

    def find_by_name(self, name: str, zip_code: str) -> str | None:
        """Return the id of the customer with this name, first name first, and zip code, or None."""
        for user_id, user in self.users.items():
            full_name = f"{user['name']['first_name']} {user['name']['last_name']}"
            if fold(full_name) == fold(name) and user["address"]["zip"] == zip_code:
                return user_id
        return None

    def cancel(self, customer: str, order_id: str, reason: str) -> None:
        """Cancel a pending order and refund what was paid for it."""
        order = self.order(order_id, customer)
        _require(order["status"] == "pending", f"the order is {order['status']}")
        _require(reason in CANCEL_REASONS, f"“{reason}” is not a reason to cancel")
        for payment in list(order["payment_history"]):
            self._book(order, customer, "refund", cents(payment["amount"]), payment["payment_method_id"])
        order["status"] = "cancelled"
        order["cancel_reason"] = reason

    def change_items(self, customer: str, order_id: str, items: list[str], new_items: list[str], method: str) -> None:
        """Replace items of a pending order by variants of the same products; the method pays the difference."""
        order = self.order(order_id, customer)
        _require(order["status"] == "pending", f"the order is {order['status']}")
        difference = self._price_difference(order, items, new_items)
        self._require_cover(customer, method, difference)
        self._book(order, customer, "payment" if difference > 0 else "refund", abs(difference), method)
        for old, new in zip(items, new_items, strict=True):
            line = next(line for line in order["items"] if line["item_id"] == old)
            variant = self.database["products"][line["product_id"]]["variants"][new]
            line |= {"item_id": new, "price": variant["price"], "options": variant["options"]}
        order["status"] = "pending (item modified)"

    def change_payment(self, customer: str, order_id: str, method: str) -> None:
        """Pay a pending order with another method and refund the original one, once."""
        order = self.order(order_id, customer)
        _require(order["status"] == "pending", f"the order is {order['status']}")
        payments = order["payment_history"]
        _require([payment["transaction_type"] for payment in payments] == ["payment"], "the payment was changed before")
        original, amount = payments[0]["payment_method_id"], cents(payments[0]["amount"])
        _require(original != method, "the payment method stays the same")
        self._require_cover(customer, method, amount)
        self._book(order, customer, "payment", amount, method)
        self._book(order, customer, "refund", amount, original)

    def change_address(self, customer: str, order_id: str, address: Row) -> None:
        """Send a pending order to another address, once."""
        order = self.order(order_id, customer)
        _require(order["status"] == "pending", f"the order is {order['status']}")
        _require(order_id not in self.moved_orders, "the address was changed before")
        order["address"] = _complete(address)
        self.moved_orders.add(order_id)

    def change_home_address(self, customer: str, address: Row) -> None:
        """Change the customer's own address."""
        self.users[customer]["address"] = _complete(address)

    def return_items(self, customer: str, order_id: str, items: list[str], method: str) -> None:
        """Request the return of items of a delivered order."""
        order = self.order(order_id, customer)
        _require(order["status"] == "delivered", f"the order is {order['status']}")
        _require_lines(order, items)
        is_gift_card = self.payment_method(customer, method)["source"] == "gift_card"
        original = order["payment_history"][0]["payment_method_id"]
        _require(is_gift_card or method == original, "refunds go to the original method or to a gift card")
        order |= {"status": "return requested", "return_items": sorted(items), "return_payment_method_id": method}

    def exchange_items(self, customer: str, order_id: str, items: list[str], new_items: list[str], method: str) -> None:
        """Request the exchange of items of a delivered order for variants of the same products."""
        order = self.order(order_id, customer)
        _require(order["status"] == "delivered", f"the order is {order['status']}")
        difference = self._price_difference(order, items, new_items)
        self._require_cover(customer, method, difference)
        order |= {
            "status": "exchange requested",
            "exchange_items": sorted(items),
            "exchange_new_items": sorted(new_items),
            "exchange_payment_method_id": method,
            "exchange_price_difference": float(difference),
        }

    def _price_difference(self, order: Row, items: list[str], new_items: list[str]) -> Decimal:
        """Return what the new items cost more than the old ones. Raises ShopRefused for items that cannot be had."""
        _require(len(items) == len(new_items), "each item needs one new item")
        _require(all(old != new for old, new in zip(items, new_items, strict=True)), "an item stays the same")
        _require_lines(order, items)
        difference = Decimal(0)
        for old, new in zip(items, new_items, strict=True):
            line = next(line for line in order["items"] if line["item_id"] == old)
            variant = self.database["products"][line["product_id"]]["variants"].get(new)
            _require(variant is not None, f"{new} is another product than {old}")
            _require(variant["available"], f"{new} is not available")
            difference += cents(variant["price"]) - cents(line["price"])
        return difference

    def _require_cover(self, customer: str, method_id: str, amount: Decimal) -> None:
        method = self.payment_method(customer, method_id)
        is_covered = method["source"] != "gift_card" or cents(method["balance"]) >= amount
        _require(is_covered, "the gift card has too little on it")

    def _book(self, order: Row, customer: str, kind: str, amount: Decimal, method_id: str) -> None:
        """Write a payment or refund into the order's history; a gift card's balance changes at once."""
        booking = {"transaction_type": kind, "amount": float(amount), "payment_method_id": method_id}
        order["payment_history"].append(booking)
        method = self.payment_method(customer, method_id)
        if method["source"] == "gift_card":
            method["balance"] = float(cents(method["balance"]) + (amount if kind == "refund" else -amount))


def load_database(folder: Path) -> Row:
    """Read the database of a folder. Raises OSError and ValueError."""
    database: Row = json.loads((folder / "db.json").read_text(encoding="utf-8"))
    return database


def copy_of(database: Row) -> Row:
    """Return a deep copy; a tenth of the time of copy.deepcopy."""
    copied: Row = pickle.loads(pickle.dumps(database))
    return copied


def cents(amount: float | Decimal) -> Decimal:
    """Return a JSON amount as money with two decimals."""
    return Decimal(str(amount)).quantize(Decimal("0.01"))


def fold(text: str) -> str:
    """Return the text in lower case, without accents and doubled spaces."""
    plain = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return " ".join(plain.casefold().split())


def _complete(address: Row) -> Row:
    """Return all parts of an address; an address without a country is in the USA."""
    return {field: address.get(field) or ("USA" if field == "country" else "") for field in ADDRESS_FIELDS}


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise ShopRefused(reason)


def _require_lines(order: Row, items: list[str]) -> None:
    lines = Counter(line["item_id"] for line in order["items"])
    _require(bool(items), "no item was named")
    _require(not Counter(items) - lines, "an item is not in the order")
