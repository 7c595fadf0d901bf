"""The client's address behind proxies: the one place that reads X-Forwarded-For. All else reads the scope's client.

Each proxy adds the address of its own client to the end of the header. The header is read from its end, for as long as
the address that added an entry belongs to a trusted proxy: what stands before that was written by the client itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Any

Network = IPv4Network | IPv6Network


@dataclass(frozen=True)
class ClientAddress:
    """Hands HTTP and sockets on to `application` with the address of the client in place of a trusted proxy's."""

    application: Any
    trusted: Sequence[Network]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> Any:
        client = scope.get("client")
        if self.trusted and client:
            lines = (value for name, value in scope["headers"] if name == b"x-forwarded-for")
            address = client_behind(client[0], b",".join(lines).decode("latin-1").split(","), self.trusted)
            if address != client[0]:
                scope = {**scope, "client": [address, 0]}  # the port is that of a connection to the proxy
        return await self.application(scope, receive, send)


def client_behind(peer: str, forwarded: Iterable[str], trusted: Sequence[Network]) -> str:
    """The first address that is no trusted proxy's, from the peer and then from the header's end."""
    address = peer
    for entry in reversed([text.strip() for text in forwarded if text.strip()]):
        if not is_within(address, trusted):
            break
        named = address_in(entry)
        if not named:
            break  # a proxy that hides its client, or writes what is no address: it stands for its clients
        address = named
    return address


def is_within(address: str, networks: Sequence[Network]) -> bool:
    """Whether the address belongs to one of these networks."""
    text = address_in(address)
    return bool(text) and any(ip_address(text) in network for network in networks)


def address_in(entry: str) -> str:
    """The address of an entry such as `192.0.2.1`, `192.0.2.1:443` or `[2001:db8::1]:443`; "" where there is none."""
    text = entry.partition("]")[0][1:] if entry.startswith("[") else entry
    if text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return ""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)
