"""Limiters: how often an address, a name or a conversation may do something, and how much one request may hold.

What is rare is counted in rows, each raised by one update before the thing is done, so that tries at the same moment,
in whichever process, count each. Messages are many: they are counted in this process's memory, by token buckets, and
cost no query.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock
from time import monotonic
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from dialogue.conf import soni
from dialogue.models import Conversation, TryCounter
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation
from dialogue.turns.load import CONVERSATION, MESSAGE, ServerBusy, refuse_when_busy
from dialogue.web.shared.times import short_span_text

OPENING_WINDOW = timedelta(minutes=10)
MESSAGE_WINDOW_SECONDS = 60
MAX_WINDOW = timedelta(minutes=15)
"""No limit counts for longer: older rows are of no use."""
IPV6_PREFIX = 64
"""One customer of a provider has all addresses of such a network."""
MAX_BUCKETS = 10_000
"""With so many buckets the full ones, which say nothing, are forgotten."""


class LimitReached(Exception):
    """This may not be done now; `wait` is for how long."""

    def __init__(self, wait: timedelta) -> None:
        super().__init__(wait)
        self.wait = wait

    @property
    def seconds(self) -> int:
        """For `Retry-After`: whole seconds, at least one."""
        return max(1, math.ceil(self.wait.total_seconds()))


@dataclass(frozen=True)
class Limit:
    """A limit: what is counted, how often per window, and how long the window is."""

    subject: str
    maximum: int
    window: timedelta

    @property
    def key(self) -> str:
        """Names and addresses are personal: only their hash is kept."""
        return hashlib.sha256(self.subject.encode("utf-8", "surrogatepass")).hexdigest()


def limit_text(limit: LimitReached | ServerBusy) -> str:
    """Return the text for a client that has to wait."""
    if isinstance(limit, ServerBusy):
        return _("Many people are writing at the moment. Please wait %s, then try again.") % short_span_text(limit.wait)
    return _(
        "Too much came from here in a short time, and this was not taken. Please wait %s, then try again."
    ) % short_span_text(limit.wait)


# ---- where it comes from ------------------------------------------------------------------------------------------


def address_of(request: HttpRequest | None) -> str:
    """Return the client's address; behind trusted proxies, the one that they name."""
    return str(request.META.get("REMOTE_ADDR", "")) if request else ""


def network_of(address: str) -> str:
    """Return the address, or for IPv6 the network that a provider gives to one customer."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if not isinstance(ip, IPv6Address):
        return address
    mapped = ip.ipv4_mapped
    return str(mapped or ip_network((ip, IPV6_PREFIX), strict=False))


def origin_of(address: str) -> str:
    """Hash the network of an address: equal for one network, irreversible without the secret key."""
    return salted_hmac("dialogue.origin", network_of(address), algorithm="sha256").hexdigest()


# ---- rows ---------------------------------------------------------------------------------------------------------


def increment(limit: Limit) -> TryCounter:
    """Count one more and return the counter; after its window a counter begins again."""
    now = clock.now()
    old = TryCounter.objects.filter(key=limit.key, since__lte=now - limit.window)
    if old.update(tries=1, since=now) == 0 and not _one_more(limit):
        TryCounter.objects.filter(since__lte=now - MAX_WINDOW).delete()
        try:
            with transaction.atomic():
                TryCounter.objects.create(key=limit.key, since=now, tries=1)
        except IntegrityError:
            _one_more(limit)  # another process counted the first try in between
    return TryCounter.objects.get(key=limit.key)


def _one_more(limit: Limit) -> int:
    return TryCounter.objects.filter(key=limit.key).update(tries=F("tries") + 1)


def count_opening(address: str) -> None:
    """Count a conversation that is opened from this address without an account. Raises LimitReached."""
    if not soni.OPENINGS_PER_ADDRESS:
        return
    limit = Limit(f"openings {network_of(address)}", soni.OPENINGS_PER_ADDRESS, OPENING_WINDOW)
    row = increment(limit)
    if row.tries > limit.maximum:
        raise LimitReached(row.since + limit.window - clock.now())


def open_from_address(address: str, assistant: str, **facts: Any) -> tuple[Conversation, str]:
    """Open a conversation for the client at this address, within the limit of its place; for an account without one
    (`address` is ""). Raises ServerBusy, LimitReached, AssistantNotFound.

    The count is part of the opening's transaction, so that it costs no commit of its own.
    """
    refuse_when_busy(CONVERSATION)
    with transaction.atomic():
        if address:
            count_opening(address)
        return open_conversation(assistant, origin=origin_of(address) if address else "", **facts)


# ---- memory -------------------------------------------------------------------------------------------------------


class TokenBucket:
    """Token bucket: `burst` tokens at first, `rate` more each second. Every frame or message takes one."""

    def __init__(self, rate: float = 20, burst: float = 60, clock: Callable[[], float] = monotonic) -> None:
        self.rate = rate
        self.burst = burst
        self.clock = clock
        self.tokens = burst
        self.filled_at = clock()

    def take(self) -> bool:
        """Take a token; False when there is none."""
        self._refill()
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True

    def is_full(self) -> bool:
        """Return whether the bucket is as good as a new one."""
        self._refill()
        return self.tokens >= self.burst

    def _refill(self) -> None:
        now = self.clock()
        self.tokens = min(self.burst, self.tokens + (now - self.filled_at) * self.rate)
        self.filled_at = now


class Buckets:
    """A token bucket for each key: `maximum` at once, and as many more in every `MESSAGE_WINDOW_SECONDS`."""

    def __init__(self, seconds: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._buckets: dict[str, TokenBucket] = {}
        self._lock = Lock()
        self._forget_at = MAX_BUCKETS

    def take(self, key: str, most: int) -> None:
        """Take a token. Raises LimitReached; with 0 there is no limit."""
        if not most:
            return
        with self._lock:
            if len(self._buckets) >= self._forget_at:
                self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_full()}
                # With a lower bound, each take would look through all of them.
                self._forget_at = max(MAX_BUCKETS, 2 * len(self._buckets))
            bucket = self._buckets.get(key) or self._new(key, most)
            if not bucket.take():
                raise LimitReached(timedelta(seconds=(1 - bucket.tokens) / bucket.rate))

    def _new(self, key: str, most: int) -> TokenBucket:
        bucket = TokenBucket(most / MESSAGE_WINDOW_SECONDS, most, self._seconds)
        self._buckets[key] = bucket
        return bucket


messages = Buckets()
"""Those of this process; each server counts by itself."""


def count_message(conversation: Conversation, address: str) -> None:
    """Count a message before it is stored. Raises ServerBusy, LimitReached.

    A place is not counted for conversations that an account opened: the account answers for them.
    """
    refuse_when_busy(MESSAGE)
    messages.take(f"conversation {conversation.pk}", soni.MESSAGES_PER_CONVERSATION)
    if conversation.user_id is None:
        messages.take(f"place {network_of(address)}", soni.MESSAGES_PER_ADDRESS)
