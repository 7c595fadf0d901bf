"""Values with which a conversation opens."""

from typing import Any

import pytest

from dialogue.engine.language.compiler import check_documents
from tests.support.engine.dialogue_harness import Talk, assistant_of

HEAD = """
slots:
  page: {type: text, source: start, required: false}
  email: {type: email, source: claim}
  tier: {type: choice, options: [basic, gold], default: basic, source: claim, claim: customer_tier}
"""
FLOW = """
flow: hello
description: Say hello
slots: {name: {type: text, prompt: Your name?}}
steps:
  - {step: ask, type: collect, slot: name}
  - {step: done, type: say, message: "Hello {name}, {email}, {tier}."}
"""


def opened(**values: dict[str, Any]) -> Talk:
    talk = Talk(assistant_of(FLOW, head=HEAD))
    talk.start_values = values
    return talk


def claimed(value: Any) -> dict[str, Any]:
    return {"value": value, "source": "claim"}


async def test_the_first_turn_knows_them():
    talk = opened(email=claimed("mia@example.com"), tier=claimed("gold"), page={"value": "/help", "source": "start"})

    await talk.does({"start_flow": "hello"}, {"set_slot": {"name": "Mia"}})

    assert talk.texts == ["Hello Mia, mia@example.com, gold."]
    assert (talk.value("page"), talk.outcome.slots["page"]["source"]) == ("/help", "start")


async def test_after_a_restart_they_are_there_again():
    talk = opened(email=claimed("mia@example.com"), tier=claimed("gold"))
    await talk.does({"start_flow": "hello"})
    await talk.does("restart")
    await talk.chooses("restart:yes")

    await talk.does({"start_flow": "hello"})

    assert (talk.value("email"), talk.value("tier")) == ("mia@example.com", "gold")


@pytest.mark.parametrize(
    "command",
    [
        {"set_slot": {"email": "eve@example.com"}},
        {"correct_slot": {"email": "eve@example.com"}},
        {"clear_slot": "email"},
    ],
)
async def test_the_customer_cannot_change_what_a_claim_says(command: dict[str, Any]):
    talk = opened(email=claimed("mia@example.com"))
    await talk.does({"start_flow": "hello"})

    assert await talk.does(command) == ["claimed:email", "ask:name"]

    assert talk.value("email") == "mia@example.com"


async def test_without_a_token_the_customer_cannot_give_it_either():
    talk = opened()

    await talk.does({"start_flow": "hello"}, {"set_slot": {"email": "eve@example.com"}})

    assert talk.value("email") is None


async def test_a_value_whose_slot_has_changed_is_left_out():
    talk = opened(email=claimed("no address"), gone=claimed("x"), page=claimed("/help"), tier=claimed("silver"))

    await talk.does({"start_flow": "hello"})

    assert [talk.value(name) for name in ("email", "gone", "page", "tier")] == [None, None, None, "basic"]


def rules(head: str, flow: str) -> list[str]:
    documents = {"assistant.yaml": f"version: 1\nassistant: try\n{head}", "hello.yaml": flow}
    return [problem.rule for problem in check_documents(documents) if problem.severity == "error"]


def test_only_slots_of_the_assistant_have_a_source():
    flow = FLOW.replace("prompt: Your name?", "prompt: Your name?, source: start")
    assert rules(HEAD, FLOW) == []
    assert rules(HEAD, flow) == ["source"]


def test_the_customer_is_not_asked_for_a_claim():
    assert rules(HEAD, FLOW.replace("slot: name}", "slot: email}")) == ["claim_asked"]


def test_a_claim_needs_its_source():
    assert rules(HEAD.replace("source: start", "claim: page"), FLOW) == ["constraint"]
