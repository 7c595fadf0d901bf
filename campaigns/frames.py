"""Frames that no well-behaved client sends, over real sockets, while a good client goes on beside them."""

import json
from collections.abc import Callable
from itertools import count

from hypothesis import strategies as st

from campaigns.support.busy_bank import BusyBank
from campaigns.support.campaign import Campaign, Tally
from campaigns.support.fuzzing import fuzz_banks
from tests.support.processes.raw_socket import BINARY, PING, TEXT, Closed, RawSocket

A_SOCKET_TAKES = 40
"""Frames before the hostile client connects again: a socket that sends more than about sixty at once is closed."""

GOOD_EVERY = 100
PATIENCE = 120.0
"""Seconds that a client waits for a frame: what is slow has not failed."""

OURS = {"error", "pong", "accepted", "message", "turn.started", "turn.finished", "typing", "seen", "read", "attended"}
CODES = {4413, 4429, 1002, 1007, 1009}
"""Closing is an answer too: too large, too fast, and what the protocol itself says of broken text."""

MOST_OF_A_PING = 125
"""Bytes that a control frame may carry."""

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)
_TYPES = st.sampled_from(["user.message", "user.choice", "typing", "ack", "ping", "rm", "", "USER.MESSAGE"]) | _JSON
_NAMES = st.sampled_from(["type", "id", "text", "value", "seq", "extra", "__proto__", "is_superuser"])


@st.composite
def _nearly(draw: st.DrawFn) -> bytes:
    """A frame with the right names and values that may be anything."""
    frame = draw(st.dictionaries(_NAMES, _JSON, max_size=4)) | {"type": draw(_TYPES)}
    return json.dumps(frame).encode("utf-8", "surrogatepass")


_HELLO = b'{"type": "user.message", "id": "m", "text": "hello"}'
_GOOD = st.sampled_from([b'{"type": "ping"}', b'{"type": "typing"}', b'{"type": "ack", "seq": 1}', _HELLO])
_TEXTS = st.one_of(
    _nearly(), _nearly(), _JSON.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")),
    _GOOD, st.binary(max_size=60), st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.sampled_from([b"", b"[" * 60_000, b"{" * 5_000, b"x" * (64 * 1024 + 1), b'{"type": "ping"}' * 2, b"9" * 5_000]),
)  # fmt: skip
_FRAMES = st.tuples(_TEXTS, st.sampled_from([TEXT] * 12 + [BINARY, PING]))


def breaks_the_protocol(payload: bytes, kind: int) -> bool:
    """Whether WebSocket itself forbids it (RFC 6455, 5.5 and 8.1): the server's library hangs up."""
    return len(payload) > MOST_OF_A_PING if kind == PING else kind == TEXT and not _is_text(payload)


def _is_text(payload: bytes) -> bool:
    try:
        payload.decode()
    except UnicodeDecodeError:
        return False
    return True


class Clients:
    """A hostile client that comes again and again, and a good one that stays."""

    def __init__(self, bank: BusyBank, tally: Tally) -> None:
        self.bank, self.tally = bank, tally
        self.numbers = count(1)
        self.sent = 0
        self.good = self._open()
        self.hostile = self._open()

    def _open(self) -> RawSocket:
        made = self.bank.server.post("/api/v1/conversations", {"assistant": "bank"}, "ursula").body
        return RawSocket(self.bank.server.port, f"/ws/conversations/{made['id']}/?token={made['token']}", PATIENCE)

    def attempt(self, payload: bytes, kind: int) -> None:
        """Send it, and after it a frame with a name, whose answer comes behind whatever this one brought."""
        if self.sent % A_SOCKET_TAKES == A_SOCKET_TAKES - 1:
            self._come_anew()
        if self.sent % GOOD_EVERY == 0:
            self._good_goes_on()
        self.sent += 1
        end = f"end-{self.sent}"
        try:
            self.hostile.send(payload, kind)
            self.hostile.say(type="end", id=end)
            self.tally.count(self._heard(end))
        except Closed as closed:
            assert closed.code in CODES or breaks_the_protocol(payload, kind), (closed.code, kind, payload[:80])
            self.tally.count(f"closed {closed.code}")
            self._come_anew()

    def _heard(self, end: str) -> str:
        outcome = "nothing"
        while (frame := self.hostile.hear()).get("ref") != end:
            assert frame["type"] in OURS, frame
            outcome = frame["code"] if frame["type"] == "error" else outcome
            outcome = "accepted" if frame["type"] == "accepted" else outcome
        return outcome

    def _come_anew(self) -> None:
        self.hostile.__exit__()
        self.hostile = self._open()

    def _good_goes_on(self) -> None:
        """What a good client writes is accepted and answered, whatever the other one does."""
        name = f"good-{next(self.numbers)}"
        self.good.say(type="user.message", id=name, text="hello")
        assert self.good.hear("accepted")["id"] == name
        self.good.hear("turn.finished")
        self.tally.outcomes["a good message answered"] += 1


def _run(size: int, chance: int, tally: Tally) -> None:
    fuzz_banks(_FRAMES, _enter, size, chance, tally)


def _enter(bank: BusyBank, tally: Tally) -> Callable[[tuple[bytes, int]], None]:
    clients = Clients(bank, tally)
    return lambda frame: clients.attempt(*frame)


CAMPAIGN = Campaign(
    name="frames",
    passes_when="every frame is answered by ours, an error or a close with its code; the good client is answered",
    ci=800,
    full=10_000,
    outcomes=("not_json", "not_an_object", "unknown_type", "bad_frame", "accepted", "a good message answered"),
    run=_run,
)
