"""Adding values to a list and taking values out of it."""

from typing import Any

import pytest

from dialogue.engine.actions import Succeeded
from dialogue.engine.ports.commands import AddValues, RemoveValues, from_plain, to_plain
from tests.support.engine.dialogue_harness import Talk, assistant_of

PACK = """
flow: pack
title: packing
description: Packs a bag.
slots:
  things: {type: list, items: {type: text}, prompt: What shall I pack?}
  colours: {type: list, items: {type: choice, options: [red, green, blue]}, prompt: Which colours?}
  weight: {type: integer, required: false}
steps:
  - {step: ask_things, type: collect, slot: things}
  - {step: ask_colours, type: collect, slot: colours}
  - {step: weigh, type: action, call: weigh, outputs: {weight: weight}, on_error: sorry}
  - {step: check, type: confirm, message: "Pack {things} in {colours}?"}
  - {step: done, type: say, message: Packed., next: end}
  - {step: sorry, type: say, message: Sorry.}
"""
HEAD = """
actions:
  weigh: {inputs: {things: list of text}, outputs: {weight: integer}, effect: none}
"""


class Scales:
    def __init__(self) -> None:
        self.weighed: list[list[str]] = []

    async def run(self, call: Any) -> Any:
        self.weighed.append(call.inputs["things"])
        return Succeeded({"weight": len(call.inputs["things"])})


@pytest.fixture
def talk() -> Talk:
    talk = Talk(assistant_of(PACK, head=HEAD))
    talk.actions = Scales()
    return talk


async def filled(talk: Talk) -> Talk:
    await talk.does({"start_flow": "pack"}, {"set_slot": {"things": ["boots", "cap"], "colours": ["red"]}})
    return talk


def test_the_commands_have_a_form_in_scenarios() -> None:
    added, removed = AddValues("things", ("boots", "cap"), "boots, cap"), RemoveValues("things", ("cap",))

    assert to_plain(added) == {"add_values": {"things": ["boots", "cap"]}, "words": "boots, cap"}
    assert from_plain({"add_values": {"things": ["boots", "cap"]}, "words": "boots, cap"}) == (added,)
    assert from_plain({"remove_values": {"things": "cap"}}) == (removed,)


async def test_values_that_are_added_to_an_empty_list_answer_its_question(talk: Talk):
    await talk.does({"start_flow": "pack"})

    assert await talk.does({"add_values": {"things": ["boots", "cap", "boots"]}}) == ["ask:colours"]
    assert talk.value("pack.things") == ["boots", "cap"]


async def test_added_values_correct_the_list_and_what_read_it_runs_again(talk: Talk):
    await filled(talk)

    keys = await talk.does({"add_values": {"things": ["bottle"]}})

    assert keys == ["corrected:things", "confirm:pack"]
    assert talk.texts[1] == "Pack boots, cap, bottle in red?"
    assert talk.actions.weighed == [["boots", "cap"], ["boots", "cap", "bottle"]]


async def test_removed_values_leave_the_rest(talk: Talk):
    await filled(talk)

    assert await talk.does({"remove_values": {"things": ["boots"]}}) == ["corrected:things", "confirm:pack"]
    assert talk.value("pack.things") == ["cap"]


async def test_a_list_without_a_rest_is_asked_for_again(talk: Talk):
    await filled(talk)

    assert await talk.does({"remove_values": {"things": ["boots", "cap"]}}) == ["cleared:things", "ask:things"]


async def test_what_is_not_in_the_list_is_not_removed(talk: Talk):
    await filled(talk)

    await talk.does({"remove_values": {"things": ["umbrella"]}})

    assert talk.value("pack.things") == ["boots", "cap"]
    assert [dropped["reason"] for dropped in talk.outcome.record["dropped"]] == ["not_in_list"]


async def test_options_are_stored_once_and_joined_with_and(talk: Talk):
    await filled(talk)

    await talk.does({"add_values": {"colours": ["Red", "green", "blue"]}})

    assert talk.texts == ["All right, colours is now red, green and blue.", "Pack boots, cap in red, green and blue?"]


async def test_a_value_that_the_list_refuses_is_said_and_nothing_is_stored(talk: Talk):
    await filled(talk)

    assert (await talk.does({"add_values": {"colours": ["pink"]}}))[0] == "rejected:colours"
    assert talk.value("pack.colours") == ["red"]
