"""Where messages go: as they come, in order, with their number within the turn."""

from dialogue.engine.ports.sinks import BotMessage, BufferSink, Button

HELLO = BotMessage("say:hello", "Hello.", (Button("yes", "Yes"),), 3)


async def test_the_buffer_keeps_what_it_is_given():
    sink = BufferSink()
    await sink.send(HELLO, tuple)
    assert sink.messages == [HELLO]


def test_a_message_as_json_keeps_its_number_within_the_turn():
    assert HELLO.to_json() == {
        "key": "say:hello",
        "text": "Hello.",
        "buttons": [{"value": "yes", "label": "Yes"}],
        "ordinal": 3,
    }
