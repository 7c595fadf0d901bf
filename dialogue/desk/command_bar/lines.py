"""The command language of the command bar, the terminal and the chat box, parsed into frozen commands.

    input g12.0 yes      @g12.0 yes      @g12 yes (only one open field)      submit g12 approve [reason…]
    claim g12            release g12     expire g12 reason…                 cancel g12 reason…
    snooze g12 1h        unsnooze g12    next                               mute 1h                 unmute

`@approval.daily_limit 9000` names a field by its step and its name. In a chat box a line that begins with `@g<digits>`
answers a field, and `@@` sends a literal `@`.
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
    """`g12.0`, the first field of g12; without a position, the only unanswered field of g12."""

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
    """Answer one field with what was typed."""

    field: FieldRef | NamedFieldRef
    text: str

    def __str__(self) -> str:
        return _("Answer %(gate)s with “%(text)s”") % {"gate": self.field, "text": self.text}


@dataclass(frozen=True)
class Submit:
    """Choose an action of a session, with the field answers stored before."""

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
        return _("Snooze g%(number)s for %(duration)s") % facts


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
        return _("Mute for %s") % format_duration(self.duration)


@dataclass(frozen=True)
class Unmute:
    def __str__(self) -> str:
        return _("Unmute")


@dataclass(frozen=True)
class Say:
    """A message to the customer; in chat boxes only."""

    text: str

    def __str__(self) -> str:
        return _("Say “%s”") % self.text


Command = Input | Submit | Claim | Release | Expire | Cancel | Snooze | Unsnooze | Next | Mute | Unmute

_NAME = r"[a-z][a-z0-9_]{0,63}"
_FIELD = re.compile(r"g([0-9]{1,18})(?:\.([0-9]{1,4}))?")
_NAMED_FIELD = re.compile(rf"(?!g[0-9]+\.)({_NAME})\.({_NAME})")
_CHAT_FIELD = re.compile(r"@g[0-9]")


def parse_line(line: str) -> Command:
    """Parse a line into a command. Raises LineRefused, whose text says what to write instead."""
    text = line.strip()
    if len(text) > MAX_LINE_CHARACTERS:
        raise LineRefused(_("This line is too long."))
    if text.startswith("@"):
        return _read_input(text[1:])
    word, rest = _first_word(text)
    reader = _READERS.get(word.lower())
    if reader is None:
        raise LineRefused(
            _("“%(word)s” is not a command. Choose: %(known)s.")
            % {"word": word[:40], "known": ", ".join(["@g12", *_READERS])}
        )
    return reader(rest)


def parse_chat_line(line: str) -> Input | Say:
    """Parse a line of an operator's chat box: `@g<digits>` answers a field, everything else goes to the customer.

    Raises LineRefused.
    """
    if line.startswith("@@"):
        return Say(line[1:])
    return _read_input(line[1:]) if _CHAT_FIELD.match(line) else Say(line)


def _read_input(rest: str) -> Input:
    name, text = _first_word(rest)
    return Input(_read_field(name), text)


def _read_submit(rest: str) -> Submit:
    name, rest = _first_word(rest)
    action, reason = _first_word(rest)
    return Submit(_session_number(name, "submit g12 approve"), action, reason)


def _read_claim(rest: str) -> Claim:
    return Claim(_session_number(rest, "claim g12"))


def _read_release(rest: str) -> Release:
    return Release(_session_number(rest, "release g12"))


def _read_expire(rest: str) -> Expire:
    name, reason = _first_word(rest)
    return Expire(_session_number(name, "expire g12 reason"), reason)


def _read_cancel(rest: str) -> Cancel:
    name, reason = _first_word(rest)
    return Cancel(_session_number(name, "cancel g12 reason"), reason)


def _read_snooze(rest: str) -> Snooze:
    name, duration = _first_word(rest)
    return Snooze(_session_number(name, "snooze g12 1h"), _read_duration(duration, "snooze g12 1h"))


def _read_unsnooze(rest: str) -> Unsnooze:
    return Unsnooze(_session_number(rest, "unsnooze g12"))


def _read_next(rest: str) -> Next:
    _check_nothing_follows(rest, "next")
    return Next()


def _read_mute(rest: str) -> Mute:
    return Mute(_read_duration(rest, "mute 1h"))


def _read_unmute(rest: str) -> Unmute:
    _check_nothing_follows(rest, "unmute")
    return Unmute()


_READERS: dict[str, Callable[[str], Command]] = {
    "input": _read_input,
    "submit": _read_submit,
    "claim": _read_claim,
    "release": _read_release,
    "expire": _read_expire,
    "cancel": _read_cancel,
    "snooze": _read_snooze,
    "unsnooze": _read_unsnooze,
    "next": _read_next,
    "mute": _read_mute,
    "unmute": _read_unmute,
}


COMMANDS = tuple(_READERS)
"""The words that a line may begin with, besides `@g12`."""


def _first_word(text: str) -> tuple[str, str]:
    word, *rest = text.split(maxsplit=1) or [""]
    return word, "".join(rest).strip()


def _read_field(name: str) -> FieldRef | NamedFieldRef:
    match = _FIELD.fullmatch(name.lower())
    if match:
        position = match.group(2)
        return FieldRef(int(match.group(1)), None if position is None else int(position))
    named_match = _NAMED_FIELD.fullmatch(name)
    if named_match:
        return NamedFieldRef(named_match.group(1), named_match.group(2))
    raise LineRefused(_("“%s” is not a field. Write it like g12.0, as in: @g12.0 yes") % name[:40])


def _session_number(name: str, example: str) -> int:
    match = _FIELD.fullmatch(name.lower())
    if not match or match.group(2):
        facts = {"name": name[:40], "example": example}
        raise LineRefused(_("“%(name)s” is not a gate. Write it like g12, as in: %(example)s") % facts)
    return int(match.group(1))


def _read_duration(text: str, example: str) -> timedelta:
    try:
        return parse_duration(text)
    except DurationRefused:
        facts = {"text": text[:40], "example": example}
        raise LineRefused(
            _("“%(text)s” is not a duration. Write one such as 30m or 1h, as in: %(example)s") % facts
        ) from None


def _check_nothing_follows(rest: str, word: str) -> None:
    if rest:
        raise LineRefused(_("“%s” takes nothing after it.") % word)
