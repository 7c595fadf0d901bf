"""Where messages go."""

from typing import Any

from dialogue.engine.sinks import BotMessage, BufferSink, Button, CallbackSink, WebSocketSink

HELLO = BotMessage("say:hello", "Hello.", (Button("yes", "Yes"),), 3)


async def test_a_buffer_keeps_messages_in_order():
    sink = BufferSink()
    await sink.send(HELLO)
    assert sink.messages == [HELLO]


async def test_a_callback_gets_each_message():
    got: list[BotMessage] = []

    async def take(message: BotMessage) -> None:
        got.append(message)

    await CallbackSink(take).send(HELLO)
    assert got == [HELLO]


async def test_a_socket_gets_a_frame():
    frames: list[dict[str, Any]] = []

    async def send(frame: dict[str, Any]) -> None:
        frames.append(frame)

    await WebSocketSink(send).send(HELLO)
    assert frames == [
        {
            "type": "message",
            "role": "bot",
            "key": "say:hello",
            "text": "Hello.",
            "buttons": [{"value": "yes", "label": "Yes"}],
            "ordinal": 3,
        }
    ]
