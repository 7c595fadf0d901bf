"""Whose address counts where proxies stand before the server: the client's, as the trusted ones tell it."""

from ipaddress import ip_network
from typing import Any

import pytest

from soni_admin.proxies import ClientAddress, client_behind

TRUSTED = (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("198.51.100.7", "203.0.113.9", "198.51.100.7"),  # nobody's proxy: what it says counts nothing
        ("127.0.0.1", "192.0.2.1, 203.0.113.9", "203.0.113.9"),  # the first was written by the client
        ("127.0.0.1", "192.0.2.1, 203.0.113.9, 10.0.0.3", "203.0.113.9"),  # through two proxies
        ("127.0.0.1", "10.0.0.9", "10.0.0.9"),  # a client in the proxies' own network
        ("127.0.0.1", "192.0.2.1, unknown", "127.0.0.1"),
        ("127.0.0.1", "192.0.2.1, '; DROP", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.9:4711", "203.0.113.9"),
        ("127.0.0.1", "[2001:db8::1]:4711", "2001:db8::1"),
        ("fd00::5", "2001:db8::1", "2001:db8::1"),
        ("::ffff:127.0.0.1", "203.0.113.9", "203.0.113.9"),
    ],
)
def test_the_address_that_counts_is_the_last_one_that_no_trusted_proxy_has(peer: str, forwarded: str, client: str):
    assert client_behind(peer, forwarded.split(","), TRUSTED) == client


async def client_seen(kind: str, trusted: Any, *forwarded: str) -> str:
    """Which client the application behind sees."""
    seen: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["client"][0])

    headers = [(b"x-forwarded-for", value.encode()) for value in forwarded]
    scope = {"type": kind, "client": ["127.0.0.1", 4711], "headers": headers}
    await ClientAddress(application, trusted)(scope, None, None)
    assert scope["client"] == ["127.0.0.1", 4711]
    return str(seen[0])


@pytest.mark.parametrize("kind", ["http", "websocket"])
async def test_pages_and_sockets_see_the_same_client_and_without_a_trusted_proxy_the_peer(kind: str):
    assert await client_seen(kind, TRUSTED, "203.0.113.9") == "203.0.113.9"
    assert await client_seen(kind, TRUSTED, "192.0.2.1", "203.0.113.9") == "203.0.113.9"  # two lines are one list
    assert await client_seen(kind, (), "203.0.113.9") == "127.0.0.1"
