"""Answers in words of one's own that must not lead to an action: a question costs less than a value that is wrong."""

from functools import cache

import pytest

from dialogue.engine.language.compiler import load_assistant
from dialogue.engine.ports.commands import Command, CorrectSlot, SetSlot, SkipSlot
from dialogue.nlu import NLUPipeline, build_nlu
from dialogue.nlu.settings import NLUSettings
from tests.support.nlu.situations import situation

ASSISTANT = {
    "assistant.yaml": "{version: 1, assistant: roofs, title: Roofs, language: en}",
    "report_damage.yaml": """
flow: report_damage
title: Report a damage
description: Reports what a storm did to a roof.
examples: [a storm damaged my roof, I want to report a damage]
slots:
  policy: {type: text, description: number of the policy, prompt: What is the number of your policy?}
  event: {type: text, description: what happened, prompt: What happened?}
  city: {type: text, description: the city of the house, prompt: In which city is the house?}
  cost: {type: money, required: false, prompt: How much will the repair cost?}
  insured: {type: boolean, required: false, prompt: Is it insured elsewhere too?}
steps:
  - {step: ask_policy, type: collect, slot: policy}
  - {step: ask_event, type: collect, slot: event}
  - {step: ask_city, type: collect, slot: city}
  - {step: ask_cost, type: collect, slot: cost}
  - {step: ask_insured, type: collect, slot: insured}
  - {step: done, type: say, message: Done.}
""",
}
FILLED = {"report_damage.policy": "H-1", "report_damage.event": "hail", "report_damage.city": "Ghent"}


@cache
def roofs() -> NLUPipeline:
    nlu = build_nlu(load_assistant(ASSISTANT), "learned", NLUSettings(use_embeddings=True))
    nlu.prepare()
    return nlu


async def understood(text: str, slot: str) -> tuple[Command, ...]:
    filled = {} if slot == "policy" else FILLED
    context = situation(roofs().assistant_index.assistant, f"report_damage?{slot}", filled=filled)
    return (await roofs().understand(text, context)).commands


@pytest.mark.parametrize(
    ("text", "slot"), [("can't say before the roofer has been", "cost"), ("sold it in spring", "insured")]
)
async def test_an_answer_to_another_question_changes_no_text_by_chance(text: str, slot: str) -> None:
    commands = await understood(text, slot)

    assert not any(isinstance(command, CorrectSlot | SetSlot) for command in commands), commands


async def test_a_text_that_is_named_is_changed_while_something_else_is_asked() -> None:
    commands = await understood("the city is Bruges", "cost")

    assert [(each.slot, each.value) for each in commands if isinstance(each, CorrectSlot)] == [("city", "Bruges")]


async def test_a_no_at_the_beginning_of_something_else_skips_nothing() -> None:
    commands = await understood("no clue, my wife has the purse, ask her on Sunday", "cost")

    assert not any(isinstance(command, SkipSlot) for command in commands), commands


@pytest.mark.parametrize("text", ["no", "no thanks", "skip that please"])
async def test_a_plain_no_skips_what_need_not_be_answered(text: str) -> None:
    assert SkipSlot("cost") in await understood(text, "cost")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("H-9041. While I think of it, we lost a jacket there", "H-9041"),
        ("AB77, and it was for my mother, not for me", "AB77"),
        ("AB77", "AB77"),
    ],
)
async def test_a_code_ends_where_another_clause_begins(text: str, code: str) -> None:
    commands = await understood(text, "policy")

    assert [command.value for command in commands if isinstance(command, SetSlot)] == [code]
