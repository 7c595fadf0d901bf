"""POST a body to an address that another system named, signed as the specification Standard Webhooks says.

An address must lead to the public network. Its name is resolved once, every address that it stands for is checked, and
the connection goes to one of exactly these, so that a name which changes in between leads nowhere else. Redirects are
not followed. A call takes at most `MAX_SECONDS`, however slowly the other side answers, and reads the beginning of the
answer only.
"""

import base64
import hashlib
import hmac
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Timer
from time import monotonic
from urllib.parse import SplitResult, urlsplit

MAX_SECONDS = 10.0
MAX_ADDRESS_CHARACTERS = 2_000
MAX_ANSWER_BYTES = 1_000
SCHEMES = ("https",)
SECRET_PREFIX = "whsec_"
NOT_PUBLIC = "the address is not in the public network"
_ENDS_IN_IPV4 = (IPv6Network("64:ff9b::/96"), IPv6Network("::/96"))
"""NAT64 (RFC 6052) and IPv4-compatible addresses (RFC 4291), which Python's `is_global` takes for public."""
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
"""NAT64 for use inside of a network (RFC 8215)."""


class AddressRefused(ValueError):
    """The address cannot be used; the text says why."""


class PostFailed(Exception):
    """The body did not reach the other side, or there was no answer to it; the text says why."""


@dataclass(frozen=True)
class SignedPost:
    """One attempt: `webhook_id` is the same in every attempt, `seconds` the time of this one.

    It is signed with each of `secrets`, of which the receiver needs to know one.
    """

    url: str
    webhook_id: str
    body: bytes
    secrets: Sequence[str]
    seconds: int


@dataclass(frozen=True)
class PostAnswer:
    """What the other side answered: the status, the beginning of the text, and how long it took."""

    status: int
    text: str
    milliseconds: int

    @property
    def is_success(self) -> bool:
        """Whether the other side says that it has the body."""
        return 200 <= self.status < 300


def check_address(url: str) -> SplitResult:
    """Return the parts of an address.

    Raises AddressRefused for one that is malformed, has a user or a fragment, or is written as a private address.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise AddressRefused("the address cannot be read") from None
    if parts.scheme not in SCHEMES or not parts.hostname or len(url) > MAX_ADDRESS_CHARACTERS:
        raise AddressRefused(f"an address that begins with {SCHEMES[0]}:// is expected")
    if parts.username or parts.password or parts.fragment or port == 0 or not url.isascii() or not url.isprintable():
        raise AddressRefused("an address without a user, a fragment and special characters is expected")
    if _names_private_address(parts.hostname):
        raise AddressRefused(NOT_PUBLIC)
    return parts


def _names_private_address(host: str) -> bool:
    """Whether that is clear without a look-up; what other names stand for is looked up at each call."""
    name = host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        name = "127.0.0.1"
    with suppress(OSError):  # look-ups take the older forms of inet(3) too, such as 0x7f000001 and 127.1
        name = socket.inet_ntoa(socket.inet_aton(name))
    try:
        return not is_public(name)
    except ValueError:
        return False


def public_addresses(host: str, port: int) -> list[str]:
    """Return the addresses that a name stands for. Raises AddressRefused if one of them is not public, and OSError."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = [str(entry[4][0]) for entry in entries]
    if not addresses or not all(is_public(address) for address in addresses):
        raise AddressRefused(NOT_PUBLIC)
    return addresses


def is_public(address: str) -> bool:
    """Whether an IP address is in the public network; one that wraps an address of version 4 is that one."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        if ip.is_site_local or ip in _LOCAL_NAT64:
            return False
        ip = ip.ipv4_mapped or ip.sixtofour or _last_32_bits(ip) or ip
    return ip.is_global and not ip.is_multicast


def _last_32_bits(ip: IPv6Address) -> IPv4Address | None:
    """The address of version 4 at the end of a NAT64 or an IPv4-compatible address; None for others."""
    return IPv4Address(int(ip) & 0xFFFF_FFFF) if any(ip in network for network in _ENDS_IN_IPV4) else None


def signature_of(secret: str, webhook_id: str, seconds: int, body: bytes) -> str:
    """Return one signature for the header `webhook-signature`."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = b".".join([webhook_id.encode(), str(seconds).encode(), body])
    return f"v1,{base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()}"


def send_post(post: SignedPost) -> PostAnswer:
    """POST the body and return the answer, whatever its status is. Raises PostFailed where there is none."""
    begun = monotonic()
    try:
        parts = check_address(post.url)
        addresses = public_addresses(str(parts.hostname), parts.port or _usual_port(parts))
        with _bounded_connection(parts, addresses[0]) as connection:
            status, text = _exchange(connection, parts, post)
    except (AddressRefused, OSError, HTTPException, ValueError) as error:
        raise PostFailed(f"{type(error).__name__}: {error}"[:500]) from None
    return PostAnswer(status, text, round((monotonic() - begun) * 1000))


def _usual_port(parts: SplitResult) -> int:
    return 443 if parts.scheme == "https" else 80


def _exchange(connection: HTTPConnection, parts: SplitResult, post: SignedPost) -> tuple[int, str]:
    signatures = [signature_of(secret, post.webhook_id, post.seconds, post.body) for secret in post.secrets]
    connection.request(
        "POST",
        (parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        post.body,
        {
            "Content-Type": "application/json",
            "Connection": "close",
            "webhook-id": post.webhook_id,
            "webhook-timestamp": str(post.seconds),
            "webhook-signature": " ".join(signatures),
        },
    )
    response = connection.getresponse()
    return response.status, _beginning(response)


def _beginning(response: HTTPResponse) -> str:
    """Return the first bytes of the answer as text; an answer that breaks off counts with its status all the same."""
    with suppress(OSError, HTTPException, ValueError):
        return response.read(MAX_ANSWER_BYTES).decode("utf-8", "replace").replace("\0", "\ufffd")
    return ""


@contextmanager
def _bounded_connection(parts: SplitResult, address: str) -> Iterator[HTTPConnection]:
    """A connection to this very address, cut after `MAX_SECONDS`; the certificate must be for the name."""
    plain = socket.create_connection((address, parts.port or _usual_port(parts)), MAX_SECONDS)
    # A timeout of a socket begins again with each byte. The second handle reaches the connection below the encryption.
    handle = plain.dup()
    timer = Timer(MAX_SECONDS, _cut, [handle])
    timer.daemon = True
    timer.start()
    try:
        connection = _http_connection(parts, plain)
        try:
            yield connection
        finally:
            connection.close()
    finally:
        timer.cancel()
        handle.close()
        plain.close()


def _cut(handle: socket.socket) -> None:
    with suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)


def _http_connection(parts: SplitResult, plain: socket.socket) -> HTTPConnection:
    host, port = str(parts.hostname), parts.port or _usual_port(parts)
    if parts.scheme != "https":
        connection = HTTPConnection(host, port, timeout=MAX_SECONDS)
        connection.sock = plain
        return connection
    context = ssl.create_default_context()
    secure = HTTPSConnection(host, port, timeout=MAX_SECONDS, context=context)
    secure.sock = context.wrap_socket(plain, server_hostname=host)
    return secure
