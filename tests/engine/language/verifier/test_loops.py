"""What is found about `for_each`: its list, its item, the slots of a round, what it gathers, and ways into it."""

import pytest

from tests.support.engine.small_flows import problems

HEAD = """
version: 1
assistant: shop
slots: {common: {type: text, default: x}}
"""
SWAPS = """
flow: swaps
description: Swaps items.
examples: ["swap {items}"]
slots:
  items: {type: list, items: {type: object, fields: {name: {type: text}, price: {type: money}}}, prompt: "Which?"}
  other: {type: text, prompt: "For what?"}
  names: {type: list, items: {type: text}}
  prices: {type: list, items: {type: money}}
  total: {type: money, default: 0}
steps:
  - {step: ask_items, type: collect, slot: items}
  - step: each
    type: for_each
    item: swap
    in: items
    per_item: [other]
    gather: {names: other, prices: swap.price}
    do:
      - {step: ask, type: collect, slot: other}
      - {step: told, type: say, message: "{swap.name}: {other}, {total}."}
  - {step: done, type: say, message: "{names} {prices}"}
"""


def _problems(old: str = "", new: str = "", *, head: str = HEAD, flow: str = SWAPS) -> list[tuple[str, str]]:
    """The rules that are broken after a change, each with its line's text."""
    assert old in flow
    text = flow.replace(old, new, 1) if old else flow
    from dialogue.engine.language.compiler import check_documents

    lines = text.splitlines()
    found = check_documents({"assistant.yaml": head, "swaps.yaml": text})
    return [(problem.rule, lines[problem.line - 1].strip()) for problem in found]


def _rules(old: str = "", new: str = "") -> list[str]:
    return [rule for rule, _line in _problems(old, new)]


def test_nothing_is_found_in_a_loop_that_is_right():
    assert _problems() == []


@pytest.mark.parametrize(
    "entries", ["items", "filter(items, price > 10)", "sort(items, price)", "filter(items, item.name != 'x')"]
)
def test_the_items_of_list_functions_have_the_fields_of_the_list(entries: str):
    assert _rules("in: items", f'in: "{entries}"') == []


def test_a_loop_through_picked_values_has_an_item_of_their_type():
    assert _rules("in: items", "in: pick(items, price)") != []  # swap.name is no field of an amount
    flow = SWAPS.replace("swap.price", "swap").replace("{swap.name}", "{swap}")
    assert _problems("in: items", "in: pick(items, price)", flow=flow) == []


@pytest.mark.parametrize("entries", ["other", "total", "count(items)"])
def test_a_loop_goes_through_a_list(entries: str):
    assert "not_a_list" in _rules("in: items", f"in: {entries}")


def test_what_is_not_a_list_is_the_only_finding():
    assert _rules("in: items", "in: total") == ["not_a_list"]


def test_a_list_that_is_unknown_is_found_once():
    assert _rules("in: items", "in: itmes") == ["unknown_slot"]


@pytest.mark.parametrize(("name", "rule"), [("other", "same_name"), ("common", "same_name"), ("and", "reserved")])
def test_the_item_has_a_name_of_its_own(name: str, rule: str):
    assert rule in _rules("item: swap", f"item: {name}")


def test_the_item_is_known_inside_the_loop_only():
    assert _problems('"{names} {prices}"', '"{swap.name}"')[0][0] == "outside_loop"
    assert _rules("gather: {names: other", "gather: {names: swap.name") == []


def test_a_field_that_the_entries_do_not_have_is_found():
    assert _rules("{swap.name}", "{swap.nam}") == ["unknown_slot"]
    assert "condition" in _rules("prices: swap.price", "prices: swap.prices")


def test_a_step_cannot_fill_the_item():
    assert "fills_item" in _rules("slot: other}", "slot: swap}")


