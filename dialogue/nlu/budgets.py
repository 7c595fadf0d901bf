"""What language models may cost: calls, tokens, seconds and money, for one message and for a whole conversation."""

from dataclasses import dataclass, fields
from decimal import Decimal

from dialogue.engine.understanding import Usage

MILLION = 1_000_000


@dataclass(frozen=True)
class Spending:
    """Calls, tokens in and out together, seconds of waiting, and money by the prices that the host names."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    money: Decimal = Decimal(0)

    def __add__(self, other: "Spending") -> "Spending":
        return Spending(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.seconds + other.seconds,
            self.money + other.money,
        )


@dataclass(frozen=True)
class Limits:
    """At most so much; 0 sets no limit."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    money: Decimal = Decimal(0)

    def exhausted_by(self, spending: Spending) -> str:
        """The name of what is used up, or ""."""
        names = (field.name for field in fields(self))
        return next((name for name in names if 0 < getattr(self, name) <= getattr(spending, name)), "")


@dataclass(frozen=True)
class Prices:
    """Money for a million tokens, in whatever currency the limits are in."""

    prompt: Decimal = Decimal(0)
    completion: Decimal = Decimal(0)

    def cost(self, usage: Usage) -> Decimal:
        return (self.prompt * usage.prompt_tokens + self.completion * usage.completion_tokens) / MILLION


@dataclass(frozen=True)
class Budget:
    """For one message, for a conversation from its beginning to its end, and for a day of the address it came from."""

    turn: Limits = Limits(calls=4, tokens=20_000)
    conversation: Limits = Limits(calls=200, tokens=400_000, seconds=1_200.0)
    address: Limits = Limits(calls=1_000, tokens=2_000_000, seconds=6_000.0)
    prices: Prices = Prices()

    def spending_of(self, usage: Usage, seconds: float = 0.0) -> Spending:
        """What this usage comes to."""
        tokens = usage.prompt_tokens + usage.completion_tokens
        return Spending(usage.calls, tokens, seconds, self.prices.cost(usage))
