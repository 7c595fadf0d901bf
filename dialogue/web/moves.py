"""The buttons of a gate besides its answers: each one call of the desk's door, with at most one thing to ask for."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.desk import door
from dialogue.desk.people import Caller
from dialogue.engine.durations import parse_duration


class MoveRefused(Exception):
    """What was asked for is no move, or its duration cannot be read."""

    def __init__(self, detail: str, status: int = 422) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status


@dataclass(frozen=True)
class MenuMove:
    """An entry of the menu "more": what stands on it, what it asks for, and under which name the desk allows it."""

    name: str
    title: str | Promise
    asks: str | Promise
    field: str
    allowed_as: str


MENU = (
    MenuMove("note", gettext_lazy("Write a note"), gettext_lazy("For the history"), "text", "note"),
    MenuMove("expire", gettext_lazy("Expire now"), gettext_lazy("Why?"), "reason", "expire"),
    MenuMove("takeover", gettext_lazy("Take over"), gettext_lazy("Why?"), "reason", "take_over"),
    MenuMove("extend", gettext_lazy("Extend the deadline"), gettext_lazy("By how long? 30m, 2h, 1d"), "duration", "extend"),
    MenuMove("cancel", gettext_lazy("Withdraw"), gettext_lazy("Why?"), "reason", "cancel"),
    MenuMove("retry", gettext_lazy("Deliver again"), "", "", "retry"),
    MenuMove("abandon", gettext_lazy("Give the delivery up"), gettext_lazy("Why?"), "reason", "abandon"),
)


def make_move(name: str, number: int, caller: Caller, given: Mapping[str, str]) -> int:
    """Do it; gives the status. Raises Refused, MoveRefused."""
    reason = given.get("reason", "")
    match name:
        case "claim":
            return door.claim(number, caller).status
        case "release":
            return door.release(number, caller).status
        case "takeover":
            return door.take_over(number, caller, reason=reason).status
        case "expire":
            return door.expire(number, caller, reason=reason).status
        case "cancel":
            return door.cancel(number, caller, reason=reason).status
        case "note":
            return door.note(number, caller, given.get("text", "")).status
        case "retry":
            return door.retry(number, caller).status
        case "abandon":
            return door.abandon(number, caller, reason=reason).status
        case _:
            return _timed(name, number, caller, given.get("duration", ""))


def _timed(name: str, number: int, caller: Caller, text: str) -> int:
    try:
        duration = parse_duration(text)
    except ValueError as why:
        raise MoveRefused(_("“%s” is no duration. Write one such as 30m, 2h or 1d.") % text[:40]) from why
    match name:
        case "snooze":
            return door.snooze(number, caller, duration).status
        case "extend":
            return door.extend(number, caller, by=duration).status
        case _:
            raise MoveRefused(_("There is nothing of that name to do here."), status=404)
