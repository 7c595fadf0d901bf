"""Choices from data and a language model: what its prompt shows of the options, and what becomes of its answer."""

from collections.abc import Mapping
from dataclasses import replace

from dialogue.engine.ports.commands import AddValues, CorrectSlot, Narrow, RemoveValues, SetSlot
from dialogue.engine.slots.candidates import Candidate
from dialogue.nlu import build_nlu
from dialogue.nlu.llm.model_answer import Said, read_commands
from dialogue.nlu.llm.prompts import MAX_OPTIONS, build_prompt
from dialogue.nlu.readers.command_filter import filter_commands
from dialogue.nlu.slots.utterance import Utterance, read_utterance
from tests.support.engine.dialogue_harness import assistant_of
from tests.support.nlu.situations import situation

SHOP = """
flow: cancel
title: cancelling
description: Cancels orders.
slots:
  orders: {type: list, items: {type: text}, required: false}
  order: {type: choice, prompt: Which order?, options: {from: orders}}
  picks: {type: list, prompt: Which ones?, items: {type: choice, options: {from: orders}}}
steps:
  - {step: ask, type: collect, slot: order}
  - {step: ask_more, type: collect, slot: picks}
  - {step: check, type: confirm, message: Sure?}
"""
LAMP = Candidate("W1", "W1", "W1, desk lamp")
KEYBOARD = Candidate("W2", "W2", "W2, keyboard")
FLOOR_LAMP = Candidate("W3", "W3", "W3, floor lamp")
OPTIONS = (LAMP, KEYBOARD, FLOOR_LAMP)


def heard(
    message: str, *stack: str, options: tuple[Candidate, ...] = OPTIONS, filled: Mapping[str, str] | None = None
) -> Utterance:
    assistant = assistant_of(SHOP)
    context = situation(assistant, *(stack or ("cancel?order",)), filled=filled)
    context = replace(context, candidates={"order": options, "picks": options})
    return read_utterance(message, context, build_nlu(assistant, "rules").assistant_index)


def read(utterance: Utterance, *answer: Said) -> tuple[object, ...]:
    return filter_commands(read_commands(answer, utterance, lambda text: text), utterance)[0]


def test_the_prompt_shows_a_bounded_number_of_options_the_likeliest_first():
    many = tuple(Candidate(f"K{number}", f"K{number}", f"K{number}, kettle") for number in range(100, 150))
    situation_text = build_prompt(heard("the lamp", options=(*many, LAMP))).situation

    assert '"options": ["W1, desk lamp", "K100, kettle"' in situation_text
    assert situation_text.count("kettle") == MAX_OPTIONS - 1


def test_sensitive_fields_of_options_are_masked_in_the_prompt():
    card = Candidate("c1", "c1", "Visa 4111", masked_label="Visa ••••", sensitive=True)
    prompt = build_prompt(heard("the visa", options=(card, KEYBOARD)))

    assert "4111" not in "".join(prompt.fields().values())
    assert "Visa ••••" in prompt.situation
    assert read(heard("the visa", options=(card, KEYBOARD)), Said(command="set_slot", name="order", value="Visa ••••"))


def test_the_words_of_an_answer_become_the_key_of_the_option():
    answer = Said(command="set_slot", name="order", value="keyboard")

    assert read(heard("the keyboard one"), answer) == (SetSlot("order", "W2", "keyboard"),)


def test_words_that_fit_several_options_lead_to_a_question():
    answer = Said(command="set_slot", name="order", value="the lamp")

    assert read(heard("the lamp"), answer) == (Narrow("order", ("W1", "W3")),)
    narrowed = Said(command="narrow", name="order", value="W1, W3")
    assert read(heard("the lamp"), narrowed) == (Narrow("order", ("W1", "W3")),)


def test_an_option_that_is_not_there_and_was_not_said_is_dropped():
    invented = Said(command="set_slot", name="order", value="W9, toaster")

    assert read(heard("the keyboard one"), invented) == ()
    assert read(heard("the lamp"), Said(command="narrow", name="order", value="toaster, kettle")) == ()


def test_an_option_of_another_question_must_be_in_the_message():
    at_confirmation = ("cancel!confirm",)
    corrected = Said(command="correct_slot", name="order", value="keyboard")

    said = heard("no, the keyboard", *at_confirmation, filled={"cancel.order": "W1, desk lamp"})
    assert read(said, corrected) == (CorrectSlot("order", "W2", "keyboard"),)
    assert read(heard("no, something else", *at_confirmation), corrected) == ()


def test_values_are_added_to_a_list_and_taken_out_of_it():
    said = heard("also the keyboard but not the desk lamp", "cancel!confirm", filled={"cancel.picks": "W1, desk lamp"})

    added = Said(command="add_values", name="picks", value="keyboard")
    removed = Said(command="remove_values", name="picks", value="desk lamp")
    assert read(said, added, removed) == (
        AddValues("picks", ("W2",), "keyboard"),
        RemoveValues("picks", ("W1",), "desk lamp"),
    )
