"""Actions with `effect: none`: they are read again after a correction, cached in a turn, and never doubted."""

from typing import Any

import pytest

from dialogue.engine.actions import Failed, Succeeded, Unknown
from tests.support.engine.dialogue_harness import Talk, assistant_of

ACTIONS = """
actions:
  find: {inputs: {city: text}, outputs: {price: integer}, effect: none}
  book: {inputs: {price: integer}, outputs: {code: text}}
"""
TRIP = """
flow: trip
title: a trip
description: Books a trip.
slots:
  city: {type: text, prompt: Where?}
  price: {type: integer, required: false}
  again: {type: integer, required: false}
  code: {type: text, required: false}
steps:
  - {step: ask, type: collect, slot: city}
  - {step: look, type: action, call: find, outputs: {price: price}, on_error: sorry}
  - {step: check, type: confirm, message: "{city} for {price}?"}
  - {step: look_again, type: action, call: find, outputs: {price: again}, on_error: sorry}
  - {step: book, type: action, call: book, outputs: {code: code}, on_error: sorry}
  - {step: look_after, type: action, call: find, outputs: {price: again}, on_error: sorry}
  - {step: done, type: say, message: "Booked {code} for {again}.", next: end}
  - {step: sorry, type: say, message: Sorry.}
"""
GO = ({"start_flow": "trip"}, {"set_slot": {"city": "Rome"}})


class Outcomes:
    """A double that gives one outcome after the other."""

    def __init__(self, *outcomes: Any) -> None:
        self._outcomes = list(outcomes)
        self.calls: list[Any] = []

    async def run(self, call: Any) -> Any:
        self.calls.append(call)
        return self._outcomes.pop(0)

    @property
    def names(self) -> list[str]:
        return [call.name for call in self.calls]


def _talk(*outcomes: Any, flow: str = TRIP) -> Talk:
    talk = Talk(assistant_of(flow, head=ACTIONS))
    talk.actions = Outcomes(*outcomes)
    return talk


async def test_a_corrected_value_is_read_again_and_nothing_is_said_to_stay():
    talk = _talk(Succeeded({"price": 80}), Succeeded({"price": 90}))
    await talk.does(*GO)
    assert await talk.does({"correct_slot": {"city": "Oslo"}}) == ["corrected:city", "confirm:trip"]
    assert talk.texts[-1] == "Oslo for 90?"


async def test_a_reading_after_a_confirmation_is_not_said_to_stay_either():
    flow = TRIP.replace(
        "  - {step: book,", '  - {step: sure, type: confirm, message: "{again}. Sure?"}\n  - {step: book,'
    )
    talk = _talk(*(Succeeded({"price": price}) for price in (80, 81, 90, 91)), flow=flow)
    await talk.does(*GO)
    await talk.does("affirm")
    assert await talk.does({"correct_slot": {"city": "Oslo"}}) == ["corrected:city", "confirm:trip"]


async def test_results_serve_for_the_turn_until_an_action_with_an_effect_has_run():
    talk = _talk(
        Succeeded({"price": 80}), Succeeded({"price": 81}), Succeeded({"code": "B1"}), Succeeded({"price": 99})
    )
    await talk.does(*GO)
    await talk.does("affirm")
    assert talk.actions.names == ["find", "find", "book", "find"]
    assert talk.texts == ["Booked B1 for 99."]


async def test_the_same_reading_twice_in_a_turn_is_called_once_and_the_record_says_so():
    flow = TRIP.replace(
        "  - {step: check,", "  - {step: twice, type: action, call: find, outputs: {price: again}}\n  - {step: check,"
    )
    talk = _talk(Succeeded({"price": 80}), flow=flow)
    await talk.does(*GO)
    assert talk.actions.names == ["find"]
    assert [entry.get("from_cache", False) for entry in talk.outcome.record["actions"]] == [False, True]


async def test_a_failure_is_not_cached():
    flow = TRIP.replace(
        "on_error: sorry}\n  - {step: check,",
        "on_error: twice}\n  - {step: twice, type: action, call: find, outputs: {price: again}}\n  - {step: check,",
    )
    talk = _talk(Failed("busy"), Succeeded({"price": 80}), flow=flow)
    await talk.does(*GO)
    assert talk.actions.names == ["find", "find"]


async def test_an_unknown_outcome_asks_no_colleague_whether_it_happened():
    talk = _talk(Unknown("timeout"))
    assert await talk.does(*GO) == ["say:sorry"]
    assert talk.stack == []


@pytest.fixture
def _no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(seconds: float) -> None:
        return None

    monkeypatch.setattr("dialogue.engine.steps.action.asyncio.sleep", at_once)


@pytest.mark.usefixtures("_no_delay")
async def test_an_unknown_outcome_is_tried_again_under_the_same_key():
    flow = TRIP.replace(
        "call: find, outputs: {price: price},", "call: find, outputs: {price: price}, retry: {attempts: 2},"
    )
    talk = _talk(Unknown("timeout"), Succeeded({"price": 80}), flow=flow)
    assert await talk.does(*GO) == ["confirm:trip"]
    assert len({call.key for call in talk.actions.calls}) == 1
