"""What the record of a turn says about choices from data, in both languages."""

from django.utils.translation import override

from dialogue.models import Event, Turn
from dialogue.web.shared.turn_trace import turn_trace

RECORD = {
    "options": [
        {"slot": "order", "words": "the lamp", "result": "among", "options": ["W1, desk lamp", "W3, floor lamp"]},
        {"slot": "order", "offered": 3, "options": ["W1, desk lamp", "W2, keyboard"]},
        {"slot": "order", "words": "••••", "result": "unmatched", "options": []},
    ]
}


def lines() -> list[str]:
    return turn_trace(Turn(record=RECORD, event=Event(kind="message", payload={"text": "the lamp"}))).options


def test_offers_and_answers_are_told():
    assert lines() == [
        "order: “the lamp” → one of: W1, desk lamp; W3, floor lamp",
        "order: 3 offered: W1, desk lamp; W2, keyboard",
        "order: “••••” → fits no option",
    ]


def test_they_are_told_in_spanish():
    with override("es"):
        assert lines()[:2] == [
            "order: “the lamp” → una de: W1, desk lamp; W3, floor lamp",
            "order: 3 ofrecidas: W1, desk lamp; W2, keyboard",
        ]


def test_a_step_whose_expression_was_given_up_is_named_with_the_reason():
    record = {
        "steps": [{"step": "ask", "to": "add"}, {"step": "add", "to": "end", "error": "given up after 200,000 steps"}]
    }

    trace = turn_trace(Turn(record=record, event=Event(kind="message", payload={"text": "the lamp"})))

    assert trace.actions == ["step add, error given up after 200,000 steps"]


def test_the_nearest_example_is_said_beside_the_component_that_compared():
    nearest = {"label": "flow pay", "example": "pay my bill", "score": 0.1234, "ask": 0.17, "accept": 0.3}
    record = {"path": [{"part": "learned", "milliseconds": 1.2, "nearest": nearest}]}

    trace = turn_trace(Turn(record=record, event=Event(kind="message", payload={"text": "the lamp"})))

    words = "nearest: “pay my bill” of flow pay with 0.12 (asks from 0.17, decides from 0.30)"
    assert trace.path == [f"by the learned reader, 1.2 ms, {words}"]


def test_commands_slots_and_flows_are_told_in_words():
    record = {
        "proposed": [{"start_flow": "pay_bill"}, {"set_slot": {"pay_from": "savings"}}, "affirm"],
        "dropped": [{"command": {"cancel_flow": None}, "reason": "nothing runs"}],
        "slots": [{"slot": "pay_from", "from": None, "to": "savings"}],
        "stack": [{"change": "started", "flow": "pay_bill", "frame": "f1"}],
    }

    trace = turn_trace(Turn(record=record, event=Event(kind="message", payload={"text": "pay my bill"})))

    assert trace.commands == ["pay bill", "pay from savings", "yes"]
    assert trace.dropped == ["stop this: nothing runs"]
    assert (trace.changes, trace.stack) == (["pay from: ∅ → savings"], ["pay bill: begun"])


LOOP = {
    "steps": [
        {"flow": "exchange", "step": "find", "to": "each"},
        {"flow": "exchange", "step": "ask", "to": "told", "item": 1, "item_label": "Lamp"},
        {"flow": "exchange", "step": "told", "to": "each", "item": 1, "item_label": "Lamp"},
        {"flow": "exchange", "step": "each", "to": "ask", "item": 2, "item_label": "Mug"},
    ],
    "slots": [{"slot": "replacement", "from": "cup", "to": "glass", "item": 2}],
}


def test_the_entries_of_a_loop_that_a_turn_was_about_are_told_once():
    trace = turn_trace(Turn(record=LOOP, event=Event(kind="message", payload={"text": "a candle"})))
    assert trace.items == ["exchange: item 1: Lamp", "exchange: item 2: Mug"]
    assert trace.changes == ["replacement (item 2): cup → glass"]
    with override("es"):
        trace = turn_trace(Turn(record=LOOP, event=Event(kind="message", payload={"text": "una vela"})))
        assert trace.items[0] == "exchange: elemento 1: Lamp"
