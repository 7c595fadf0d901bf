"""How much one socket may say: a bucket of tokens that refills while nobody speaks."""

from collections.abc import Callable
from time import monotonic


class TokenBucket:
    """`burst` tokens at first, `rate` more each second; every frame takes one."""

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
        """Whether nothing was taken for so long that a new bucket would be the same."""
        self._refill()
        return self.tokens >= self.burst

    def _refill(self) -> None:
        now = self.clock()
        self.tokens = min(self.burst, self.tokens + (now - self.filled_at) * self.rate)
        self.filled_at = now
