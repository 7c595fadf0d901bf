"""Moving paused conversations to another release: a dry run first, on the same page that then does it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dialogue.library.releases.migration_apply import MapRefused, Migration
from dialogue.models import Assistant, Release
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_publish
from dialogue.web.shared.scope import visible_conversations

RELEASES = 100


class LineRefused(Exception):
    """A line of the map is no `flow.old_step = new_step`."""


@needs(may_publish)
@require_http_methods(["GET", "POST"])
def move(request: HttpRequest, assistant: str) -> HttpResponse:
    """GET tells what would be lost and what would stay; POST moves what can be moved, a batch at a time."""
    home = get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)
    given = request.POST if request.method == "POST" else request.GET
    facts: dict[str, Any] = {
        "assistant": home,
        "releases": home.releases.filter(trial=False).order_by("-number")[:RELEASES],
        "old": _release(home, given.get("old", "")),
        "new": _release(home, given.get("new", "")) or home.active_release,
        "steps": given.get("steps", ""),
        "seen": set(),
        "refusal": "",
        "batch": None,
        "done": False,
    }
    if facts["old"] and facts["new"]:
        facts |= _reported(request, facts)
    return render(request, "dialogue/releases/move.html", facts, status=422 if facts["refusal"] else 200)


def _reported(request: HttpRequest, facts: dict[str, Any]) -> dict[str, Any]:
    done = request.method == "POST"
    try:
        migration = Migration(facts["old"], facts["new"], _steps(facts["steps"]))
    except LineRefused as why:
        return {"refusal": _("“%s” is no line of a map. Write flow.old_step = new_step.") % why}
    except MapRefused as why:
        return {"refusal": str(why)}
    user = account_of_request(request)
    given = request.POST if done else request.GET
    after = _key(given.get("after", ""))
    left = migration.open_conversations().count()
    batch = migration.carry_out(user, after) if done else migration.dry_run(after)
    ids = [report.conversation for report in batch.reports]
    seen = visible_conversations(person_of_request(request)).filter(pk__in=ids).values_list("pk", flat=True)
    moved, stayed = _count(given, "moved"), _count(given, "stayed")
    if done:
        moved, stayed = moved + batch.possible_count, stayed + len(ids) - batch.possible_count
    counts = {"moved": moved, "stayed": stayed, "tried": moved + stayed, "all": max(left + _count(given, "moved"), 1)}
    return {"batch": batch, "done": done, "left": left, "seen": set(seen), "counts": counts}


def _count(given: Mapping[str, str], name: str) -> int:
    """A number that the page before said of itself; it is only shown."""
    text = given.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _key(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _release(home: Assistant, number: str) -> Release | None:
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        return None
    return home.releases.filter(number=int(number), trial=False).first()


def _steps(text: str) -> dict[str, str]:
    steps = {}
    for line in text[:20_000].splitlines():
        if not line.strip():
            continue
        source, found, target = (part.strip() for part in line.partition("="))
        if not found or "." not in source or not target:
            raise LineRefused(line.strip()[:80])
        steps[source] = target.removeprefix(source.partition(".")[0] + ".")
    return steps
