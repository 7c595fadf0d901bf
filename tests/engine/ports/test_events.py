"""Events are plain JSON with a kind and an id."""

import json

import pytest

from dialogue.engine.ports import events

MADE = [
    events.message("1", "hi"),
    events.choice("2", "yes"),
    events.decision("3", "s", "f-1/a/1"),
    events.expiry("4", "s", "f-1/a/1"),
    events.cancel("5", "spam"),
    events.say("6", "hello", "Olga"),
    events.slots("7", {"a": 1}, "Olga"),
    events.hand_back("8", "Olga"),
    events.timeout("9"),
    events.timer("10", "f-1/a/1", "due"),
    events.start("12", "order", {"size": 4}, "Shop"),
    events.notify("13", "Your parcel is here.", "Shop"),
    events.signal("11", "parcel_received", {"parcel": "P1"}),
    events.file("12", [{"id": "f", "name": "a.pdf", "kind": "pdf", "size": 1, "digest": "0"}]),
]


@pytest.mark.parametrize("event", MADE, ids=lambda event: event["kind"])
def test_an_event_that_the_engine_makes_is_one_that_it_takes(event: events.Event):
    assert events.check_event(json.loads(json.dumps(event))) == event


def test_every_kind_has_a_maker():
    assert {each["kind"] for each in MADE} == events.KINDS
