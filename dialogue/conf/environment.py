"""Words from outside, read into values: each reader says which variable it could not read, and what to write."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from ipaddress import IPv4Network, IPv6Network, ip_network

YES = frozenset({"1", "true", "yes", "on"})
NO = frozenset({"0", "false", "no", "off", ""})


class SettingRefused(Exception):
    """An environment variable holds something that its setting cannot take."""


@dataclass(frozen=True)
class Environment:
    """The process's environment, or in tests any mapping of names to texts."""

    variables: Mapping[str, str]

    def text(self, name: str, default: str = "") -> str:
        return self.variables.get(name, "").strip() or default

    def words(self, name: str, default: str = "") -> list[str]:
        """The comma-separated words of a variable, blanks removed."""
        return [word.strip() for word in self.text(name, default).split(",") if word.strip()]

    def networks(self, name: str) -> tuple[IPv4Network | IPv6Network, ...]:
        """The comma-separated addresses and networks of a variable, such as 127.0.0.1 and 10.0.0.0/8."""
        try:
            return tuple(ip_network(word, strict=False) for word in self.words(name))
        except ValueError as error:
            raise SettingRefused(f"{name} holds what is no network: {error}. Write such as 10.0.0.0/8.") from None

    def flag(self, name: str, *, default: bool = False) -> bool:
        word = self.text(name, str(default)).lower()
        if word not in YES | NO:
            raise SettingRefused(f"{name} is {word!r}: write true or false.")
        return word in YES

    def whole(self, name: str, default: int) -> int:
        word = self.text(name, str(default))
        if not (word.isascii() and word.isdigit()):
            raise SettingRefused(f"{name} is {word!r}: write a whole number.")
        return int(word)

    def decimal(self, name: str, default: str = "0") -> Decimal:
        """An amount of money or the like, such as 0.15; never negative."""
        word = self.text(name, default)
        try:
            read = Decimal(word)
        except InvalidOperation:
            read = Decimal("nan")
        if not (read.is_finite() and read >= 0):
            raise SettingRefused(f"{name} is {word!r}: write an amount such as 0.15.")
        return read

    def one_of_or_dotted(self, name: str, choices: tuple[str, ...], default: str) -> str:
        """One of the choices, or the dotted name of a Python class or function."""
        word = self.text(name, default)
        if word not in choices and not ("." in word and all(part.isidentifier() for part in word.split("."))):
            known = ", ".join(choices)
            raise SettingRefused(f"{name} is {word!r}: write one of {known}, or a dotted name such as shop.nlu.Chain.")
        return word

    def one_of(self, name: str, choices: tuple[str, ...], default: str) -> str:
        word = self.text(name, default)
        if word not in choices:
            raise SettingRefused(f"{name} is {word!r}: write one of {', '.join(choices)}.")
        return word
