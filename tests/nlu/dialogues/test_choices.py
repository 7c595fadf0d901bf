"""Whole talks about choices from data and lists, without a language model: openings, answers, corrections."""

from typing import Any

import pytest

from dialogue.engine.actions import Succeeded
from dialogue.engine.ports import events
from dialogue.nlu import build_nlu
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
records:
  order:
    fields: {order_id: text, summary: text, color: text, total: {type: money, currency: EUR}, placed: date}
    label: "{summary} ({order_id})"
actions:
  find_orders: {inputs: {}, outputs: {orders: list of order}, effect: none}
"""
CANCEL = """
flow: cancel
title: cancelling an order
description: Cancels an order.
examples: [cancel an order, I want to cancel my order, please cancel my order]
slots:
  order: {type: order, prompt: Which order is it?, options: {from: find_orders, label: "{order_id}, {summary}"}}
steps:
  - {step: ask, type: collect, slot: order, on_error: sorry}
  - {step: check, type: confirm, message: "Cancel {order}?"}
  - {step: done, type: say, message: Cancelled., next: end}
  - {step: sorry, type: say, message: Sorry.}
"""
RETURN = """
flow: give_back
title: returning items
description: Returns items.
examples: [return something, I want to return items, send things back]
slots:
  picks: {type: list, prompt: Which ones?, items: {type: choice, options: {from: find_orders, label: "{summary}"}}}
  mail: {type: email, prompt: What is your mail?}
steps:
  - {step: ask, type: collect, slot: picks, on_error: sorry}
  - {step: ask_mail, type: collect, slot: mail}
  - {step: check, type: confirm, message: "Return {picks}?"}
  - {step: done, type: say, message: Returned., next: end}
  - {step: sorry, type: say, message: Sorry.}
"""
REFUNDS = """
flow: refunds
title: refunds
description: Explains refunds.
examples: [how do refunds work, when do I get my money back]
steps:
  - {step: explain, type: say, message: Refunds take days.}
