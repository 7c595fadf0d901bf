"""The second part: forbidden variants of each task's calls. Each must be refused in words and change nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from dialogue.engine.language.compiler import Assistant
from tests.bench.tau2.customer import Customer
from tests.bench.tau2.engine_alone import differing_rows
from tests.bench.tau2.shop import Row, Shop, copy_of
from tests.bench.tau2.wishes import Wish, calls_of, customer_of, wish_of

BAD_REASON = "it is too expensive"
EMPTY_CARD = "gift_card_0000000"
OTHER_CARD = "credit_card_0000000"


@dataclass(frozen=True)
class Variant:
    """One forbidden wish, its kind, and the database in which it is forbidden."""

    task: str
    kind: str
    customer: str
    wish: Wish
    database: Row
    first: Wish | None = None
    """A wish that is carried out before: the forbidden one repeats it."""


@dataclass(frozen=True)
class VariantResult:
    """What became of a variant: refused, and why not."""

    variant: Variant
    is_refused: bool
    note: str = ""


def variants_of(task: Row, database: Row) -> Iterator[Variant]:
    """Yield every forbidden variant of the task's calls, each from the database as it is at the start."""
    shop = Shop(database)
    customer = customer_of(task, shop)
    for call in calls_of(task):
        if customer is not None and call["name"] in _KINDS:
            wish = wish_of(call, shop)
            for kind, make in _KINDS[call["name"]].items():
                made = make(wish, copy_of(database), customer)
                if made is not None:
                    yield Variant(str(task["id"]), kind, customer, *made)


async def try_variant(assistant: Assistant, variant: Variant) -> VariantResult:
    """Ask for the forbidden thing, and check that the answer is a refusal and the database unchanged."""
    shop = Shop(variant.database)
    person = Customer(assistant, shop, variant.customer)
    if variant.first is not None:
        await person.ask_for(variant.first)
    before = copy_of(shop.database)
    answer = await person.ask_for(variant.wish)
    changes = differing_rows(before, shop.database)
    if changes or answer.is_done:
        return VariantResult(variant, False, f"changed {', '.join(changes) or 'nothing'}: {' '.join(answer.texts)}")
    return VariantResult(variant, bool(answer.texts), " ".join(answer.texts) or "no word was said about it")


Made = tuple[Wish, Row] | tuple[Wish, Row, Wish | None] | None
Maker = Callable[[Wish, Row, str], Made]


def _with_values(wish: Wish, **values: Any) -> Wish:
    return replace(wish, values={**wish.values, **values})


def _wrong_status(wish: Wish, database: Row, customer: str) -> Made:
    database["orders"][wish.values["order"]]["status"] = "processed"
    return wish, database


def _other_customers_order(wish: Wish, database: Row, customer: str) -> Made:
    status = database["orders"][wish.values["order"]]["status"]
    others = (
        order_id
        for order_id, order in database["orders"].items()
        if order["user_id"] != customer and order["status"] == status
    )
    return _with_values(wish, order=next(others)), database


def _bad_reason(wish: Wish, database: Row, customer: str) -> Made:
    return _with_values(wish, reason=BAD_REASON), database


def _other_product(wish: Wish, database: Row, customer: str) -> Made:
    products = {item["product_id"] for item in database["orders"][wish.values["order"]]["items"]}
    other = next(product for product_id, product in database["products"].items() if product_id not in products)
    stranger = next(item_id for item_id, variant in other["variants"].items() if variant["available"])
    return replace(wish, replacements=(stranger, *wish.replacements[1:])), database


def _unavailable_variant(wish: Wish, database: Row, customer: str) -> Made:
    for product in database["products"].values():
        if wish.replacements[0] in product["variants"]:
            product["variants"][wish.replacements[0]]["available"] = False
    return wish, database


def _other_customers_payment(wish: Wish, database: Row, customer: str) -> Made:
    methods = database["users"][customer]["payment_methods"]
    others = (
        method for user in database["users"].values() for method in user["payment_methods"] if method not in methods
    )
    return _with_values(wish, method=next(others)), database


def _empty_gift_card(wish: Wish, database: Row, customer: str) -> Made:
    if wish.replacements and not _costs_more(wish, database):
        return None
    card = {"source": "gift_card", "id": EMPTY_CARD, "balance": 0.0}
    database["users"][customer]["payment_methods"][EMPTY_CARD] = card
    return _with_values(wish, method=EMPTY_CARD), database


def _costs_more(wish: Wish, database: Row) -> bool:
    items = database["orders"][wish.values["order"]]["items"]
    old = sum(items[int(line) - 1]["price"] for line in wish.values["items"])
    variants = {item: row for product in database["products"].values() for item, row in product["variants"].items()}
    return bool(sum(variants[item]["price"] for item in wish.replacements) > old)


def _other_refund_method(wish: Wish, database: Row, customer: str) -> Made:
    card = {"source": "credit_card", "id": OTHER_CARD, "brand": "visa", "last_four": "0000"}
    database["users"][customer]["payment_methods"][OTHER_CARD] = card
    return _with_values(wish, method=OTHER_CARD), database


def _same_payment(wish: Wish, database: Row, customer: str) -> Made:
    history = database["orders"][wish.values["order"]]["payment_history"]
    return _with_values(wish, method=history[0]["payment_method_id"]), database


def _second_change(wish: Wish, database: Row, customer: str) -> Made:
    return wish, database, wish


_ORDER_KINDS: dict[str, Maker] = {"wrong status": _wrong_status, "another customer's order": _other_customers_order}
_SWAP_KINDS: dict[str, Maker] = {
    **_ORDER_KINDS,
    "another product": _other_product,
    "unavailable variant": _unavailable_variant,
    "someone else's payment method": _other_customers_payment,
    "gift card with too little": _empty_gift_card,
    "second change": _second_change,
}
_KINDS: dict[str, dict[str, Maker]] = {
    "cancel_pending_order": {**_ORDER_KINDS, "reason not allowed": _bad_reason, "second change": _second_change},
    "return_delivered_order_items": {
        **_ORDER_KINDS,
        "someone else's payment method": _other_customers_payment,
        "refund to another card": _other_refund_method,
        "second change": _second_change,
    },
    "exchange_delivered_order_items": _SWAP_KINDS,
    "modify_pending_order_items": _SWAP_KINDS,
    "modify_pending_order_payment": {
        **_ORDER_KINDS,
        "someone else's payment method": _other_customers_payment,
        "gift card with too little": _empty_gift_card,
        "same payment method": _same_payment,
        "second change": _second_change,
    },
    "modify_pending_order_address": {**_ORDER_KINDS, "second change": _second_change},
}
