"""Frames as they come in: what is understood, and what each wrong one is told."""

import pytest

from dialogue.web.shared.limits import TokenBucket
from dialogue.web.sockets.frames import Ack, FrameRefused, Ping, UserMessage, read_frame
from dialogue.web.sockets.stream import MAX_UNACKNOWLEDGED, STALL_SECONDS, AckWindow


class Hands:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_a_message_an_acknowledgement_and_a_ping_are_understood():
    assert read_frame('{"type": "user.message", "id": "1", "text": "Hello"}') == UserMessage(
        type="user.message", id="1", text="Hello"
    )
    assert read_frame('{"type": "ack", "seq": 3}') == Ack(type="ack", seq=3)
    assert read_frame('{"type": "ping"}') == Ping(type="ping")


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("", "not_json", "not JSON"),
        ("hello", "not_json", "not JSON"),
        ('{"type": "ping"', "not_json", "not JSON"),
        ("[" * 100_000, "not_json", "not JSON"),
        ('{"type": "ping", "type": "ack"}', "not_json", "not JSON"),
        ('{"type": "user.message", "id": "1", "text": "Hi", "text": "Bye"}', "not_json", "not JSON"),
        ('{"type": "ack", "seq": NaN}', "not_json", "not JSON"),
        ("null", "not_an_object", "one JSON object"),
        ('[{"type": "ping"}]', "not_an_object", "one JSON object"),
        ('"ping"', "not_an_object", "one JSON object"),
        ("{}", "unknown_type", "has no type"),
        ('{"type": "dance"}', "unknown_type", "'dance'"),
        ('{"type": ["ping"]}', "unknown_type", "['ping']"),
        ('{"type": "user.message", "text": "Hello"}', "bad_frame", "id is missing"),
        ('{"type": "user.message", "id": "1"}', "bad_frame", "text is missing"),
        ('{"type": "user.message", "id": 1, "text": "Hello"}', "bad_frame", "id is wrong"),
        ('{"type": "user.message", "id": "", "text": "Hello"}', "bad_frame", "id is wrong"),
        ('{"type": "user.message", "id": "1", "text": ["Hello"]}', "bad_frame", "text is wrong"),
        ('{"type": "user.message", "id": "1", "text": "Hi", "role": "operator"}', "bad_frame", "role is wrong"),
        ('{"type": "ack", "seq": true}', "bad_frame", "seq is wrong"),
        ('{"type": "ack", "seq": -1}', "bad_frame", "seq is wrong"),
        ('{"type": "ack", "seq": 1.5}', "bad_frame", "seq is wrong"),
        (None, "binary_frame", "Binary frames"),
    ],
)
def test_a_wrong_frame_is_told_what_is_wrong(text, code, told):
    with pytest.raises(FrameRefused) as refused:
        read_frame(text)

    assert refused.value.code == code
    assert told in refused.value.detail
    assert refused.value.plain()["ref"]


def test_a_refusal_names_the_frame_by_its_own_id():
    with pytest.raises(FrameRefused) as refused:
        read_frame('{"type": "user.message", "id": "m-7"}')

    assert refused.value.ref == "m-7"


def test_an_id_that_no_database_stores_is_refused():
    with pytest.raises(FrameRefused) as refused:
        read_frame(r'{"type": "user.message", "id": "a\u0000b", "text": "hello"}')

    assert refused.value.code == "bad_frame"


@pytest.mark.parametrize(
    "frame", [r'"type": "ping", "id": "\udc00"', r'"type": "ping", "\udc00": 1', r'"id": "\ud800"']
)
def test_a_refusal_of_half_a_character_can_be_sent(frame):
    with pytest.raises(FrameRefused) as refused:
        read_frame(f"{{{frame}}}")

    assert all(part.encode() for part in refused.value.plain().values())


def test_a_bucket_lets_a_burst_through_and_then_the_rate():
    hands = Hands()
    bucket = TokenBucket(rate=2, burst=3, clock=hands)

    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    hands.at = 1.0
    assert [bucket.take() for _ in range(3)] == [True, True, False]


def test_a_window_is_full_at_two_hundred_and_opens_as_far_as_was_acknowledged():
    window = AckWindow(Hands())
    for number in range(1, MAX_UNACKNOWLEDGED + 1):
        window.add(number)

    assert window.free == 0
    window.acknowledge(150)
    assert window.free == 150


def test_a_reader_that_leaves_the_window_full_is_too_slow_after_its_time():
    hands = Hands()
    window = AckWindow(hands)
    for number in range(MAX_UNACKNOWLEDGED):
        window.add(number)

    looks = []
    for hands.at in (STALL_SECONDS, STALL_SECONDS + 1):
        looks.append(window.is_stuck)
    window.acknowledge(0)

    assert [*looks, window.is_stuck] == [False, True, False]
