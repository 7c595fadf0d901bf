"""Choices from data: options from a slot or an action, asked for in pages, and noticed when they are gone."""

from typing import Any

import pytest

from dialogue.engine.actions import Failed, Succeeded
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
records:
  order:
    fields: {order_id: text, summary: text, status: {type: choice, options: [pending, delivered]}, color: text}
    label: "{summary} ({order_id})"
actions:
  find_orders: {inputs: {customer: text}, outputs: {orders: list of order}, effect: none}
  cancel_order: {inputs: {order: order}, outputs: {}}
  cancel_by_id: {inputs: {order: text}, outputs: {}}
slots: {customer: {type: text, default: mia}}
"""
FROM_SLOT = """
flow: cancel
title: cancelling an order
description: Cancels an order.
slots:
  orders: {type: list, items: order, required: false}
  order:
    type: order
    prompt: Which order is it?
    options: {from: orders, value: order_id, label: "{order_id}, {summary}", when: "status == 'pending'"}
steps:
  - {step: load, type: action, call: find_orders, outputs: {orders: orders}, on_error: sorry}
  - {step: ask, type: collect, slot: order, on_empty: none_open}
  - {step: check, type: confirm, message: "Cancel {order}?"}
  - {step: act, type: action, call: cancel_order, on_error: sorry}
  - {step: done, type: say, message: "{order} is cancelled.", next: end}
  - {step: none_open, type: say, message: No open order., next: end}
  - {step: sorry, type: say, message: Sorry.}
