"""The operator's lines: what the command bar, the terminal and the chat box take, read into frozen commands.

    input g12.0 yes      @g12.0 yes      @g12 yes (only one open gate)      submit g12 approve [reason…]
    claim g12            release g12     expire g12 reason…                 cancel g12 reason…
    snooze g12 1h        unsnooze g12    next                               mute 1h                 unmute

`@approval.daily_limit 9000` names a gate by its step and field. In a chat box a line that begins with `@g<digits>` goes
to the gate, and `@@` sends a literal `@`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.utils.translation import gettext as _

from dialogue.desk.forms.refusals import LineRefused
from dialogue.engine.slots.durations import DurationRefused, format_duration, parse_duration

MAX_LINE_CHARACTERS = 100_000


@dataclass(frozen=True)
class FieldRef:
    """`g12.0`; without a place, the only open gate of g12."""

    number: int
    position: int | None = None

    def __str__(self) -> str:
        return f"g{self.number}" if self.position is None else f"g{self.number}.{self.position}"


@dataclass(frozen=True)
class NamedFieldRef:
    """`approval.daily_limit`: a field of the newest session of a step."""

    step: str
    field: str

    def __str__(self) -> str:
        return f"{self.step}.{self.field}"


@dataclass(frozen=True)
class Input:
    """Answer one gate with what was typed."""

    field: FieldRef | NamedFieldRef
    text: str

    def __str__(self) -> str:
        return _("Answer %(gate)s with “%(text)s”") % {"gate": self.field, "text": self.text}


@dataclass(frozen=True)
class Submit:
    """Choose an action of a session, with the gates that were answered before."""

    number: int
    action: str
    reason: str = ""

    def __str__(self) -> str:
        sentence = _("Submit g%(number)s: %(action)s") % {"number": self.number, "action": self.action}
        return f"{sentence} ({self.reason})" if self.reason else sentence


@dataclass(frozen=True)
class Claim:
    number: int

    def __str__(self) -> str:
        return _("Claim g%s") % self.number


@dataclass(frozen=True)
class Release:
    number: int

    def __str__(self) -> str:
        return _("Release g%s") % self.number


@dataclass(frozen=True)
class Expire:
    number: int
    reason: str

    def __str__(self) -> str:
        return _("Let g%(number)s expire: %(reason)s") % {"number": self.number, "reason": self.reason}


@dataclass(frozen=True)
class Cancel:
    number: int
    reason: str

    def __str__(self) -> str:
        return _("Cancel g%(number)s: %(reason)s") % {"number": self.number, "reason": self.reason}


@dataclass(frozen=True)
class Snooze:
    number: int
    duration: timedelta

    def __str__(self) -> str:
        facts = {"number": self.number, "duration": format_duration(self.duration)}
        return _("Put g%(number)s off for %(duration)s") % facts


@dataclass(frozen=True)
class Unsnooze:
    number: int

    def __str__(self) -> str:
        return _("Put g%s back into the queue") % self.number


@dataclass(frozen=True)
class Next:
    def __str__(self) -> str:
        return _("Go to the most urgent gate")


@dataclass(frozen=True)
class Mute:
    duration: timedelta

    def __str__(self) -> str:
        return _("Be quiet for %s") % format_duration(self.duration)


@dataclass(frozen=True)
class Unmute:
    def __str__(self) -> str:
        return _("Be heard again")


@dataclass(frozen=True)
class Say:
    """What the customer is told; chat boxes only."""

    text: str

    def __str__(self) -> str:
        return _("Say “%s”") % self.text


Command = Input | Submit | Claim | Release | Expire | Cancel | Snooze | Unsnooze | Next | Mute | Unmute

_NAME = r"[a-z][a-z0-9_]{0,63}"
_GATE = re.compile(r"g([0-9]{1,18})(?:\.([0-9]{1,4}))?")
_NAMED = re.compile(rf"(?!g[0-9]+\.)({_NAME})\.({_NAME})")
_CHAT_GATE = re.compile(r"@g[0-9]")


def parse_line(line: str) -> Command:
    """The command that a line says. Raises LineRefused, which tells what to write instead."""
    text = line.strip()
    if len(text) > MAX_LINE_CHARACTERS:
        raise LineRefused(_("This line is too long."))
    if text.startswith("@"):
        return _input(text[1:])
    word, rest = _first_word(text)
    reader = _READERS.get(word.lower())
    if reader is None:
        raise LineRefused(_("“%(word)s” is no command. There are: %(known)s.") % {"word": word[:40], "known": _known()})
    return reader(rest)


def parse_chat_line(line: str) -> Input | Say:
    """A line of an operator's chat box: to a gate when it begins with `@g<digits>`, else to the customer."""
    if line.startswith("@@"):
        return Say(line[1:])
    return _input(line[1:]) if _CHAT_GATE.match(line) else Say(line)


