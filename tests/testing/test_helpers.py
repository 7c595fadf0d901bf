"""What projects test with: actions by their contracts, flows in memory, findings, and scenarios in a process."""

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from dialogue.engine.actions import ActionFailed, registry
from dialogue.engine.slots.values import ValueRefused
from dialogue.testing import FlowTest, ResultRefused, ScenariosFailed, call_action, check_flows, play_scenarios

HEAD = """\
version: 1
assistant: cafe
language: en
actions:
  cafe_price:
    inputs: {cups: integer, day: optional date}
    outputs: {price: money, ready: optional date}
    effect: none
  cafe_brew: {inputs: {cups: integer}, idempotent: true}
"""
ORDER = """\
flow: order_coffee
title: order coffee
description: Order cups of coffee.
examples: [I want coffee, order coffee please]
slots:
  cups: {type: integer, minimum: 1, prompt: How many cups?}
  price: optional money
steps:
  - {step: ask, type: collect, slot: cups, buttons: ["1", "2"]}
  - {step: look, type: action, call: cafe_price, outputs: {price: price}, on_error: closed}
  - {step: agree, type: confirm, message: "{cups} cups for {price}?", on_deny: closed}
  - step: approval
    type: human
    title: Many cups
    show: [cups]
    form: {extra: {type: integer, minimum: 0}}
    actions: [{id: accept}, {id: decline}]
    next: {accept: brew, decline: closed}
    timeout: 1h
    on_timeout: decline
  - {step: brew, type: action, call: cafe_brew, on_error: closed}
  - {step: done, type: say, message: "It is ready, with {approval.extra} more.", next: end}
  - {step: closed, type: say, message: No coffee.}
"""
SCENARIO = """\
assistant: ../flows
clock: 2026-11-23T09:00:00Z
scenarios:
  - name: Somebody is asked
    turns:
      - user: coffee
        commands: [{start_flow: order_coffee}]
        expect: {messages: [ask:cups]}
"""


def price(inputs, *, key, conversation):
    assert key and conversation
    if inputs["cups"] > 100:
        raise ActionFailed("too many")
    return {"price": Decimal("2.50") * inputs["cups"], "ready": inputs.get("day")}


@pytest.fixture
def flows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "flows"
    folder.mkdir()
    (folder / "assistant.yaml").write_text(HEAD)
    (folder / "order_coffee.yaml").write_text(ORDER)
    for name, function in (("cafe_price", price), ("cafe_brew", lambda inputs, *, key, conversation: None)):
        monkeypatch.setitem(registry._functions, name, function)
    return folder


def test_an_action_gets_and_gives_pythons_types(flows: Path):
    assert call_action(flows, "cafe_price", {"cups": "3", "day": "2026-12-24"}) == {
        "price": Decimal("7.50"),
        "ready": date(2026, 12, 24),
    }
    assert call_action(flows, "cafe_price", {"cups": 3}) == {"price": Decimal("7.50"), "ready": None}


def test_an_actions_own_error_is_raised(flows: Path):
    with pytest.raises(ActionFailed, match="too many"):
        call_action(flows, "cafe_price", {"cups": 101})


@pytest.mark.parametrize(
    ("name", "inputs", "error", "message"),
    [
        ("cafe_prize", {}, LookupError, "no contract"),
        ("cafe_price", {}, LookupError, "needs the input `cups`"),
        ("cafe_price", {"cups": 1, "milk": True}, LookupError, "no input `milk`. Its inputs are: cups, day"),
        ("cafe_price", {"cups": "many"}, ValueRefused, "whole number"),
    ],
)
def test_a_call_that_the_contract_does_not_allow_is_refused(flows: Path, name, inputs, error, message):
    with pytest.raises(error, match=message):
        call_action(flows, name, inputs)


