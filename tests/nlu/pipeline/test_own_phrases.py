"""What an assistant's own phrases mean: acts where these are possible, but no awaited title and no clear act."""

from dataclasses import replace

import pytest

from dialogue.engine.language.compiler import FlowProblems, load_assistant
from dialogue.engine.ports.commands import Affirm, CancelFlow, Command, Deny, HandOff, SetSlot, SkipSlot
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation

HEAD = "{version: 1, assistant: harbour, title: Harbour, description: Boats, language: en%s}"
PHRASES = """, phrases: {cancel: [scuttle the lot],
  yes: [splice the mainbrace, dale caña], person: [get me the harbour master],
  skip: [beats me mate]}"""
FLOW = """
flow: rent_boat
title: Rent a boat
description: Rent a boat for a day.
examples: [I want to rent a boat]
slots:
  name: {type: text, description: Name of the skipper, prompt: What is the skipper called?}
  note: {type: text, required: false, description: Note, prompt: Any note?}
steps:
  - {step: ask_name, type: collect, slot: name}
  - {step: ask_note, type: collect, slot: note}
  - {step: check, type: confirm, message: "Rent it?"}
"""


def pipeline_with(phrases: str) -> NLUPipeline:
    assistant = load_assistant({"assistant.yaml": HEAD % phrases, "rent_boat.yaml": FLOW})
    return build_nlu(assistant, "learned", NLUSettings(use_embeddings=False))


async def meant(nlu: NLUPipeline, say: str, at: str, language: str = "en") -> tuple[Command, ...]:
    context = replace(situation(nlu.assistant_index.assistant, at), language=language)
    return (await nlu.understand(say, context)).commands


@pytest.fixture(scope="module")
def harbour() -> NLUPipeline:
    return pipeline_with(PHRASES)


@pytest.mark.parametrize(
    ("say", "at", "command", "language"),
    [
        ("scuttle the lot", "rent_boat?name", CancelFlow(), "en"),
        ("please scuttle the lot!", "rent_boat?name", CancelFlow(), "en"),
        ("splice the mianbrace", "rent_boat!confirm", Affirm(), "en"),
        ("dale caña", "rent_boat!confirm", Affirm(), "es"),
        ("get me the harbour master", "rent_boat?note", HandOff(), "en"),
        ("beats me mate", "rent_boat?note", SkipSlot("note"), "en"),
        ("no", "rent_boat!confirm", Deny(), "en"),
    ],
)
async def test_own_phrases_are_acts(harbour: NLUPipeline, say: str, at: str, command: Command, language: str) -> None:
    assert await meant(harbour, say, at, language) == (command,)


async def test_a_yes_counts_only_where_one_is_asked_for(harbour: NLUPipeline) -> None:
    assert Affirm() not in await meant(harbour, "splice the mainbrace", "rent_boat?name")


async def test_a_title_stays_a_value(harbour: NLUPipeline) -> None:
    assert await meant(harbour, "Scuttle The Lot", "rent_boat?name") == (
        SetSlot("name", "Scuttle The Lot", "Scuttle The Lot"),
    )


async def test_a_clear_act_comes_before_a_phrase_that_contradicts_it() -> None:
    nlu = pipeline_with(", phrases: {cancel: ['yes']}")
    assert await meant(nlu, "yes", "rent_boat!confirm") == (Affirm(),)


@pytest.mark.parametrize(
    ("say", "at", "command"),
    [
        ("scuttle the lot", "rent_boat?name", CancelFlow()),
        ("splice the mainbrace", "rent_boat!confirm", Affirm()),
        ("beats me mate", "rent_boat?note", SkipSlot("note")),
    ],
)
async def test_without_the_phrase_the_words_mean_no_act_again(say: str, at: str, command: Command) -> None:
    assert command not in await meant(pipeline_with(""), say, at)


def test_a_phrase_for_two_acts_is_refused() -> None:
    with pytest.raises(FlowProblems, match="Dale"):
        load_assistant({"assistant.yaml": HEAD % ", phrases: {yes: [dale], no: [Dale]}", "rent_boat.yaml": FLOW})
