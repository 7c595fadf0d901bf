"""One setting of the console: its key in `settings.SONI`, its environment variables, its type and its default."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, Generic, TypeVar

from django.conf import settings

from dialogue.conf.environment import Environment, SettingRefused

T = TypeVar("T")
_ORIGIN = re.compile(r"https://[a-z0-9.-]+(:\d{1,5})?")


class Setting(Generic[T]):
    """A descriptor that gives the project's value: from `settings.SONI`, else the environment, else the default.

    `read` takes the value from the environment, and gives the default where no variable is set; `accept` checks a
    value of `settings.SONI` and raises ValueError with what to write instead. Reading raises SettingRefused.
    """

    name = ""

    def __init__(self, *variables: str, read: Callable[[Environment], T], accept: Callable[[Any], T]) -> None:
        self.variables = variables
        self._read, self._accept = read, accept

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type | None = None) -> T:
        own: Mapping[str, Any] = getattr(settings, "SONI", {})
        if self.name not in own:
            return self._read(Environment(os.environ))
        try:
            return self._accept(own[self.name])
        except (TypeError, ValueError) as error:
            raise SettingRefused(f'SONI["{self.name}"] is {own[self.name]!r}: {error}.') from None


def text(variable: str, default: str = "") -> Setting[str]:
    return Setting(variable, read=lambda env: env.text(variable, default), accept=_typed(str, "write a text"))


def words(variable: str, default: str = "") -> Setting[Sequence[str]]:
    """Names: a list in `settings.SONI`, separated by commas in the environment."""

    def accept(value: Any) -> Sequence[str]:
        if isinstance(value, str) or not all(isinstance(word, str) for word in value):
            raise ValueError("write a list of texts")
        return tuple(value)

    return Setting(variable, read=lambda env: env.words(variable, default), accept=accept)


def origins(variable: str) -> Setting[Sequence[str]]:
    """Origins of web pages, such as https://images.example.org: a list, or separated by commas in the environment."""

    def accept(value: Any) -> Sequence[str]:
        if isinstance(value, str) or not all(isinstance(word, str) and _ORIGIN.fullmatch(word) for word in value):
            raise ValueError("write a list of origins such as https://images.example.org, without a path")
        return tuple(value)

    def read(env: Environment) -> Sequence[str]:
        names = env.words(variable)
        try:
            return accept(names)
        except ValueError as error:
            raise SettingRefused(f"{variable} is {','.join(names)!r}: {error}.") from None

    return Setting(variable, read=read, accept=accept)


def flag(variable: str, *, default: bool = False) -> Setting[bool]:
    accept = _typed(bool, "write True or False")
    return Setting(variable, read=lambda env: env.flag(variable, default=default), accept=accept)


def whole(variable: str, default: int) -> Setting[int]:
    return Setting(variable, read=lambda env: env.whole(variable, default), accept=_whole)


def seconds(variable: str, default: int) -> Setting[float]:
    """A number of seconds; a timedelta is one too."""
    return Setting(variable, read=lambda env: env.whole(variable, default), accept=_seconds)


def span(variable: str, default_seconds: int) -> Setting[timedelta]:
    """A timedelta, or a number of seconds."""
    return Setting(
        variable,
        read=lambda env: timedelta(seconds=env.whole(variable, default_seconds)),
        accept=lambda value: timedelta(seconds=_seconds(value)),
    )


def one_of(variable: str, choices: tuple[str, ...], default: str, *, dotted: bool = False) -> Setting[str]:
    """One of the choices; with `dotted` also the dotted name of a class or function."""

    def read(env: Environment) -> str:
        take = env.one_of_or_dotted if dotted else env.one_of
        return take(variable, choices, default)

    def accept(value: Any) -> str:
        return read(Environment({variable: _typed(str, "write a text")(value)}))

    return Setting(variable, read=read, accept=accept)


Limits = tuple[int, int, float, Decimal]
"""Calls, tokens, seconds and money; 0: no limit."""


def limits(prefix: str, calls: int, tokens: int, spent_seconds: int) -> Setting[Limits]:
    """What language models may take; in the environment `<prefix>_CALLS`, `_TOKENS`, `_SECONDS` and `_MONEY`.

    Without a default of seconds there is no such variable, and no such limit.
    """
    names = [f"{prefix}_{part}" for part in ("CALLS", "TOKENS", "SECONDS", "MONEY")]

    def read(env: Environment) -> Limits:
        longest = float(env.whole(names[2], spent_seconds)) if spent_seconds else 0.0
        return env.whole(names[0], calls), env.whole(names[1], tokens), longest, env.decimal(names[3])

    def accept(value: Any) -> Limits:
        try:
            most_calls, most_tokens, most_seconds, money = value
        except (TypeError, ValueError):
            raise ValueError("write (calls, tokens, seconds, money)") from None
        return _whole(most_calls), _whole(most_tokens), _seconds(most_seconds), Decimal(money)

    return Setting(*(name for name in names if spent_seconds or name != names[2]), read=read, accept=accept)


def prices(variable_in: str, variable_out: str) -> Setting[tuple[Decimal, Decimal]]:
    """Prices for a million tokens that are sent, and for a million that come back."""

    def accept(value: Any) -> tuple[Decimal, Decimal]:
        price_in, price_out = value
        return Decimal(price_in), Decimal(price_out)

    def read(env: Environment) -> tuple[Decimal, Decimal]:
        return env.decimal(variable_in), env.decimal(variable_out)

    return Setting(variable_in, variable_out, read=read, accept=accept)


def days(prefix: str, **defaults: int) -> Setting[Mapping[str, int]]:
    """Days for each kind of data; what a project does not name has its default."""

    def read(env: Environment) -> Mapping[str, int]:
        return {kind: env.whole(f"{prefix}_{kind.upper()}", number) for kind, number in defaults.items()}

    def accept(value: Mapping[str, Any]) -> Mapping[str, int]:
        unknown = sorted(set(value) - set(defaults))
        if unknown:
            raise ValueError(f"{unknown[0]} is not one of {', '.join(defaults)}")
        return defaults | {kind: _whole(number) for kind, number in value.items()}

    return Setting(*(f"{prefix}_{kind.upper()}" for kind in defaults), read=read, accept=accept)


def _typed(kind: type[T], advice: str) -> Callable[[Any], T]:
    def accept(value: Any) -> T:
        if not isinstance(value, kind):
            raise ValueError(advice)
        return value

    return accept


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("write a whole number")
    return value


def _seconds(value: Any) -> float:
    number = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(number, bool) or not isinstance(number, int | float) or number < 0:
        raise ValueError("write a number of seconds")
    return number
