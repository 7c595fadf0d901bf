"""The status page, for the people who run the service: what is good or bad, and what to do."""

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Any

from django.db import connection
from django.db.models import Count, Min, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET

from dialogue.conf import soni
from dialogue.conf.worker import worker_count
from dialogue.desk.access.people import Person
from dialogue.models import Alert, ChannelConnection, ChannelThread, Event, Notice, WebhookEndpoint
from dialogue.turns import clock
from dialogue.turns.load import MESSAGES_BOUND, waiting_turns
from dialogue.turns.process import jobs, writes
from dialogue.turns.process.code_changes import outdated_modules, unloadable_modules
from dialogue.web.operations.health import missing_services
from dialogue.web.operations.metrics import waiting_counts
from dialogue.web.shared.people import needs, person_of_request
from dialogue.web.shared.permissions import may_see_status, may_see_understanding
from dialogue.web.shared.times import short_span_text

LIBRARIES = {
    "Django": "django",
    "Channels": "channels",
    "Daphne": "daphne",
    "LangGraph": "langgraph",
    "Pydantic": "pydantic",
}
"""Names of libraries as their projects write them, with the names of their packages."""
DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "mysql": "MySQL"}

GOOD, CHECK, PROBLEM = "good", "check", "problem"
_STOPPED = (WebhookEndpoint.Cause.FAILING, WebhookEndpoint.Cause.GONE)
LATE_SECONDS, TOO_LATE_SECONDS = 30, 300
"""How long an accepted message may wait for its turn until the page says "check", and "problem"."""

_WORDS = {GOOD: gettext_lazy("Good"), CHECK: gettext_lazy("Attention"), PROBLEM: gettext_lazy("Problem")}
_SUMMARIES = {
    GOOD: gettext_lazy("Everything works."),
    CHECK: gettext_lazy("It works, but something needs a look."),
    PROBLEM: gettext_lazy("Something does not work."),
}


@dataclass(frozen=True)
class StatusLine:
    """One check: its level (GOOD, CHECK or PROBLEM), a title, how it is, what to do, and a link where that helps.

    `since` is when it became so, where rows tell.
    """

    level: str
    title: str
    state: str
    advice: str = ""
    href: str = ""
    since: datetime | None = None

    @property
    def word(self) -> str | Promise:
        """The level as a word, beside its sign."""
        return _WORDS[self.level]


@dataclass(frozen=True)
class CountSince:
    """How many rows stand at something, and since when the first of them; None without rows."""

    count: int
    since: datetime | None


@needs(may_see_status)
@require_GET
def status_page(request: HttpRequest) -> HttpResponse:
    """What works, what waits and which versions run, the worst first in one sentence."""
    services, work = _service_lines(missing_services()), _work_lines(person_of_request(request))
    level = _worst([*services, *work])
    libraries = [
        ("Python", platform.python_version()),
        *((name, version(package)) for name, package in LIBRARIES.items()),
    ]
    facts = {
        "level": level,
        "summary": _SUMMARIES[level],
        "checked_at": clock.now(),
        "sections": [(_("Services"), services), (_("Work"), work)],
        "libraries": libraries,
    }
    return render(request, "dialogue/status/status.html", facts)


def _worst(lines: Iterable[StatusLine]) -> str:
    levels = {line.level for line in lines}
    return next((level for level in (PROBLEM, CHECK) if level in levels), GOOD)


def _service_lines(missing: list[str]) -> list[StatusLine]:
    lines = [_database_line(), _updates_line("redis" in missing), _workers_line("workers" in missing)]
    if "clock" in missing:
        advice = _("Deadlines are off by as much. Synchronise the clocks of this machine and of the database.")
        lines.append(StatusLine(CHECK, _("Clock"), _("differs from the database's clock"), advice))
    if outdated := outdated_modules():
        state = _("This process runs older code than the files of %s. Restart it.") % ", ".join(outdated)
        lines.append(StatusLine(CHECK, _("Code"), state))
    if unloadable := unloadable_modules():
        state = _("The changed file of %s cannot be loaded. Its old functions stay.") % ", ".join(unloadable)
        lines.append(StatusLine(CHECK, _("Code"), state, _("The log of the server has the reason.")))
    return lines


def _database_line() -> StatusLine:
    title, state = _("Database"), f"{DATABASES.get(connection.vendor, connection.vendor)} {_database_version()}"
    if writes.writes_work():
        return StatusLine(GOOD, title, state)
    advice = _("A write failed, and none has worked since. Check the disk's space and the database's log.")
    return StatusLine(PROBLEM, title, state, advice)


def _updates_line(missing: bool) -> StatusLine:
    title = _("Live updates")
    if not soni.REDIS_URL:
        state = _("between the processes of this machine") if worker_count() > 1 else _("within this server process")
        return StatusLine(GOOD, title, state)
    if not missing:
        return StatusLine(GOOD, title, "Redis")
    advice = _("Pages ask the server every 20 seconds, and no data is lost. Start Redis, or correct REDIS_URL.")
    return StatusLine(CHECK, title, _("Redis does not answer"), advice)


