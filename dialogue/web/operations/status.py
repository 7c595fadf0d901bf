"""The status page, for the people who run the service."""

import platform
from importlib.metadata import version

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from dialogue.conf import soni
from dialogue.turns.process import jobs
from dialogue.turns.process.code_changes import outdated_modules
from dialogue.web.operations.health import missing_services
from dialogue.web.operations.metrics import waiting_counts
from dialogue.web.shared.people import needs
from dialogue.web.shared.permissions import may_see_status

LIBRARIES = ("django", "channels", "daphne", "langgraph", "pydantic")


@needs(may_see_status)
@require_GET
def status_page(request: HttpRequest) -> HttpResponse:
    """What waits, which services are missing, and which versions run here."""
    missing = missing_services()
    parts = [
        (_("Database"), f"{connection.vendor} {_database_version()}", True),
        (_("Doorbell between processes"), "Redis" if soni.REDIS_URL else _("in memory"), "redis" not in missing),
        (_("Who runs the turns"), _("workers") if jobs.have_workers() else _("this process"), "workers" not in missing),
    ]
    libraries = [("Python", platform.python_version()), *((name, version(name)) for name in LIBRARIES)]
    words = {
        "due_events": _("messages and decisions without their turn"),
        "due_seconds": _("seconds that the oldest of them has waited"),
        "incidents": _("turns that failed for good"),
        "open_gates": _("open gates and chats"),
    }
    waits = [(words[name], round(number)) for name, _meaning, number in waiting_counts()]
    facts = {"parts": parts, "waits": waits, "libraries": libraries, "outdated": outdated_modules()}
    return render(request, "dialogue/status/status.html", facts)


def _database_version() -> str:
    return ".".join(str(part) for part in connection.get_database_version())
