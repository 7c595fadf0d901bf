"""What is found about options from data."""

import pytest

from tests.support.engine.small_flows import problems

HEAD = """
version: 1
assistant: shop
language: en
records:
  order:
    fields:
      order_id: text
      status: {type: choice, options: [pending, delivered]}
      total: {type: money, currency: EUR}
      items: {type: list, items: {type: text}}
      card: {type: text, sensitive: true}
    label: "{order_id}"
actions:
  find_orders: {inputs: {customer: text}, outputs: {orders: list of order}, effect: none}
  find_one: {outputs: {order: order}, effect: none}
  sell: {inputs: {order: order}, outputs: {left: list of order}}
slots:
  customer: {type: text}
  orders: {type: list, items: order, required: false}
  names: {type: list, items: {type: text}, required: false}
"""
FLOW = """
flow: pay
description: Cancels an order.
slots:
  least: {type: money, default: 10}
  order: {type: order, prompt: Which one?, options: {from: orders, value: order_id, label: "{order_id}", when: WHEN}}
steps:
  - {step: ask, type: collect, slot: order, on_empty: none_left}
  - {step: sure, type: confirm, message: "Cancel {order}?", next: end}
  - {step: none_left, type: say, message: None left.}
"""
OPTIONS = """{from: orders, value: order_id, label: "{order_id}", when: "status == 'pending' and total > least"}"""
FLOW = FLOW.replace("WHEN", "\"status == 'pending' and total > least\"")


def found_with(options: str, slot: str = "", flow: str = FLOW) -> list[tuple[str, str]]:
    changed = flow.replace(OPTIONS, options)
    return [
        (problem.rule, problem.text)
        for problem in problems(changed.replace("type: order,", slot or "type: order,"), HEAD)
    ]


def test_a_right_choice_has_no_findings():
    assert found_with(OPTIONS) == []
    assert found_with("{from: names, label: '{item}!', when: \"item != 'x'\"}", "type: choice,") == []


def test_a_field_of_a_chosen_record_may_be_the_next_source():
    flow = FLOW.replace(
        "steps:", "  item: {type: choice, prompt: Which part?, options: {from: order.items}}\nsteps:"
    ).replace("  - {step: sure", "  - {step: which, type: collect, slot: item, on_empty: none_left}\n  - {step: sure")

    assert found_with(OPTIONS, flow=flow) == []


@pytest.mark.parametrize(
    ("options", "rule", "words"),
    [
        ("{from: ordrs}", "options_source", "neither a slot nor an action"),
        ("{from: customer}", "options_source", "`customer` is a text"),
        ("{from: order.nothing}", "options_source", "does not exist"),
        ("{from: find_one}", "options_source", "exactly one list"),
        ("{from: orders, inputs: {customer: customer}}", "options_source", "is a slot, so it has no inputs"),
        ("{from: orders, value: id}", "unknown_field", "no field `id`"),
        ("{from: orders, label: '{name}'}", "unknown_field", "no field `name`"),
        ("{from: orders, attributes: [colour]}", "unknown_field", "no field `colour`"),
        ("{from: orders, when: \"state == 'pending'\"}", "unknown_slot", "neither a field of the entries nor a slot"),
        ("{from: orders, when: \"status == 'open'\"}", "condition", "`open` is not one of the options"),
        ("{from: orders, when: total}", "condition", "not a test"),
        ("{from: orders, value: items}", "options_key", "cannot tell entries apart"),
        ("{from: orders, value: card}", "sensitive_key", "is sensitive"),
        ("{from: orders, label: '{card}'}", "sensitive_label", "stay in the transcript"),
        ("{from: find_orders, inputs: {client: customer}}", "unknown_input", "no input `client`"),
        ("{from: find_orders, inputs: {}}", "missing_input", "needs the input `customer`"),
        ("{from: find_orders, inputs: {customer: least > 5}}", "wrong_type", "boolean"),
        ("{from: find_orders, inputs: {customer: custmer}}", "unknown_slot", "no such slot"),
    ],
)
def test_a_wrong_source_is_named(options: str, rule: str, words: str):
    found = found_with(options)

    assert rule in {name for name, _text in found}
    assert words in next(text for name, text in found if name == rule)


def test_a_slot_of_another_record_does_not_fit():
    assert found_with("{from: names}")[0] == (
        "wrong_type",
        "`order` holds `order`, but an entry of `names` is a text",
    )


def test_an_action_with_an_effect_and_a_failure_without_a_way_are_warned_about():
    assert {rule for rule, _text in found_with("{from: sell, inputs: {order: order}}")} >= {
        "options_effect",
        "no_failure_branch",
    }
    flow = FLOW.replace("on_empty: none_left", "on_empty: none_left, on_error: none_left")
    assert found_with("{from: find_orders}", flow=flow) == []


def test_keys_of_choices_from_data_have_no_meaning_elsewhere():
    flow = FLOW.replace("type: order, prompt: Which one?, options: " + OPTIONS, "type: text, prompt: Which one?")

    assert ("no_data_options", "`order` has no options from data, so `on_empty` has no meaning here") in found_with(
        "", flow=flow
    )


def test_buttons_beside_the_options_hide_them():
    flow = FLOW.replace("on_empty: none_left", "on_empty: none_left, buttons: [W1]")

    assert "hidden_options" in {rule for rule, _text in found_with(OPTIONS, flow=flow)}


def test_parts_of_records_and_of_contracts_have_no_options_from_data():
    choice = "{type: choice, options: {from: names}}"

    assert "data_options" in {
        problem.rule for problem in problems(FLOW, HEAD.replace("order_id: text", f"order_id: {choice}"))
    }
    assert "data_options" in {
        problem.rule for problem in problems(FLOW, HEAD.replace("{customer: text}", f"{{customer: {choice}}}"))
    }


def test_a_source_that_nothing_fills_before_the_question_is_found():
    flow = (
        FLOW.replace("slots:\n", "slots:\n  own: {type: list, items: order, required: false}\n")
        .replace("  - {step: none_left", "  - {step: fill, type: set, slots: {own: '=orders'}}\n  - {step: none_left")
        .replace("next: end}", "next: fill}")
    )

    assert ("read_too_early", "`own` is read here, but no earlier step can fill it") in found_with(
        OPTIONS.replace("from: orders", "from: own"), flow=flow
    )


def test_a_list_that_is_empty_again_and_again_is_an_endless_loop():
    flow = FLOW.replace("on_empty: none_left", "on_empty: again").replace(
        "  - {step: none_left, type: say, message: None left.}",
        "  - {step: again, type: set, slots: {orders: ~}, next: ask}",
    )

    assert "unbounded_loop" in {rule for rule, _text in found_with(OPTIONS, flow=flow)}


def test_unknown_keys_of_options_are_explained():
    assert "Did you mean `value`?" in {
        problem.advice for problem in problems(FLOW.replace("value: order_id", "valu: order_id"), HEAD)
    }