"""


def order(number: int, summary: str, color: str, total: str, placed: str) -> dict[str, str]:
    return {"order_id": f"W{number}", "summary": summary, "color": color, "total": total, "placed": placed}


ORDERS = [
    order(11, "desk lamp", "blue", "30.00", "2026-03-14"),
    order(22, "keyboard", "black", "89.90", "2026-05-02"),
    order(33, "floor lamp", "red", "54.00", "2026-05-20"),
    order(44, "mug", "blue", "9.50", "2026-06-01"),
]


class Shop:
    async def run(self, call: Any) -> Any:
        return Succeeded({"orders": ORDERS})


async def tell(*messages: str) -> Talk:
    talk = Talk(assistant_of(CANCEL, RETURN, REFUNDS, head=HEAD))
    talk.actions, talk.nlu = Shop(), build_nlu(talk.assistant, "learned")  # type: ignore[assignment]
    for number, message in enumerate(messages):
        await talk.feed(events.message(f"e{number}", message))
    return talk


def chosen(talk: Talk) -> str:
    value = talk.value("cancel.order")
    return value["order_id"] if value else ""


@pytest.mark.parametrize(
    ("opening", "expected"),
    [
        ("cancel the order with the keyboard", "W22"),
        ("please cancel my order W33", "W33"),
        ("I want to cancel the mug order", "W44"),
        ("cancel the order from March", "W11"),
        ("I want to cancel my order because it is late", ""),
        ("cancel my order please", ""),
        ("cancel the order with the lamp", ""),
        ("cancel the order with the headphones", ""),
    ],
)
async def test_an_opening_names_the_order_before_the_orders_are_known(opening: str, expected: str):
    talk = await tell(opening)

    assert chosen(talk) == expected
    assert talk.stack == (["cancel!confirm"] if expected else ["cancel?order"])


async def test_an_opening_that_fits_several_leads_to_a_question_among_them():
    talk = await tell("cancel the order with the lamp")

    assert [choice.label for choice in talk.outcome.awaited.choices][:2] == ["W11, desk lamp", "W33, floor lamp"]  # type: ignore[union-attr]
    assert "no_match:order" not in talk.keys


async def test_an_opening_that_fits_none_is_said():
    assert (await tell("cancel the order with the headphones")).keys == ["no_match:order", "ask:order"]


async def test_codes_that_are_joined_start_the_flow_once_each():
    talk = await tell("please cancel my orders W11 and W22")

    first, second = {"set_slot": {"order": "my orders W11"}}, {"set_slot": {"order": "W22"}}
    assert talk.outcome.record["proposed"] == [{"start_flow": "cancel"}, first, {"start_flow": "cancel"}, second]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("the second one", "W22"),
        ("the red one", "W33"),
        ("the one for 9.50", "W44"),
        ("the cheapest", "W44"),
        ("the keybord", "W22"),
        ("I'd like to cancel the mug, it is broken", "W44"),
        ("W22 please", "W22"),
    ],
)
async def test_an_answer_chooses_by_number_attribute_or_comparison(answer: str, expected: str):
    assert chosen(await tell("cancel my order", answer)) == expected


@pytest.mark.parametrize("message", ["when do I get my money back?", "help", "ok thanks", "what do you mean?"])
async def test_other_messages_choose_nothing(message: str):
    assert chosen(await tell("cancel my order", message)) == ""


async def test_the_record_says_by_what_the_option_was_found():
    talk = await tell("cancel my order", "the cheaper lamp")

    notes = [entry.get("note") for entry in talk.outcome.record["path"]]
    assert "option by text + comparison" in notes


async def test_an_ambiguous_answer_is_narrowed_until_one_is_left():
    talk = await tell("cancel my order", "the lamp")
    assert [choice.value for choice in talk.outcome.awaited.choices] == ["W11", "W33", "none_of_these"]  # type: ignore[union-attr]

    assert chosen(await tell("cancel my order", "the lamp", "the red one")) == "W33"
    assert chosen(await tell("cancel my order", "the lamp", "the second one")) == "W33"


async def test_nothing_that_fits_is_said_and_the_question_stays():
    talk = await tell("cancel my order", "the headphones")

    assert (talk.keys, talk.stack) == (["no_match:order", "ask:order"], ["cancel?order"])


async def test_a_request_behind_the_answer_runs_beside_it():
    talk = await tell("cancel my order", "W22 and how do refunds work?")

    assert "say:explain" in talk.keys
    assert chosen(talk) == "W22"


@pytest.mark.parametrize(
    ("correction", "expected"),
    [
        ("no, the keyboard", "W22"),
        ("actually the red one", "W33"),
        ("make it the last one", "W44"),
        ("not the desk lamp, the floor lamp", "W33"),
        ("yes", ""),
    ],
)
async def test_the_chosen_order_is_corrected_at_the_confirmation(correction: str, expected: str):
    assert chosen(await tell("cancel my order", "the desk lamp", correction)) == expected


@pytest.mark.parametrize(
    "message", ["I am not sure about the mug", "is the red one cheaper?", "the keyboard too", "thanks", "hello"]
)
async def test_other_messages_leave_the_chosen_order(message: str):
    assert chosen(await tell("cancel my order", "the desk lamp", message)) == "W11"


async def test_words_that_fit_the_chosen_order_too_are_asked_about():
    talk = await tell("cancel my order", "the desk lamp", "the blue one")

    assert [choice.value for choice in talk.outcome.awaited.choices][:2] == ["W11", "W44"]  # type: ignore[union-attr]


async def test_an_ambiguous_correction_is_asked_about():
    talk = await tell("cancel my order", "the keyboard", "no, the lamp")

    assert talk.stack == ["cancel?order"]
    assert [choice.value for choice in talk.outcome.awaited.choices][:2] == ["W11", "W33"]  # type: ignore[union-attr]


async def picks_after(*messages: str) -> list[str]:
    return list((await tell(*messages)).value("give_back.picks") or [])


@pytest.mark.parametrize(
    ("opening", "expected"),
    [
        ("I want to return the keyboard and the desk lamp", ["W11", "W22"]),
        ("return the mug", ["W44"]),
        ("send things back", []),
    ],
)
async def test_an_opening_names_several_items(opening: str, expected: list[str]):
    assert sorted(await picks_after(opening)) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("the keyboard and the mug", ["W22", "W44"]),
        ("the first two", ["W11", "W22"]),
        ("all but the mug", ["W11", "W22", "W33"]),
        ("both lamps", ["W11", "W33"]),
        ("all of them, and my mail is mia@example.com", ["W11", "W22", "W33", "W44"]),
    ],
)
async def test_an_answer_names_several_items(answer: str, expected: list[str]):
    assert sorted(await picks_after("return something", answer)) == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("also the mug", ["W11", "W22", "W44"]),
        ("not the keyboard after all", ["W11"]),
        ("remove the desk lamp", ["W22"]),
        ("the mug instead of the keyboard", ["W11", "W44"]),
        ("actually only the mug", ["W44"]),
        ("all but the mug", ["W11", "W22", "W33"]),
    ],
)
async def test_a_list_is_changed_at_the_confirmation(change: str, expected: list[str]):
    beginning = ("return something", "the keyboard and the desk lamp", "mia@example.com")

    assert sorted(await picks_after(*beginning, change)) == expected


async def test_what_is_certain_is_kept_while_the_rest_is_asked_about():
    assert sorted(await picks_after("return something", "the mug and the lamp", "the red one")) == ["W33", "W44"]


async def test_a_list_is_confirmed_as_a_whole():
    talk = await tell("return something", "the keyboard, the mug and the desk lamp", "mia@example.com")

    assert talk.texts == ["Return desk lamp, keyboard and mug?"]


PACK = """
flow: pack
title: packing
description: Packs a bag.
examples: [pack my bag, I want to pack]
slots:
  things: {type: list, items: {type: text}, prompt: What shall I pack?}
  colours: {type: list, items: {type: choice, options: [red, green, blue]}, prompt: Which colours?}
  sizes: {type: list, items: {type: integer}, prompt: Which sizes?}
