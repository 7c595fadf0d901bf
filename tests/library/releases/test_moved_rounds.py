"""Rounds of a loop on their way to another release: what they did and collected keeps its place."""

import json

from dialogue.engine.language.compiler import load_assistant
from dialogue.library.releases.migration_plan import MovePlanner
from tests.support.engine.dialogue_harness import MORNING
from tests.support.engine.loop_flows import EXCHANGE, exchange_items

HEAD = "version: 1\nassistant: try\n"


async def test_the_steps_of_rounds_are_renamed_and_the_conversation_goes_on():
    talk = await exchange_items("candle", "cup")
    renamed = EXCHANGE.replace("step: ask,", "step: question,").replace("step: each_swap", "step: swaps")
    new = load_assistant({"assistant.yaml": HEAD, "exchange.yaml": renamed})
    planner = MovePlanner(new, {"exchange.ask": "question", "exchange.each_swap": "swaps"}, "en", MORNING)

    move = planner.plan_move(json.loads(json.dumps(talk.outcome.state)), [])

    (frame,) = move.memory["frames"]
    state = frame["rounds"]["swaps"]
    first = json.loads(state["rounds"][0])
    assert (move.lost, move.refusals) == ([], [])
    assert [step["step"] for step in first["path"]] == ["question", "tell"]
    assert first["slots"]["replacement"]["value"] == "candle"
    assert frame["slots"]["swap"]["value"]["name"] == "pen"


async def test_a_loop_that_became_another_step_keeps_the_conversation_where_it_is():
    talk = await exchange_items("candle")
    plain = """
flow: exchange
description: Says something.
steps:
  - {step: ask, type: collect, slot: replacement}
  - {step: each_swap, type: say, message: Hello.}
slots:
  replacement: {type: text, prompt: What?}
"""
    new = load_assistant({"assistant.yaml": HEAD, "exchange.yaml": plain})

    move = MovePlanner(new, {}, "en", MORNING).plan_move(json.loads(json.dumps(talk.outcome.state)), [])

    assert "exchange.each_swap is no loop over a list" in move.refusals
