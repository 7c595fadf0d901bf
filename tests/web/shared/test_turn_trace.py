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
