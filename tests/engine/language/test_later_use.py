"""Which results a flow cannot do without after an action."""

import pytest

from dialogue.engine.language.compiler import Action, Human
from dialogue.engine.language.later_use import results_needed, tells_reason
from tests.support.engine.dialogue_harness import assistant_of

HEAD = "actions:\n  act: {inputs: {}, outputs: {result: text}}\n  use: {inputs: {value: text}, outputs: {}}\n"
FLOW = """
flow: main
description: Acts.
slots:
  value: {type: text, required: false, prompt: Which?}
  other: {type: text, default: x}
steps:
  - {step: act, type: action, call: act, outputs: {result: value}, on_error: failed}
NEXT
  - {step: done, type: say, message: Done., next: end}
  - {step: failed, type: say, message: "Failed {value}."}
"""


@pytest.mark.parametrize(
    ("following", "needed"),
    [
        ('  - {step: tell, type: say, message: "It is {value}."}', {"result"}),
        ('  - {step: tell, type: say, message: "It is {value|other}."}', set()),
        ('  - {step: sure, type: confirm, message: "{value}?"}', {"result"}),
        ("  - {step: use, type: action, call: use}", {"result"}),
        ('  - {step: use, type: action, call: use, inputs: {value: "other"}}', set()),
        ('  - {step: ask, type: collect, slot: value}\n  - {step: tell, type: say, message: "{value}"}', set()),
        ("  - {step: nothing, type: say, message: Nothing.}", set()),
    ],
)
def test_a_result_is_needed_where_a_later_step_cannot_do_without_it(following: str, needed: set[str]):
    assistant = assistant_of(FLOW.replace("NEXT", following), head=HEAD)
    flow = assistant.flows["main"]
    step = flow.step("act")
    assert isinstance(step, Action)
    assert results_needed(assistant, flow, step) == needed


def test_a_result_is_needed_where_a_flow_that_called_this_one_tells_it():
    caller = (
        "flow: outer\ndescription: Calls.\nslots:\n  got: {type: text, required: false}\nsteps:\n"
        "  - {step: go, type: call, flow: main, outputs: {got: value}}\n"
        '  - {step: tell, type: say, message: "{got}"}\n'
    )
    assistant = assistant_of(FLOW.replace("NEXT\n", ""), caller, head=HEAD)
    flow = assistant.flows["main"]
    step = flow.step("act")
    assert isinstance(step, Action)
    assert results_needed(assistant, flow, step) == {"result"}


@pytest.mark.parametrize(("text", "told"), [("Sorry: {gate.reason}", True), ("Sorry.", False)])
def test_the_reason_is_told_where_a_text_of_the_flow_names_it(text: str, told: bool):
    flow = (
        "flow: main\ndescription: Asks.\nsteps:\n  - step: gate\n    type: human\n    title: Gate\n"
        "    actions: [{id: approve, style: primary}, {id: decline, reason: required}]\n"
        f'    timeout: 1h\n    on_timeout: decline\n  - {{step: tell, type: say, message: "{text}"}}\n'
    )
    loaded = assistant_of(flow).flows["main"]
    step = loaded.step("gate")
    assert isinstance(step, Human)
    assert tells_reason(loaded, step) is told
