"""The files of a new assistant in a project: flows, an action, a scenario and a test that passes."""

from collections.abc import Mapping
from pathlib import Path

_ASSISTANT = """\
version: 1
assistant: {name}
title: {title}
description: Tells customers where their orders are.
language: en
actions:
  {name}_find_order:
    description: Look up where an order is.
    inputs: {{order: text}}
    outputs: {{state: text, arrives: optional date}}
    effect: none                    # it only reads, so it may be repeated
"""

_FLOW = """\
# A first flow: it asks for an order, looks it up, and says where it is.
flow: track_order
title: track an order
description: Say where an order is and when it arrives.
examples:                           # how people ask for it
  - where is my order
  - track my parcel
  - has order {{order}} been sent
slots:
  order: {{type: text, pattern: "[0-9]{{4}}", prompt: Which order? It has four digits., examples: ["4711"]}}
  state: optional text
  arrives: optional date
steps:
  - {{step: ask, type: collect, slot: order}}
  - step: find
    type: action
    call: {name}_find_order
    outputs: {{state: state, arrives: arrives}}
    on_error: unknown
  - step: soon
    type: branch
    cases: [{{when: "days_between(today(), arrives) <= 2", next: tell_soon}}]
  - {{step: tell, type: say, message: "Order {{order}} is {{state}}.", next: end}}
  - {{step: tell_soon, type: say, message: "Order {{order}} is {{state}}. It arrives on {{arrives}}.", next: end}}
  - {{step: unknown, type: say, message: "I cannot find an order {{order}}."}}
"""

_ACTIONS = '''\
"""The actions of {title}: plain functions, which the flows call by name."""

from datetime import date

from dialogue.engine.actions import ActionFailed, registry

ORDERS = {{
    "4711": {{"state": "on its way", "arrives": date(2026, 11, 24)}},
    "4712": {{"state": "packed", "arrives": None}},
}}


@registry.action("{name}_find_order")
def find_order(inputs, *, key, conversation):
    """Return the order's state. ActionFailed says for certain that nothing happened."""
    order = ORDERS.get(inputs["order"])
    if order is None:
        raise ActionFailed("there is no such order")
    return order
'''

_SCENARIO = """\
# A conversation as it should go. Actions are not called: the stubs say what they return.
assistant: ../flows
clock: 2026-11-23T09:00:00Z
stubs:
  {name}_find_order:
    - when: {{order: "4711"}}
      returns: {{state: on its way, arrives: 2026-11-24}}
    - raises: there is no such order
scenarios:
  - name: An order that arrives tomorrow
    turns:
      - user: where is my order
        commands: [{{start_flow: track_order}}]
        expect: {{messages: [ask:order]}}
      - user: "4711"
        commands: [{{set_slot: {{order: "4711"}}}}]
        expect: {{messages: [{{tell_soon: {{contains: [on its way, "November 24"]}}}}], stack: []}}
  - name: An order that does not exist
    turns:
      - user: where is order 4799
        commands: [{{start_flow: track_order}}, {{set_slot: {{order: "4799"}}}}]
        expect: {{messages: [unknown], stack: []}}
"""

_TEST = '''\
"""Tests of {title}: its action, its flows, and its scenarios."""

from datetime import date
from pathlib import Path

import pytest
from dialogue.engine.actions import ActionFailed
from dialogue.testing import FlowTest, call_action, check_flows, play_scenarios

import {name}.actions  # noqa: F401  (importing registers them)

HERE = Path(__file__).parent
FLOWS = HERE / "flows"


def test_an_order_is_found():
    found = call_action(FLOWS, "{name}_find_order", {{"order": "4711"}})

    assert found == {{"state": "on its way", "arrives": date(2026, 11, 24)}}


def test_an_order_that_does_not_exist_is_not_found():
    with pytest.raises(ActionFailed):
        call_action(FLOWS, "{name}_find_order", {{"order": "4799"}})


def test_the_flows_have_no_errors():
    assert check_flows(FLOWS, warnings=True) == []


def test_a_customer_asks_where_an_order_is():
    test = FlowTest(FLOWS)

    assert test.says("where is my order?") == ["Which order? It has four digits."]
    assert test.says("it is 4712") == ["Order 4712 is packed."]
    assert test.calls == [("{name}_find_order", {{"order": "4712"}})]


def test_what_is_said_when_the_orders_cannot_be_reached():
    test = FlowTest(FLOWS, stubs={{"{name}_find_order": ActionFailed("no connection")}})

    assert test.says("where is order 4711?") == ["I cannot find an order 4711."]


def test_the_scenarios_go_as_written():
    play_scenarios(HERE / "scenarios", modules=["{name}.actions"], settings="{settings}")
'''


def starter_files(name: str, title: str, settings: str) -> Mapping[Path, str]:
    """Return the files of a new assistant by their path below its folder; `settings` is the project's module."""
    templates = {
        "__init__.py": "",
        "actions.py": _ACTIONS,
        "flows/assistant.yaml": _ASSISTANT,
        "flows/track_order.yaml": _FLOW,
        "scenarios/track_order.yaml": _SCENARIO,
        f"test_{name}.py": _TEST,
    }
    return {Path(path): text.format(name=name, title=title, settings=settings) for path, text in templates.items()}