"""
FROM_ACTION = (
    FROM_SLOT.replace("from: orders", "from: find_orders")
    .replace("  - {step: load, type: action, call: find_orders, outputs: {orders: orders}, on_error: sorry}\n", "")
    .replace("  orders: {type: list, items: order, required: false}\n", "")
)
GO = ({"start_flow": "cancel"},)


def order(number: int, summary: str, status: str = "pending", color: str = "blue") -> dict[str, str]:
    return {"order_id": f"W{number}", "summary": summary, "status": status, "color": color}


ORDERS = [
    order(1, "desk lamp"),
    order(2, "keyboard"),
    order(3, "floor lamp", color="red"),
    order(4, "mug", "delivered"),
]


class Shop:
    """A double of the shop: it returns its orders, and notes every call."""

    def __init__(self, *orders: Any) -> None:
        self.orders = list(orders)
        self.calls: list[Any] = []
        self.fails = False

    async def run(self, call: Any) -> Any:
        self.calls.append(call)
        if call.name == "find_orders":
            return (
                Failed("no connection") if self.fails else Succeeded({"orders": [dict(each) for each in self.orders]})
            )
        cancelled = call.inputs["order"]
        number = cancelled if isinstance(cancelled, str) else cancelled["order_id"]
        self.orders = [each for each in self.orders if each["order_id"] != number]
        return Succeeded({})

    @property
    def names(self) -> list[str]:
        return [call.name for call in self.calls]


def talk_with(*orders: Any, flow: str = FROM_SLOT, **settings: Any) -> Talk:
    talk = Talk(assistant_of(flow, head=HEAD), **settings)
    talk.actions = Shop(*orders)
    return talk


def choices_of(talk: Talk) -> list[tuple[str, str]]:
    return [(choice.value, choice.label) for choice in talk.outcome.awaited.choices]  # type: ignore[union-attr]


@pytest.mark.parametrize("flow", [FROM_SLOT, FROM_ACTION])
async def test_the_entries_that_pass_the_test_are_offered_and_the_chosen_record_is_stored(flow: str):
    talk = talk_with(*ORDERS, flow=flow)

    await talk.does(*GO)

    assert talk.keys == ["ask:order"]
    assert choices_of(talk) == [("W1", "W1, desk lamp"), ("W2", "W2, keyboard"), ("W3", "W3, floor lamp")]
    assert await talk.chooses("W2") == ["confirm:cancel"]
    assert talk.texts == ["Cancel W2, keyboard?"]
    assert talk.value("cancel.order") == ORDERS[1]


async def test_words_that_mean_an_entry_that_is_not_offered_choose_no_other_one():
    talk = talk_with(order(1, "desk lamp"), order(2, "keyboard"), order(3, "floor lamp", "delivered"))
    await talk.does(*GO)

    assert await talk.says("the floor lamp", {"set_slot": {"order": "the floor lamp"}}) == [
        "no_match:order",
        "ask:order",
    ]
    assert await talk.says("the lamp", {"set_slot": {"order": "the lamp"}}) == ["confirm:cancel"]


async def test_a_choice_stores_the_value_and_is_displayed_by_its_label():
    talk = talk_with(
        *ORDERS, flow=FROM_SLOT.replace("type: order\n", "type: choice\n").replace("cancel_order", "cancel_by_id")
    )

    await talk.does(*GO)
    await talk.says("W3, Floor Lamp", {"set_slot": {"order": "W3, Floor Lamp"}})

    assert (talk.value("cancel.order"), talk.texts) == ("W3", ["Cancel W3, floor lamp?"])
    await talk.does({"correct_slot": {"order": "W1"}})
    assert talk.texts == ["All right, order is now W1, desk lamp.", "Cancel W1, desk lamp?"]


@pytest.mark.parametrize("flow", [FROM_SLOT, FROM_ACTION])
async def test_an_empty_list_takes_its_own_way(flow: str):
    talk = talk_with(order(4, "mug", "delivered"), flow=flow)

    await talk.does(*GO)

    assert (talk.texts, talk.stack) == (["No open order."], [])


async def test_without_a_way_for_an_empty_list_the_user_is_told_and_the_flow_ends():
    talk = talk_with(
        flow=FROM_SLOT.replace(", on_empty: none_open", "").replace(
            "next: end}\n  - {step: none_open", "next: none_open}\n  - {step: none_open"
        )
    )

    assert await talk.does(*GO) == ["no_options"]
    assert talk.stack == []


async def test_an_optional_choice_without_options_stays_empty():
    flow = FROM_SLOT.replace("    type: order\n", "    type: order\n    required: false\n").replace(
        ", on_empty: none_open}",
        "}\n  - {step: see, type: branch, cases: [{when: filled(order), next: check}], else: none_open}",
    )
    talk = talk_with(flow=flow)

    await talk.does(*GO)

    assert talk.texts == ["No open order."]


async def test_a_failing_source_goes_where_the_step_says_or_apologises():
    talk = talk_with(*ORDERS, flow=FROM_ACTION)
    talk.actions.fails = True
    assert await talk.does(*GO) == ["action_failed"]

    talk = talk_with(*ORDERS, flow=FROM_ACTION.replace("on_empty: none_open", "on_empty: none_open, on_error: sorry"))
    talk.actions.fails = True
    await talk.does(*GO)
    assert talk.texts == ["Sorry."]
    assert talk.outcome.record["actions"][0]["outcome"] == "failed"


async def test_options_of_the_wrong_type_fail_like_an_action():
    talk = talk_with({"order_id": "W1", "summary": "lamp", "status": "lost"}, flow=FROM_ACTION)

    assert await talk.does(*GO) == ["action_failed"]
    assert "“lost” is not one of these" in talk.outcome.record["actions"][0]["error"]


async def test_a_long_list_is_shown_in_pages_and_searched_as_a_whole():
    talk = talk_with(*(order(number, f"thing {number}") for number in range(1, 26)), flow=FROM_ACTION)

    await talk.does(*GO)
    assert choices_of(talk)[-2:] == [("W10", "W10, thing 10"), ("more:2", "More")]
    assert await talk.chooses("more:2") == ["ask:order"]
    assert (choices_of(talk)[0], choices_of(talk)[-1]) == (("W11", "W11, thing 11"), ("more:3", "More"))
    await talk.chooses("More")
    assert [value for value, _label in choices_of(talk)] == ["W21", "W22", "W23", "W24", "W25"]
    assert talk.actions.names == ["find_orders"]
    assert await talk.says("thing 7", {"set_slot": {"order": "W7, thing 7"}}) == ["confirm:cancel"]


async def test_words_that_fit_several_options_lead_to_a_question_among_them():
    talk = talk_with(*ORDERS)

    await talk.does(*GO)
    await talk.says("the lamp", {"set_slot": {"order": "lamp"}})
    assert talk.texts == ["Several of them fit. Which one do you mean?"]
    assert choices_of(talk) == [("W1", "W1, desk lamp"), ("W3", "W3, floor lamp"), ("none_of_these", "Something else")]
    await talk.chooses("none_of_these")
    assert (len(choices_of(talk)), talk.texts) == (3, ["Which order is it?"])

    await talk.does({"narrow": {"order": ["W1", "W3"]}})
    assert await talk.chooses("W3, floor lamp") == ["confirm:cancel"]


async def test_words_that_fit_no_option_are_said():
    talk = talk_with(*ORDERS)

    await talk.does(*GO)
    await talk.says("the chair", {"set_slot": {"order": "chair"}})

    assert talk.texts == ["I find nothing among the options that fits “chair”.", "Which order is it?"]
    assert talk.outcome.record["dropped"] == [{"command": {"set_slot": {"order": "chair"}}, "reason": "refused_value"}]


@pytest.mark.parametrize("flow", [FROM_SLOT, FROM_ACTION])
async def test_words_of_an_opening_wait_until_the_options_are_loaded(flow: str):
    talk = talk_with(*ORDERS, flow=flow)

    await talk.says("cancel the keyboard", *GO, {"set_slot": {"order": "keyboard"}, "words": "keyboard"})
    assert (talk.texts, talk.value("cancel.order")) == (["Cancel W2, keyboard?"], ORDERS[1])

    talk = talk_with(*ORDERS, flow=flow)
    await talk.says("cancel the lamp", *GO, {"set_slot": {"order": "lamp"}})
    assert [value for value, _label in choices_of(talk)] == ["W1", "W3", "none_of_these"]

    talk = talk_with(*ORDERS, flow=flow)
    await talk.says("cancel the chair", *GO, {"set_slot": {"order": "chair"}})
    assert talk.keys == ["no_match:order", "ask:order"]


async def test_the_only_option_is_taken_confirmed_or_asked_for():
    asked = talk_with(ORDERS[0])
    assert (await asked.does(*GO), choices_of(asked)) == (["ask:order"], [("W1", "W1, desk lamp")])

    taken = talk_with(ORDERS[0], flow=FROM_SLOT.replace("on_empty:", "single: take, on_empty:"))
    assert await taken.does(*GO) == ["only_option:order", "confirm:cancel"]
    assert taken.texts[0] == "There is only one, so I take it: W1, desk lamp."

    confirmed = talk_with(ORDERS[0], flow=FROM_SLOT.replace("on_empty:", "single: confirm, on_empty:"))
    await confirmed.does(*GO)
    assert confirmed.texts == ["There is only one: W1, desk lamp. Is that the one?"]
    assert choices_of(confirmed) == [("yes", "Yes"), ("no", "No")]
    assert await confirmed.does("affirm") == ["confirm:cancel"]


@pytest.mark.parametrize("answer", ["no", "deny"])
async def test_a_no_to_the_only_option_leads_where_an_empty_list_leads(answer: str):
    talk = talk_with(ORDERS[0], flow=FROM_SLOT.replace("on_empty:", "single: confirm, on_empty:"))

    await talk.does(*GO)
    await (talk.chooses(answer) if answer == "no" else talk.does(answer))

    assert talk.texts == ["No open order."]


async def test_yes_is_no_answer_to_a_list_of_options():
    talk = talk_with(*ORDERS)

    await talk.does(*GO)

    assert await talk.does("affirm") == ["cannot_handle", "ask:order"]


@pytest.mark.parametrize("flow", [FROM_SLOT, FROM_ACTION])
async def test_a_correction_to_words_that_fit_several_options_asks_among_them(flow: str):
    talk = talk_with(*ORDERS, flow=flow)
    await talk.does(*GO)
    await talk.chooses("W2")

    await talk.says("no, the lamp", {"correct_slot": {"order": "lamp"}})

    assert [value for value, _label in choices_of(talk)] == ["W1", "W3", "none_of_these"]
    assert await talk.chooses("W1") == ["confirm:cancel"]
    assert talk.texts == ["Cancel W1, desk lamp?"]


async def test_an_option_that_is_gone_is_noticed_before_the_action():
    talk = talk_with(*ORDERS, flow=FROM_ACTION)
    await talk.does(*GO)
    await talk.chooses("W2")
    talk.actions.orders = [ORDERS[0], ORDERS[2]]

    assert await talk.does("affirm") == ["option_gone:order", "ask:order"]
    assert talk.texts[0] == "W2, keyboard is no longer available. Please choose again."
    assert "cancel_order" not in talk.actions.names
    await talk.chooses("W1")
    assert await talk.does("affirm") == ["say:done"]
    assert talk.texts == ["W1, desk lamp is cancelled."]


COLORED = FROM_ACTION.replace("Cancel {order}?", "Cancel {order}, {order.color}?")


async def test_an_entry_that_has_changed_is_confirmed_once_more_as_it_is_now():
    talk = talk_with(*ORDERS, flow=COLORED)
    await talk.does(*GO)
    await talk.chooses("W2")
    talk.actions.orders[1] = order(2, "keyboard", color="green")

    assert await talk.does("affirm") == ["option_changed:order", "confirm:cancel"]
    assert talk.texts == ["Since it was chosen, this has changed: W2, keyboard.", "Cancel W2, keyboard, green?"]
    assert await talk.does("affirm") == ["say:done"]
    assert talk.actions.calls[-1].inputs["order"]["color"] == "green"


async def test_a_change_that_no_question_has_shown_is_taken_over_without_a_word():
    talk = talk_with(*ORDERS, flow=COLORED.replace("{order.color}", "{order.order_id}"))
    await talk.does(*GO)
    await talk.chooses("W2")
    talk.actions.orders[1] = order(2, "keyboard", color="green")

    assert await talk.does("affirm") == ["say:done"]
    assert talk.actions.calls[-1].inputs["order"]["color"] == "green"


async def test_a_source_that_never_gives_the_same_twice_stops_being_asked_about():
    talk = talk_with(*ORDERS, flow=COLORED)
    await talk.does(*GO)
    await talk.chooses("W2")
    keys = []
    for color in ("green", "red", "black", "white"):
        talk.actions.orders[1] = order(2, "keyboard", color=color)
        keys += await talk.does("affirm")

    assert keys == ["option_changed:order", "confirm:cancel"] * 3 + ["say:done"]


async def test_an_action_that_has_used_the_option_does_not_make_it_vanish():
    flow = FROM_ACTION.replace(
        "  - {step: done", '  - {step: sure, type: confirm, message: "Cancel {order} twice?"}\n  - {step: done'
    )
    talk = talk_with(*ORDERS, flow=flow)
    await talk.does(*GO)
    await talk.chooses("W2")

    assert await talk.does("affirm") == ["confirm:cancel"]
    assert await talk.does("affirm") == ["say:done"]


async def test_a_source_slot_that_changes_after_the_choice_asks_again():
    talk = talk_with(*ORDERS)
    await talk.does(*GO)
    await talk.chooses("W2")
    talk.actions.orders = [ORDERS[0]]

    await talk.does({"correct_slot": {"customer": "ada"}})

    assert talk.keys == ["corrected:customer", "option_gone:order", "ask:order"]
    assert choices_of(talk) == [("W1", "W1, desk lamp")]


async def test_each_round_of_a_loop_reads_the_options_anew():
    flow = FROM_ACTION.replace("next: end}\n  - {step: none_open", "next: empty}\n  - {step: none_open").replace(
        "  - {step: none_open", "  - {step: empty, type: set, slots: {order: ~}, next: ask}\n  - {step: none_open"
    )
    talk = talk_with(ORDERS[0], ORDERS[1], flow=flow)
    await talk.does(*GO)
    await talk.chooses("W2")

    await talk.does("affirm")

    assert (talk.keys, choices_of(talk)) == (["say:done", "ask:order"], [("W1", "W1, desk lamp")])


async def test_the_record_says_which_options_were_offered_and_how_words_were_resolved():
    talk = talk_with(*ORDERS)

    await talk.does(*GO)
    assert talk.outcome.record["options"] == [
        {"slot": "order", "offered": 3, "options": ["W1, desk lamp", "W2, keyboard", "W3, floor lamp"]}
    ]
    await talk.says("the lamp", {"set_slot": {"order": "lamp"}})
    assert talk.outcome.record["options"][0] == {
        "slot": "order", "words": "lamp", "result": "among", "options": ["W1, desk lamp", "W3, floor lamp"],
    }  # fmt: skip


async def test_options_that_a_slot_holds_are_not_stored_twice():
    talk = talk_with(*ORDERS)

    await talk.does(*GO)

    assert "options" not in talk.outcome.state["frames"][0]


async def test_the_understanding_sees_the_options_of_the_question_and_of_filled_sources():
    talk = talk_with(*ORDERS)
    await talk.does(*GO)

    await talk.does({"narrow": {"order": ["W1", "W3"]}})
    await talk.does("repeat")

    _text, context = talk.nlu.asked[-1]
    assert list(context.candidates) == ["order"]
    assert [option.key for option in context.candidates["order"]] == ["W1", "W3"]
    assert context.candidates["order"][0].texts == ("W1", "desk lamp", "pending", "blue")


async def test_spanish_texts_are_used_in_spanish():
    talk = talk_with(*ORDERS)
    talk.assistant = talk.assistant.model_copy(update={"language": "es"})

    await talk.does(*GO)
    await talk.does({"set_slot": {"order": "lamp"}})

    assert talk.texts == ["Varias encajan. ¿Cuál quiere decir?"]
    assert choices_of(talk)[-1] == ("none_of_these", "Otra cosa")


async def test_an_action_that_has_used_a_field_of_the_option_does_not_make_it_vanish():
    flow = FROM_ACTION.replace("call: cancel_order,", "call: cancel_by_id, inputs: {order: order.order_id},").replace(
        "  - {step: done", '  - {step: sure, type: confirm, message: "Cancel {order} twice?"}\n  - {step: done'
    )
    talk = talk_with(*ORDERS, flow=flow)
    await talk.does(*GO)
    await talk.chooses("W2")

    assert await talk.does("affirm") == ["confirm:cancel"]
    talk.actions.orders = [ORDERS[0]]
    assert await talk.does("affirm") == ["say:done"]


async def test_a_flow_that_has_got_the_option_does_not_make_it_vanish():
    flow = (
        FROM_ACTION.replace(
            "type: action, call: cancel_order, on_error: sorry", "type: call, flow: act, inputs: {order: order}"
        )
        .replace("on_empty: none_open", "on_empty: none_open, on_error: sorry")
        .replace(
            "  - {step: done", '  - {step: sure, type: confirm, message: "Cancel {order} twice?"}\n  - {step: done'
        )
    )
    act = """
