"""Budgets for language models: calls, tokens, seconds and money, for a message, a conversation and an address."""

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
    """Upper limits of a spending; 0 sets no limit."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    money: Decimal = Decimal(0)

    def exhausted_by(self, spending: Spending) -> str:
        """Return the name of the first limit that is reached, such as "tokens", or ""."""
        names = (field.name for field in fields(self))
        return next((name for name in names if 0 < getattr(self, name) <= getattr(spending, name)), "")


@dataclass(frozen=True)
class Prices:
    """Money for a million tokens, in the currency of the limits."""

    prompt: Decimal = Decimal(0)
    completion: Decimal = Decimal(0)

    def cost(self, usage: Usage) -> Decimal:
        return (self.prompt * usage.prompt_tokens + self.completion * usage.completion_tokens) / MILLION


@dataclass(frozen=True)
class Budget:
    """Limits for one message (`turn`), for a whole conversation, and for a day of the network address it came from."""

    turn: Limits = Limits(calls=4, tokens=20_000)
    conversation: Limits = Limits(calls=200, tokens=400_000, seconds=1_200.0)
    address: Limits = Limits(calls=1_000, tokens=2_000_000, seconds=6_000.0)
    prices: Prices = Prices()

    def spending_of(self, usage: Usage, seconds: float = 0.0) -> Spending:
        """Convert a usage and the seconds it took into a spending."""
        tokens = usage.prompt_tokens + usage.completion_tokens
        return Spending(usage.calls, tokens, seconds, self.prices.cost(usage))
