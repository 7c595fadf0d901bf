"""From which pages a WebSocket may be opened: scheme, host and port all count."""

import pytest
from channels.testing import WebsocketCommunicator

from soni_admin.origins import OriginGate, may_speak


@pytest.mark.parametrize("origin", ["http://localhost:8000", "HTTP://LocalHost:8000", ""])
def test_a_page_of_the_same_host_may_speak(origin):
    assert may_speak(origin, "localhost:8000")


@pytest.mark.parametrize(
    "origin",
    [
        "https://localhost:8000",
        "http://localhost:9000",
        "http://localhost",
        "http://evil.example",
        "http://localhost.evil.example:8000",
        "http://localhost:port",
        "null",
        "file:///page.html",
        "://",
    ],
)
def test_a_page_from_elsewhere_may_not(origin):
    assert not may_speak(origin, "localhost:8000")


def test_a_host_that_is_not_ours_is_refused_whatever_the_page():
    assert not may_speak("http://evil.example", "evil.example")
    assert not may_speak("", "evil.example")


def test_a_page_without_an_origin_of_its_own_is_refused_on_a_host_that_has_none_either():
    assert not may_speak("null", "localhost:99999")


def test_only_the_configured_origins_may_speak_where_any_are_configured(settings):
    settings.ALLOWED_HOSTS = ["soni.example"]
    settings.WEBSOCKET_ORIGINS = ["https://soni.example"]

    assert may_speak("https://soni.example", "soni.example")
    assert may_speak("https://soni.example:443", "soni.example")
    assert not may_speak("http://soni.example", "soni.example")
    assert not may_speak("https://other.example", "soni.example")


async def test_a_foreign_page_gets_no_socket():
    foreign = WebsocketCommunicator(OriginGate(welcome), "/", headers=page("http://evil.example"))
    ours = WebsocketCommunicator(OriginGate(welcome), "/", headers=page("http://localhost:8000"))

    assert (await foreign.connect())[0] is False
    assert (await ours.connect())[0] is True


async def test_an_unknown_address_gets_no_socket_and_no_error_in_the_log(caplog):
    from soni_admin.asgi import application

    stray = WebsocketCommunicator(application, "/ws/nowhere/", headers=page("http://localhost:8000"))

    await stray.connect()  # accepted first, since a browser can read only a close that follows

    assert (await stray.receive_output())["code"] == 4404
    assert not caplog.records


async def welcome(scope, receive, send):
    await receive()
    await send({"type": "websocket.accept"})


def page(origin: str) -> list[tuple[bytes, bytes]]:
    return [(b"host", b"localhost:8000"), (b"origin", origin.encode())]
