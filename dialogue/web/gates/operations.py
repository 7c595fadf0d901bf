"""Operations on a gate besides its answers: each is one call of the desk, with at most one input."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any

from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dialogue.desk.access.people import Caller, Person
from dialogue.desk.command_bar.undo import confirmation_of, undo_line
from dialogue.desk.forms.deadlines import deadline_passed
from dialogue.desk.forms.sentences import clock_time
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Outcome
from dialogue.engine.slots.durations import DurationRefused, parse_duration
from dialogue.models import HITLSession
from dialogue.turns import clock

MORNING = "09:00"
OFFERED = ("15m", "1h", MORNING)
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


@dataclass(frozen=True)
class SnoozeChoice:
    """One entry of the snooze menu; `beyond`: the gate would have expired by then."""

    span: str
    label: str
    until: datetime
    beyond: bool

    @property
    def until_text(self) -> str:
        return clock_time(self.until)


def snooze_choices(session: HITLSession) -> list[SnoozeChoice]:
    """Return the snooze menu of this session, counted from now."""
    now = clock.now()
    labels = {"15m": _("15 min"), "1h": _("1 h"), MORNING: _("Until %s") % MORNING}
    moments = {span: now + parse_snooze(span, now) for span in OFFERED}
    return [
        SnoozeChoice(span, labels[span], moments[span], deadline_passed(session, moments[span])) for span in OFFERED
    ]


def is_snoozed(session: HITLSession) -> bool:
    return session.follow_up_at is not None and session.follow_up_at > clock.now()


def parse_snooze(text: str, now: datetime) -> timedelta:
    """Return the span from `now` of "45m", or until the next "14:30" in the server's zone. Raises DurationRefused."""
    time_match = _TIME.fullmatch(text.strip())
    if not time_match:
        return parse_duration(text.strip())
    local = localtime(now)
    moment = datetime.combine(local.date(), time(int(time_match[1]), int(time_match[2])), local.tzinfo)
    if moment <= local:
        moment = datetime.combine(local.date() + timedelta(days=1), moment.timetz())
    return moment - now


class OperationRefused(Exception):
    """The operation does not exist (404), or its input cannot be read (422)."""

    def __init__(self, detail: str, status: int = 422) -> None:
        super().__init__(detail)
        self.detail = detail
        self.status = status


@dataclass(frozen=True)
class MenuEntry:
    """An entry of the menu "more": its title, what it does, the label of its field, and the desk's name for it.

    `ends`: the gate cannot be answered afterwards.
    """

    name: str
    title: str | Promise
    asks: str | Promise
    field: str
    allowed_as: str
    explains: str | Promise = ""
    ends: bool = False


MENU = (
    MenuEntry(
        "expire",
        gettext_lazy("Expire now"),
        gettext_lazy("Why do you end it now?"),
        "reason",
        "expire",
        gettext_lazy("Ends the request as if its time were over."),
        ends=True,
    ),
    MenuEntry(
        "takeover",
        gettext_lazy("Take over"),
        gettext_lazy("Why do you take it over?"),
        "reason",
        "take_over",
        gettext_lazy("Claims the request for you, also if a colleague has it."),
    ),
    MenuEntry(
        "extend",
        gettext_lazy("Extend the deadline"),
        gettext_lazy("By how long: 30m, 2h or 1d"),
        "duration",
        "extend",
        gettext_lazy("Gives everybody more time to answer."),
    ),
    MenuEntry(
        "cancel",
        gettext_lazy("Withdraw"),
        gettext_lazy("Why do you withdraw it?"),
        "reason",
        "cancel",
        gettext_lazy("Removes the request and ends its flow."),
        ends=True,
    ),
    MenuEntry("retry", gettext_lazy("Deliver again"), "", "", "retry"),
    MenuEntry(
        "abandon",
        gettext_lazy("Give the delivery up"),
        gettext_lazy("Why do you give it up?"),
        "reason",
        "abandon",
        gettext_lazy("The decision stays on record, and the conversation never goes on with it."),
    ),
)


def offered_entries(menu: Sequence[MenuEntry], allowed: Collection[str]) -> list[MenuEntry]:
    """Return the entries whose operations are possible. What can be claimed need not be taken over."""
    possible = set(allowed) - {"take_over"} if "claim" in allowed else set(allowed)
    return [entry for entry in menu if entry.allowed_as in possible]


PostData = Mapping[str, str]


def perform_operation(name: str, number: int, caller: Caller, data: PostData) -> int:
    """Run the operation of this name on a gate; return the HTTP status. Raises Refused, OperationRefused."""
    if name in _PLAIN:
        outcome = _PLAIN[name](number, caller)
    elif name in _WITH_REASON:
        outcome = _WITH_REASON[name](number, caller, reason=data.get("reason", ""))
    elif name in _WITH_DATA:
        outcome = _WITH_DATA[name](number, caller, data)
    else:
        raise OperationRefused(_("There is no operation of this name."), status=404)
    return outcome.status


def undo_event(name: str, before: HITLSession, session: HITLSession, person: Person) -> dict[str, Any]:
    """Return what the page is told of an operation that the command bar can undo: `{"soni:done": {text, undo}}`."""
    undo = undo_line(name, before, person.id)
    return {"soni:done": {"text": confirmation_of(name, session), "undo": undo}} if undo else {}


def _snooze(number: int, caller: Caller, data: PostData) -> Outcome:
    text = data.get("duration", "").strip()
    try:
        span = parse_snooze(text, clock.now())
    except DurationRefused as error:
        detail = _("“%s” is neither a duration nor a time. Write one such as 45m, 2h or 14:30.") % text[:40]
        raise OperationRefused(detail) from error
    return service.snooze(number, caller, span)


def _extend(number: int, caller: Caller, data: PostData) -> Outcome:
    text = data.get("duration", "").strip()
    try:
        span = parse_duration(text)
    except DurationRefused as error:
        raise OperationRefused(_("“%s” is not a duration. Write one such as 30m, 2h or 1d.") % text[:40]) from error
    return service.extend(number, caller, by=span)


def _prioritise(number: int, caller: Caller, data: PostData) -> Outcome:
    text = data.get("priority", "").strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(text) < 5):
        raise OperationRefused(_("“%s” is not a whole number.") % text[:40])
    return service.prioritise(number, caller, int(text))


def _tag(number: int, caller: Caller, data: PostData) -> Outcome:
    return service.set_tags(number, caller, data.get("tags", "").split(","))


def _note(number: int, caller: Caller, data: PostData) -> Outcome:
    return service.add_note(number, caller, data.get("text", ""))


_PLAIN: dict[str, Callable[[int, Caller], Outcome]] = {
    "claim": service.claim,
    "release": service.release,
    "unsnooze": service.unsnooze,
    "retry": service.retry_delivery,
}
_WITH_REASON: dict[str, Callable[..., Outcome]] = {
    "takeover": service.take_over,
    "expire": service.expire,
    "cancel": service.cancel,
    "abandon": service.abandon_delivery,
}
_WITH_DATA: dict[str, Callable[[int, Caller, PostData], Outcome]] = {
    "snooze": _snooze,
    "extend": _extend,
    "priority": _prioritise,
    "tags": _tag,
    "note": _note,
}
