"""A shop of a few rows in the form of the retail domain, for tests."""

from typing import Any

Row = dict[str, Any]
ADDRESS = {"address1": "4 Mill Lane", "address2": "", "city": "Leeds", "state": "WY", "country": "USA", "zip": "10005"}
NEW_ADDRESS = {**ADDRESS, "address1": "9 Quay Street", "zip": "10009"}
EMAIL = "ada.stone@example.com"


def small_database() -> Row:
    """Return `{products, users, orders}`: Ada has a pending, a delivered and a processed order, Bo two."""
    return {
        "products": PRODUCTS,
        "users": {
            "ada": _user("ada", ("Ada", "Stone"), EMAIL, _card("card_1"), _gift_card("gift_1", 12.5)),
            "bo": _user("bo", ("Bo", "Reed"), "bo.reed@example.com", _card("card_2")),
        },
        "orders": {
            "#A1": _order("#A1", "ada", "pending", "card_1", ("p1", "lamp_white"), ("p2", "boots_40")),
            "#A2": _order("#A2", "ada", "delivered", "card_1", ("p1", "lamp_black"), ("p2", "boots_41")),
            "#A3": _order("#A3", "ada", "processed", "gift_1", ("p2", "boots_41")),
            "#B1": _order("#B1", "bo", "pending", "card_2", ("p1", "lamp_white")),
            "#B2": _order("#B2", "bo", "delivered", "card_2", ("p2", "boots_41")),
        },
    }


def _variant(item_id: str, price: float, available: bool = True, **options: str) -> Row:
    return {"item_id": item_id, "options": options, "available": available, "price": price}


def _product(product_id: str, name: str, *variants: Row) -> Row:
    return {"name": name, "product_id": product_id, "variants": {row["item_id"]: row for row in variants}}


LAMPS = _product(
    "p1",
    "Floor Lamp",
    _variant("lamp_white", 40.0, color="white"),
    _variant("lamp_black", 45.5, color="black"),
    _variant("lamp_gold", 80.25, color="gold"),
    _variant("lamp_red", 30.0, available=False, color="red"),
)
BOOTS = _product("p2", "Rain Boots", _variant("boots_40", 25.0, size="40"), _variant("boots_41", 25.0, size="41"))
MUGS = _product("p3", "Mug", _variant("mug_blue", 8.0, color="blue"))
PRODUCTS = {"p1": LAMPS, "p2": BOOTS, "p3": MUGS}


def _card(method_id: str) -> Row:
    return {"source": "credit_card", "id": method_id, "brand": "visa", "last_four": "1234"}


def _gift_card(method_id: str, balance: float) -> Row:
    return {"source": "gift_card", "id": method_id, "balance": balance}


def _user(user_id: str, name: tuple[str, str], email: str, *methods: Row) -> Row:
    orders = [f"#{user_id[0].upper()}{number}" for number in range(1, 4 if user_id == "ada" else 3)]
    return {
        "user_id": user_id,
        "name": {"first_name": name[0], "last_name": name[1]},
        "address": dict(ADDRESS),
        "email": email,
        "payment_methods": {method["id"]: method for method in methods},
        "orders": orders,
    }


def _order(order_id: str, user_id: str, status: str, method: str, *lines: tuple[str, str]) -> Row:
    variants = [(PRODUCTS[product], PRODUCTS[product]["variants"][item]) for product, item in lines]
    items = [
        {
            "name": product["name"],
            "product_id": product["product_id"],
            "item_id": variant["item_id"],
            "price": variant["price"],
            "options": variant["options"],
        }
        for product, variant in variants
    ]
    total = round(sum(item["price"] for item in items), 2)
    return {
        "order_id": order_id,
        "user_id": user_id,
        "address": dict(ADDRESS),
        "items": items,
        "status": status,
        "fulfillments": [],
        "payment_history": [{"transaction_type": "payment", "amount": total, "payment_method_id": method}],
    }
