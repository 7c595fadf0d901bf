"""The shop's assistant on a shop of a few rows: wishes are carried out, and forbidden variants are refused."""

import pytest

from dialogue.engine.actions import RegisteredActions
from dialogue.engine.ports import events
from dialogue.engine.ports.tasks import ConfirmTask
from dialogue.nlu.pipeline.nlu_pipeline import build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.bench.tau2.actions import ShopActions
from tests.bench.tau2.customer import shop_assistant
from tests.bench.tau2.engine_alone import solve
from tests.bench.tau2.policy import try_variant, variants_of
from tests.bench.tau2.shop import Shop
from tests.bench.tau2.small_shop import EMAIL, NEW_ADDRESS, Row, small_database
from tests.support.engine.dialogue_harness import Talk

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


def talk_about(database: Row) -> Talk:
    talk = Talk(shop_assistant())
    talk.actions = RegisteredActions(ShopActions(Shop(database)).registry(), "c1")
    return talk


AS_ADA, AS_BO = {"set_slot": {"email": EMAIL}}, {"set_slot": {"email": "bo.reed@example.com"}}


async def test_another_customer_is_refused_also_after_a_restart(database):
    talk = talk_about(database)
    await talk.does({"start_flow": "account_details"}, AS_ADA)
    await talk.does("restart")
    await talk.does("affirm")

    assert await talk.does({"start_flow": "account_details"}, AS_BO) == [
        "say:one_customer",
        "need_not_met:account_details",
    ]


async def test_nobody_s_account_is_answered_like_the_account_of_another_customer(database):
    talk = talk_about(database)
    await talk.does({"start_flow": "account_details"}, AS_ADA)
    await talk.does("restart")
    await talk.does("affirm")
    nobody = {"set_slot": {"email": "nobody@example.com"}}

    assert "say:one_customer" in await talk.does({"start_flow": "account_details"}, nobody)


async def test_an_item_that_is_added_before_the_change_keeps_what_was_chosen(database):
    talk = talk_about(database)
    await talk.does({"start_flow": "exchange_items"}, AS_ADA)
    for slot, value in (("order", "#A2"), ("items", ["1"]), ("replacement", "lamp_white"), ("method", "card_1")):
        await talk.does({"set_slot": {slot: value}})
    assert isinstance(talk.outcome.awaited, ConfirmTask)

    await talk.does({"add_values": {"items": ["2"]}})
    assert talk.texts[-1] == "Which one do you want instead of the Rain Boots (size 41)?"
    await talk.does({"set_slot": {"replacement": "boots_40"}})

    assert "item lamp_black) for color white (item lamp_white), Rain Boots (size 41, item boots_41)" in talk.texts[0]


async def test_an_order_is_told_with_its_payments_parcels_and_changes(database):
    database["orders"]["#A2"]["fulfillments"] = [{"tracking_id": ["77123"], "item_ids": ["lamp_black", "boots_41"]}]
    shop = Shop(database)
    shop.return_items("ada", "#A2", ["boots_41"], "gift_1")
    talk = talk_about(shop.database)

    await talk.does({"start_flow": "order_details"}, AS_ADA)
    await talk.does({"set_slot": {"order": "#A2"}})

    text = "\n".join(talk.texts)
    assert "Rain Boots (size 41), $25.00, item id boots_41, product id p2" in text
    assert "payment of $70.50, credit card (visa ending in 1234) (id card_1)" in text
    assert "tracking number 77123: items lamp_black, boots_41" in text
    assert "return of items boots_41, refund to gift card (id gift_1)" in text


async def test_a_person_is_called_only_for_what_the_assistant_cannot_do(database):
    talk = talk_about(database)

    await talk.does("handoff", AS_ADA)
    assert isinstance(talk.outcome.awaited, ConfirmTask)
    assert await talk.does("deny") == ["say:inside"]
    for _ in range(5):
        assert await talk.does("handoff") == ["confirm:person_wanted"]
    assert await talk.does("affirm") == ["handoff"]
    assert talk.texts == ["YOU ARE BEING TRANSFERRED TO A HUMAN AGENT. PLEASE HOLD ON."]


async def test_a_refused_answer_calls_no_person_however_often_it_is_given(database):
    talk = talk_about(database)
    await talk.does({"start_flow": "return_items"}, AS_ADA)
    await talk.does({"set_slot": {"order": "#A2"}})
    await talk.does({"set_slot": {"items": ["1"]}})

    for _ in range(5):
        assert await talk.does({"set_slot": {"method": "paypal_1"}}) == ["no_match:method", "ask:method"]


async def test_a_change_that_became_forbidden_in_the_meantime_is_refused_in_words(database):
    talk = talk_about(database)
    await talk.does({"start_flow": "change_payment"}, AS_ADA)
    await talk.does({"set_slot": {"order": "#A1"}})
    await talk.does({"set_slot": {"method": "paypal_1"}})
    await talk.does({"start_flow": "cancel_order"})
    await talk.does({"set_slot": {"order": "#A1"}})
    await talk.does({"set_slot": {"reason": "no longer needed"}})

    assert (await talk.does("affirm"))[-2:] == ["option_changed:order", "say:not_pending"]


async def test_a_confirmation_that_another_flow_overtook_shows_the_order_as_it_is_now(database):
    talk = talk_about(database)
    await talk.does({"start_flow": "cancel_order"}, AS_ADA)
    await talk.does({"set_slot": {"order": "#A1"}})
    await talk.does({"set_slot": {"reason": "no longer needed"}})
    await talk.does({"start_flow": "change_payment"})
    await talk.does({"set_slot": {"order": "#A1"}})
    await talk.does({"set_slot": {"method": "paypal_1"}})

    assert (await talk.does("affirm"))[-2:] == ["option_changed:order", "confirm:cancel_order"]
    assert "PayPal" in talk.texts[-1]


async def test_an_item_without_another_variant_does_not_stop_the_others(database):
    database["products"]["p2"]["variants"]["boots_41"]["available"] = False
    talk = talk_about(database)
    await talk.does({"start_flow": "change_items"}, AS_ADA)
    await talk.does({"set_slot": {"order": "#A1"}})
    await talk.does({"set_slot": {"items": ["1", "2"]}})

    assert await talk.does({"set_slot": {"replacement": "lamp_gold"}}) == ["say:none_left", "ask:method"]


async def test_a_gift_card_that_is_not_offered_is_refused_in_words(database):
    talk = talk_about(database)
    talk.nlu = build_nlu(talk.assistant, "learned", NLUSettings())  # type: ignore[assignment]
    del database["users"]["ada"]["payment_methods"]["paypal_1"]
    messages = ("exchange the lamp from #A2", EMAIL, "the gold one", "gift card")

    for number, message in enumerate(messages):
        await talk.feed(events.message(f"m{number}", message))

    assert talk.keys == ["no_match:method", "ask:method"]