def test_a_result_that_does_not_fit_is_named(flows: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(registry._functions, "cafe_price", lambda inputs, *, key, conversation: {"price": "dear"})
    with pytest.raises(ResultRefused, match="`price` does not fit the type money"):
        call_action(flows, "cafe_price", {"cups": 1})

    monkeypatch.setitem(registry._functions, "cafe_price", lambda inputs, *, key, conversation: {"prize": 3})
    with pytest.raises(ResultRefused, match="Did you mean `price`"):
        call_action(flows, "cafe_price", {"cups": 1})


def test_a_flow_is_talked_with_until_staff_have_decided(flows: Path):
    test = FlowTest(flows)

    assert test.says("I want coffee") == ["How many cups?"]
    assert (test.keys, test.buttons, test.stack) == (["ask:cups"], ["1", "2"], ["order_coffee?cups"])
    assert test.chooses("2") == ["2 cups for 5.00?"]
    assert test.value("cups") == 2
    test.says("yes")
    assert test.stack == ["order_coffee!human"]
    assert test.decides("accept", extra=1) == ["It is ready, with 1 more."]
    assert test.calls == [("cafe_price", {"cups": 2}), ("cafe_brew", {"cups": 2})]


def test_a_request_expires_and_the_clock_goes_on(flows: Path):
    test = FlowTest(flows)
    test.says("coffee", {"start_flow": "order_coffee"}, {"set_slot": {"cups": 2}})
    test.says("yes", "affirm")
    test.waits(timedelta(hours=2))

    assert test.expires() == ["No coffee."]


@pytest.mark.parametrize(
    ("stub", "answer"),
    [
        ({"price": "3.00"}, "2 cups for 3.00?"),
        (lambda inputs: {"price": inputs["cups"]}, "2 cups for 2.00?"),
        (ActionFailed("closed"), "No coffee."),
        ({"price": "dear"}, "No coffee."),
    ],
)
def test_actions_are_replaced_by_stubs(flows: Path, stub, answer):
    test = FlowTest(flows, stubs={"cafe_price": stub})

    assert test.says("…", {"start_flow": "order_coffee"}, {"set_slot": {"cups": 2}}) == [answer]


def test_what_cannot_be_done_is_said(flows: Path):
    with pytest.raises(LookupError, match="no action `cafe_prize`"):
        FlowTest(flows, stubs={"cafe_prize": {}})
    with pytest.raises(LookupError, match="Nothing has been said"):
        _ = FlowTest(flows).keys
    with pytest.raises(FileNotFoundError, match=r"holds no assistant\.yaml"):
        FlowTest(flows / "nowhere")
    test = FlowTest(flows)
    test.says("I want coffee")
    with pytest.raises(LookupError, match=r"No request waits for staff.*order_coffee\?cups"):
        test.decides("accept")


def test_findings_are_lines_and_warnings_are_asked_for(flows: Path):
    assert check_flows(flows) == []

    (flows / "order_coffee.yaml").write_text(ORDER.replace("slot: cups", "slot: cup"))
    (finding,) = check_flows(flows)
    assert finding.startswith("order_coffee.yaml:9:") and "Did you mean `cups`?" in finding
    (flows / "order_coffee.yaml").write_text(ORDER.replace(", on_error: closed}", "}"))
    assert check_flows(flows) == []
    assert check_flows(flows, warnings=True)


def test_a_function_that_cannot_be_called_is_a_finding(flows: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(registry._functions, "cafe_brew", lambda inputs: None)

    assert "an action is called as cafe_brew(inputs, key=…, conversation=…)" in check_flows(flows)[0]


@pytest.mark.journey
def test_scenarios_are_played_in_a_process_of_their_own(flows: Path, tmp_path: Path):
    (tmp_path / "scenarios").mkdir()
    script = tmp_path / "scenarios" / "coffee.yaml"
    script.write_text(SCENARIO)
    assert "1 of 1 scenarios" in play_scenarios(script.parent, settings="soni_admin.settings")

    script.write_text(SCENARIO.replace("[ask:cups]", "[ask:milk]"))
    with pytest.raises(ScenariosFailed, match="ask:milk"):
        play_scenarios(script, settings="soni_admin.settings")
