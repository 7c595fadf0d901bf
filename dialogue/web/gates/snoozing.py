"""For how long a gate may be snoozed: what the menu offers, and what may be typed there."""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from dialogue.desk.forms.refusals import clock_time
from dialogue.desk.sessions.claims import beyond_deadline
from dialogue.engine.slots.durations import parse_duration
from dialogue.models import HITLSession
from dialogue.turns import clock

MORNING = "09:00"
OFFERED = ("15m", "1h", MORNING)
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")


@dataclass(frozen=True)
class SnoozeChoice:
    """One entry of the menu: what it sends, what stands on it, and whether the gate would have expired by then."""

    span: str
    label: str
    until: datetime
    beyond: bool

    @property
    def until_words(self) -> str:
        return clock_time(self.until)


def snooze_choices(session: HITLSession) -> list[SnoozeChoice]:
    """What the menu offers for this session, counted from now."""
    now = clock.now()
    labels = {"15m": _("15 min"), "1h": _("1 h"), MORNING: _("Until %s") % MORNING}
    moments = {span: now + span_of(span, now) for span in OFFERED}
    return [
        SnoozeChoice(span, labels[span], moments[span], beyond_deadline(session, moments[span])) for span in OFFERED
    ]


def is_snoozed(session: HITLSession) -> bool:
    return session.follow_up_at is not None and session.follow_up_at > clock.now()


def span_of(text: str, now: datetime) -> timedelta:
    """How long "45m", or the next "14:30" of this server's zone, is from now. Raises DurationRefused."""
    found = _TIME.fullmatch(text.strip())
    if not found:
        return parse_duration(text.strip())
    local = localtime(now)
    moment = datetime.combine(local.date(), time(int(found[1]), int(found[2])), local.tzinfo)
    if moment <= local:
        moment = datetime.combine(local.date() + timedelta(days=1), moment.timetz())
    return moment - now