def _workers_line(missing: bool) -> StatusLine:
    title = _("Where messages are answered")
    if not jobs.have_workers():
        several = _("%s processes on this machine") % worker_count()
        return StatusLine(GOOD, title, several if worker_count() > 1 else _("in this server process"))
    if not missing:
        return StatusLine(GOOD, title, _("workers"))
    advice = _("Messages are kept, but not answered. Start a worker: manage.py worker")
    return StatusLine(PROBLEM, title, _("no worker is alive"), advice)


def _work_lines(person: Person) -> list[StatusLine]:
    counts = {name: round(value) for name, _meaning, value in waiting_counts()}
    return [
        _waiting_line(counts["due_events"], counts["due_seconds"]),
        _load_line(waiting_turns()),
        _failed_line(_count_since(Event.objects.filter(state=Event.State.INCIDENT), "accepted_at")),
        _mail_line(_count_since(Notice.objects.filter(state=Notice.State.INCIDENT), "made_at")),
        *_webhook_lines(_count_since(WebhookEndpoint.objects.filter(paused_because__in=_STOPPED), "paused_at")),
        *_channel_lines(),
        *_alert_lines(_count_since(Alert.objects.filter(over_at=None), "first_at"), person),
        _gates_line(counts["open_gates"]),
    ]


def _count_since(rows: "QuerySet[Any]", column: str) -> CountSince:
    return CountSince(**rows.aggregate(count=Count("pk"), since=Min(column)))


def _waiting_line(due: int, seconds: int) -> StatusLine:
    title = _("messages and decisions not yet processed")
    if not due:
        return StatusLine(GOOD, title, "0")
    age = short_span_text(timedelta(seconds=seconds))
    state = _("%(count)s, the oldest for %(age)s") % {"count": due, "age": age}
    if seconds < LATE_SECONDS:
        return StatusLine(GOOD, title, state)
    advice = _("Turns are slower than messages arrive. Add workers or a faster machine, and look at slow actions.")
    return StatusLine(PROBLEM if seconds >= TOO_LATE_SECONDS else CHECK, title, state, advice)


def _load_line(waiting: int) -> StatusLine:
    title, bound = _("messages waiting in this server process"), soni.MAX_WAITING_TURNS
    if not bound or waiting < bound:
        return StatusLine(GOOD, title, str(waiting))
    if waiting < bound * MESSAGES_BOUND:
        advice = _("New conversations are asked to wait; those that are open go on.")
    else:
        advice = _("New conversations and messages are asked to wait; nothing that was accepted is lost.")
    more = _("Use more processes or a faster machine, and look at slow actions.")
    state = _("%(count)s, from %(bound)s on it is too much") % {"count": waiting, "bound": bound}
    return StatusLine(CHECK, title, state, f"{advice} {more}")


def _failed_line(failed: CountSince) -> StatusLine:
    title = _("messages that could not be answered")
    if not failed.count:
        return StatusLine(GOOD, title, "0")
    advice = _("Open these conversations, and retry or give up the turn.")
    href = reverse("dialogue:conversations") + "?q=failed&tests=too"
    return StatusLine(PROBLEM, title, str(failed.count), advice, href, failed.since)


def _mail_line(failed: CountSince) -> StatusLine:
    title = _("mails that could not be sent")
    if not failed.count:
        return StatusLine(GOOD, title, "0")
    advice = _("Check the mail server's settings. The gate's page sends a link again.")
    return StatusLine(CHECK, title, str(failed.count), advice, since=failed.since)


def _webhook_lines(stopped: CountSince) -> list[StatusLine]:
    if not stopped.count:
        return []
    advice = _("Their events wait. Send a test, and resume them when it arrives.")
    title, href = _("webhooks that take nothing"), reverse("dialogue:webhooks")
    return [StatusLine(CHECK, title, str(stopped.count), advice, href, stopped.since)]


def _channel_lines() -> list[StatusLine]:
    href, lines = reverse("dialogue:channels"), []
    refused_rows = ChannelConnection.objects.filter(paused_because=ChannelConnection.Cause.REFUSED)
    refused = _count_since(refused_rows, "paused_at")
    if refused.count:
        advice = _("What people write waits at the channel. Enter its credentials again, and resume it.")
        title = _("channels whose credentials are refused")
        lines.append(StatusLine(PROBLEM, title, str(refused.count), advice, href, refused.since))
    failed = ChannelThread.objects.filter(state=ChannelThread.State.FAILED).count()
    if failed:
        advice = _("Send these lines again, or skip them; the lines behind them wait.")
        lines.append(StatusLine(CHECK, _("conversations whose lines could not be sent"), str(failed), advice, href))
    return lines


def _alert_lines(open_alerts: CountSince, person: Person) -> list[StatusLine]:
    if not open_alerts.count:
        return []
    advice = _("Customers get the answers of rules and examples meanwhile. Renew the key.")
    href = reverse("dialogue:understanding") if may_see_understanding(person) else ""
    state = _("the provider refuses the key")
    return [StatusLine(PROBLEM, _("Language model"), state, advice, href, open_alerts.since)]


def _gates_line(open_gates: int) -> StatusLine:
    return StatusLine(GOOD, _("open gates and chats"), str(open_gates), href=reverse("dialogue:gates"))


def _database_version() -> str:
    return ".".join(str(part) for part in connection.get_database_version())