steps:
  - {step: ask_things, type: collect, slot: things}
  - {step: ask_colours, type: collect, slot: colours}
  - {step: ask_sizes, type: collect, slot: sizes}
  - {step: check, type: confirm, message: "Pack {things}?"}
  - {step: done, type: say, message: Packed.}
"""


async def packed_after(*messages: str) -> dict[str, Any]:
    talk = Talk(assistant_of(PACK, REFUNDS))
    talk.nlu = build_nlu(talk.assistant, "learned")  # type: ignore[assignment]
    beginning = ("pack my bag", "boots, the red jacket and a cap", "everything but green", "42 and 44")
    for number, message in enumerate((*beginning, *messages)):
        await talk.feed(events.message(f"e{number}", message))
    return {name: talk.value(f"pack.{name}") for name in ("things", "colours", "sizes")}


@pytest.mark.parametrize(
    ("change", "slot", "expected"),
    [
        ("thanks", "things", ["boots", "red jacket", "cap"]),
        ("thanks", "colours", ["red", "blue"]),
        ("thanks", "sizes", [42, 44]),
        ("also a bottle", "things", ["boots", "red jacket", "cap", "bottle"]),
        ("and a scarf", "things", ["boots", "red jacket", "cap", "scarf"]),
        ("not the cap after all", "things", ["boots", "red jacket"]),
        ("remove the boots and the cap", "things", ["red jacket"]),
        ("also green", "colours", ["red", "blue", "green"]),
        ("not the red one", "colours", ["blue"]),
        ("also 46", "sizes", [42, 44, 46]),
    ],
)
async def test_lists_of_texts_options_and_numbers_are_changed_in_words(change: str, slot: str, expected: list[Any]):
    assert (await packed_after(change))[slot] == expected


SWAP = """
flow: swap
title: exchange an item
description: Exchanges an item for another one.
examples: [exchange something, "exchange {old} for {new}", "swap {old} for {new}"]
slots:
  old: {type: order, prompt: Which one?, options: {from: find_orders, label: "{summary}"}}
  new: {type: order, prompt: For what?, options: {from: find_orders, label: "{summary}"}}
steps:
  - {step: ask, type: collect, slot: old, on_error: sorry}
  - {step: ask_new, type: collect, slot: new, on_error: sorry}
  - {step: check, type: confirm, message: "Swap {old} for {new}?"}
  - {step: sorry, type: say, message: Sorry.}
"""


LAMPS = CANCEL.replace('"{order_id}, {summary}"}', '"{order_id}, {summary}", when: "color == \'red\'"}')
SHOW_LAMPS = """
flow: show_lamps
title: showing lamps
description: Shows lamps.
examples: [show me a desk lamp, which desk lamps do you have]
steps:
  - {step: show, type: say, message: A lamp.}
"""


@pytest.mark.parametrize("words", ["desk lamp", "the desk lamp please"])
async def test_an_answer_that_means_what_is_not_offered_is_refused_and_asked_again(words: str):
    talk = Talk(assistant_of(LAMPS, SHOW_LAMPS, head=HEAD))
    talk.actions, talk.nlu = Shop(), build_nlu(talk.assistant, "learned")  # type: ignore[assignment]
    await talk.feed(events.message("e1", "cancel my order"))

    await talk.feed(events.message("e2", words))

    assert talk.keys == ["no_match:order", "ask:order"]
    assert talk.stack == ["cancel?order"]
    await talk.feed(events.message("e3", "the lamp"))
    assert chosen(talk) == "W33"


async def test_examples_show_which_words_are_for_which_choice():
    talk = Talk(assistant_of(SWAP, CANCEL, REFUNDS, head=HEAD))
    talk.actions, talk.nlu = Shop(), build_nlu(talk.assistant, "learned")  # type: ignore[assignment]

    await talk.feed(events.message("e1", "swap the desk lamp for the red one"))

    assert talk.texts == ["Swap desk lamp for floor lamp?"]