@pytest.mark.parametrize(
    ("per_item", "rule"),
    [("[othr]", "unknown_slot"), ("[other, common]", "not_own_slot"), ("[other, names]", "gathered_per_item")],
)
def test_the_slots_of_a_round_belong_to_the_flow_and_gather_nothing(per_item: str, rule: str):
    assert rule in _rules("per_item: [other]", f"per_item: {per_item}")


@pytest.mark.parametrize(
    ("gather", "rule"),
    [
        ("{nams: other}", "unknown_slot"),
        ("{total: other}", "wrong_type"),
        ("{prices: today()}", "wrong_type"),
        ("{names: othr}", "unknown_slot"),
        ("{items: swap}", "gathers_its_own_list"),
    ],
)
def test_what_is_gathered_fits_its_list(gather: str, rule: str):
    assert rule in _rules("gather: {names: other, prices: swap.price}", f"gather: {gather}")


def test_a_question_that_only_the_first_round_asks_is_found():
    assert _rules("per_item: [other]", "per_item: []") == ["asked_once"]


def test_a_sum_that_a_correction_would_count_twice_is_found():
    step = '- {step: add, type: set, slots: {total: "= total + swap.price"}}\n      - {step: told'
    assert _rules("- {step: told", step) == ["counted_twice"]


def test_a_slot_of_a_round_is_empty_after_the_loop():
    assert "gap" in _rules('"{names} {prices}"', '"{other}"') or "read_too_early" in _rules(
        '"{names} {prices}"', '"{other}"'
    )


def test_a_way_into_the_loop_from_outside_is_refused():
    step = "  - {step: done, type: say, next: ask"
    problem = _problems("  - {step: done, type: say", step)
    assert ("jump_into_loop", SWAPS.splitlines()[-1].replace("type: say", "type: say, next: ask").strip()) in problem


def test_continue_leads_to_the_next_round_inside_a_loop_only():
    assert _rules("- {step: told, type: say", "- {step: told, next: continue, type: say") == []
    assert _rules("- {step: done, type: say", "- {step: done, next: continue, type: say") == ["unknown_step"]


def test_no_step_is_called_continue_in_a_flow_with_a_loop():
    assert "reserved" in _rules("step: done", "step: continue")


def test_a_step_may_be_called_continue_in_a_flow_without_one():
    pay = "flow: pay\ndescription: Pays.\nsteps:\n  - {step: a, type: say, message: A, next: continue}\n"
    pay += "  - {step: continue, type: say, message: B}\n"
    assert problems(pay) == []


def test_a_circle_inside_a_round_is_found():
    step = "- {step: told, next: told, type: say"
    assert "no_exit" in _rules("- {step: told, type: say", step) or "unbounded_loop" in _rules(
        "- {step: told, type: say", step
    )


def test_a_circle_around_the_loop_is_found():
    again = '  - {step: again, type: branch, cases: [{when: "total > 1", next: each}]}\n  - {step: done'
    assert "unbounded_loop" in _rules("  - {step: done", again)


def test_two_loops_may_have_an_item_of_one_name_and_type_but_not_of_two_types():
    second = """  - step: second
    type: for_each
    item: swap
    in: LIST
    do: [{step: tell, type: say, message: "{swap}"}]
  - {step: done"""
    assert _rules("  - {step: done", second.replace("LIST", "items")) == []
    assert _rules("  - {step: done", second.replace("LIST", "names")) == ["same_name"]


def test_a_loop_inside_a_loop_has_an_item_and_slots_of_its_own():
    inner = """- step: inner
        type: for_each
        item: ITEM
        in: names
        per_item: [SLOT]
        do: [{step: tell, type: say, message: "{ITEM}"}]
      - {step: told"""
    flow = SWAPS.replace("  total:", "  more: {type: text}\n  total:")

    def rules(item: str, slot: str) -> set[str]:
        new = inner.replace("ITEM", item).replace("SLOT", slot)
        return {rule for rule, _line in _problems("- {step: told", new, flow=flow)} - {"never_asked"}

    assert rules("name", "more") == set()
    assert "same_name" in rules("swap", "more")
    assert "same_name" in rules("name", "other")