flow: act
description: Cancels it.
start: false
slots: {order: {type: order}}
steps: [{step: act, type: action, call: cancel_order, on_error: end}]
"""
    talk = Talk(assistant_of(flow, act, head=HEAD))
    talk.actions = Shop(*ORDERS)
    await talk.does(*GO)
    await talk.chooses("W2")

    assert await talk.does("affirm") == ["confirm:cancel"]
    assert talk.texts == ["Cancel W2, keyboard twice?"]


async def test_a_page_that_does_not_exist_shows_the_first():
    talk = talk_with(*ORDERS)
    await talk.does(*GO)

    await talk.does({"set_slot": {"order": "more:99"}})

    assert [value for value, _label in choices_of(talk)] == ["W1", "W2", "W3"]


async def test_entries_that_cannot_be_told_apart_get_keys_of_their_own():
    talk = talk_with(ORDERS[0], {**ORDERS[1], "order_id": "W1"})
    await talk.does(*GO)

    assert choices_of(talk) == [("W1", "W1, desk lamp"), ("W1~2", "W1, keyboard")]
    await talk.chooses("W1~2")
    assert talk.value("cancel.order")["summary"] == "keyboard"


async def test_an_optional_choice_can_be_skipped():
    flow = FROM_SLOT.replace("    type: order\n", "    type: order\n    required: false\n").replace(
        "  - {step: check,",
        "  - {step: see, type: branch, cases: [{when: filled(order), next: check}], else: none_open}\n"
        "  - {step: check,",
    )
    talk = talk_with(*ORDERS, flow=flow)
    await talk.does(*GO)

    await talk.does({"skip_slot": "order"})

    assert talk.texts == ["No open order."]


async def test_answers_that_fit_nothing_are_counted():
    flow = FROM_SLOT.replace("on_empty: none_open", "on_empty: none_open, max_attempts: 2, on_failure: sorry")
    talk = talk_with(*ORDERS, flow=flow)
    await talk.does(*GO)

    await talk.does({"set_slot": {"order": "a chair"}})
    await talk.does({"set_slot": {"order": "a sofa"}})

    assert talk.texts[-1] == "Sorry."


async def test_a_test_that_costs_too_much_fails_like_an_action():
    flow = FROM_SLOT.replace("status == 'pending'", "any(orders, any(orders, summary == 'x'))")
    talk = talk_with(*(order(number, f"thing {number}") for number in range(400)), flow=flow)

    assert await talk.does(*GO) == ["action_failed"]
    assert talk.stack == []


async def test_an_answer_without_a_word_fits_no_option():
    talk = talk_with(*ORDERS, flow=FROM_ACTION)
    assert await talk.does(*GO, {"set_slot": {"order": []}}) == ["no_match:order", "ask:order"]
    assert await talk.does({"set_slot": {"order": ""}}) == ["no_match:order", "ask:order"]
    assert talk.value("cancel.order") is None
