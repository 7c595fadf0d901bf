"""The shop's assistant on a shop of a few rows: wishes are carried out, and forbidden variants are refused."""

import pytest

from tests.bench.tau2.customer import shop_assistant
from tests.bench.tau2.engine_alone import solve
from tests.bench.tau2.policy import try_variant, variants_of
from tests.bench.tau2.small_shop import NEW_ADDRESS, Row, small_database

SWAP = {"item_ids": ["lamp_white"], "new_item_ids": ["lamp_gold"], "payment_method_id": "card_1"}
BACK = {"item_ids": ["lamp_black", "boots_41"], "payment_method_id": "gift_1"}
CALLS = {
    "cancel": ("cancel_pending_order", {"order_id": "#A1", "reason": "ordered by mistake"}),
    "change items": ("modify_pending_order_items", {"order_id": "#A1", **SWAP}),
    "change payment": ("modify_pending_order_payment", {"order_id": "#A1", "payment_method_id": "paypal_1"}),
    "change address": ("modify_pending_order_address", {"order_id": "#A1", **NEW_ADDRESS}),
    "change home address": ("modify_user_address", {"user_id": "ada", **NEW_ADDRESS}),
    "return": ("return_delivered_order_items", {"order_id": "#A2", **BACK}),
    "exchange": (
        "exchange_delivered_order_items",
        {
            "order_id": "#A2",
            "item_ids": ["boots_41", "lamp_black"],
            "new_item_ids": ["boots_40", "lamp_white"],
            "payment_method_id": "gift_1",
        },
    ),
}


def task_of(*names: str) -> Row:
    calls = [{"name": CALLS[name][0], "arguments": CALLS[name][1]} for name in names]
    return {"id": "+".join(names), "evaluation_criteria": {"actions": calls}}


@pytest.fixture
def database() -> Row:
    database = small_database()
    database["users"]["ada"]["payment_methods"]["paypal_1"] = {"source": "paypal", "id": "paypal_1"}
    return database


@pytest.mark.parametrize(
    "task",
    [*(task_of(name) for name in CALLS), task_of("change address", "change items", "return")],
    ids=lambda t: t["id"],
)
async def test_what_the_calls_do_is_done_by_the_assistant(task, database):
    result = await solve(shop_assistant(), database, task)

    assert (result.is_solved, result.note) == (True, "")


@pytest.mark.parametrize("name", [name for name in CALLS if name != "change home address"])
async def test_every_forbidden_variant_is_refused_in_words_and_changes_nothing(name, database):
    results = [await try_variant(shop_assistant(), variant) for variant in variants_of(task_of(name), database)]

    assert [(result.variant.kind, result.note) for result in results if not result.is_refused] == []
    assert len(results) >= 2