def _input(rest: str) -> Input:
    name, text = _first_word(rest)
    return Input(_any_gate(name), text)


def _submit(rest: str) -> Submit:
    name, rest = _first_word(rest)
    action, reason = _first_word(rest)
    return Submit(_number(name, "submit g12 approve"), action, reason)


def _claim(rest: str) -> Claim:
    return Claim(_number(rest, "claim g12"))


def _release(rest: str) -> Release:
    return Release(_number(rest, "release g12"))


def _expire(rest: str) -> Expire:
    name, reason = _first_word(rest)
    return Expire(_number(name, "expire g12 reason"), reason)


def _cancel(rest: str) -> Cancel:
    name, reason = _first_word(rest)
    return Cancel(_number(name, "cancel g12 reason"), reason)


def _snooze(rest: str) -> Snooze:
    name, duration = _first_word(rest)
    return Snooze(_number(name, "snooze g12 1h"), _duration(duration, "snooze g12 1h"))


def _unsnooze(rest: str) -> Unsnooze:
    return Unsnooze(_number(rest, "unsnooze g12"))


def _next(rest: str) -> Next:
    _nothing_after(rest, "next")
    return Next()


def _mute(rest: str) -> Mute:
    return Mute(_duration(rest, "mute 1h"))


def _unmute(rest: str) -> Unmute:
    _nothing_after(rest, "unmute")
    return Unmute()


_READERS: dict[str, Callable[[str], Command]] = {
    "input": _input,
    "submit": _submit,
    "claim": _claim,
    "release": _release,
    "expire": _expire,
    "cancel": _cancel,
    "snooze": _snooze,
    "unsnooze": _unsnooze,
    "next": _next,
    "mute": _mute,
    "unmute": _unmute,
}


COMMANDS = tuple(_READERS)
"""The words that a line may begin with, besides `@g12`."""


def _known() -> str:
    return ", ".join(["@g12", *_READERS])


def _first_word(text: str) -> tuple[str, str]:
    word, *rest = text.split(maxsplit=1) or [""]
    return word, "".join(rest).strip()


def _any_gate(name: str) -> FieldRef | NamedFieldRef:
    found = _GATE.fullmatch(name.lower())
    if found:
        place = found.group(2)
        return FieldRef(int(found.group(1)), None if place is None else int(place))
    named = _NAMED.fullmatch(name)
    if named:
        return NamedFieldRef(named.group(1), named.group(2))
    raise LineRefused(_("“%s” is no gate. Write it like g12.0, as in: @g12.0 yes") % name[:40])


def _number(name: str, example: str) -> int:
    found = _GATE.fullmatch(name.lower())
    if not found or found.group(2):
        facts = {"name": name[:40], "example": example}
        raise LineRefused(_("“%(name)s” is no session. Write it like g12, as in: %(example)s") % facts)
    return int(found.group(1))


def _duration(text: str, example: str) -> timedelta:
    try:
        return parse_duration(text)
    except DurationRefused:
        facts = {"text": text[:40], "example": example}
        raise LineRefused(
            _("“%(text)s” is no duration. Write one such as 30m or 1h, as in: %(example)s") % facts
        ) from None


def _nothing_after(rest: str, word: str) -> None:
    if rest:
        raise LineRefused(_("“%s” stands alone.") % word)
