"""Migrate paused conversations to another release: a dry run, then the migration, on one page."""

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

MAX_RELEASES = 100


class MappingLineRefused(Exception):
    """A line of the mapping does not read `flow.old_step = new_step`."""


@needs(may_publish)
@require_http_methods(["GET", "POST"])
def move_conversations(request: HttpRequest, assistant: str) -> HttpResponse:
    """GET is a dry run; POST migrates the conversations that can be, a batch at a time."""
    home = get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)
    parameters = request.POST if request.method == "POST" else request.GET
    facts: dict[str, Any] = {
        "assistant": home,
        "releases": home.releases.filter(trial=False).order_by("-number")[:MAX_RELEASES],
        "old": _release_by_number(home, parameters.get("old", "")),
        "new": _release_by_number(home, parameters.get("new", "")) or home.active_release,
        "steps": parameters.get("steps", ""),
        "seen": set(),
        "refusal": "",
        "batch": None,
        "done": False,
    }
    if facts["old"] and facts["new"]:
        facts |= _migrated_batch(request, facts)
    return render(request, "dialogue/releases/move.html", facts, status=422 if facts["refusal"] else 200)


def _migrated_batch(request: HttpRequest, facts: dict[str, Any]) -> dict[str, Any]:
    carry_out = request.method == "POST"
    try:
        migration = Migration(facts["old"], facts["new"], _step_mapping(facts["steps"]))
    except MappingLineRefused as error:
        return {"refusal": _("“%s” does not map a step. Write flow.old_step = new_step.") % error}
    except MapRefused as error:
        return {"refusal": str(error)}
    user = account_of_request(request)
    parameters = request.POST if carry_out else request.GET
    cursor = _uuid_or_none(parameters.get("after", ""))
    paused_count = migration.open_conversations().count()
    batch = migration.carry_out(user, cursor) if carry_out else migration.dry_run(cursor)
    ids = [report.conversation for report in batch.reports]
    visible_ids = visible_conversations(person_of_request(request)).filter(pk__in=ids).values_list("pk", flat=True)
    moved, stayed = _number_in(parameters, "moved"), _number_in(parameters, "stayed")
    if carry_out:
        moved, stayed = moved + batch.possible_count, stayed + len(ids) - batch.possible_count
    counts = {
        "moved": moved,
        "stayed": stayed,
        "tried": moved + stayed,
        "all": max(paused_count + _number_in(parameters, "moved"), 1),
    }
    return {"batch": batch, "done": carry_out, "left": paused_count, "seen": set(visible_ids), "counts": counts}


def _number_in(parameters: Mapping[str, str], name: str) -> int:
    """A count that the page before sent along; it is only shown."""
    text = parameters.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _uuid_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _release_by_number(home: Assistant, number: str) -> Release | None:
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        return None
    return home.releases.filter(number=int(number), trial=False).first()


def _step_mapping(text: str) -> dict[str, str]:
    step_mapping = {}
    for line in text[:20_000].splitlines():
        if not line.strip():
            continue
        source, equals_sign, target = (part.strip() for part in line.partition("="))
        if not equals_sign or "." not in source or not target:
            raise MappingLineRefused(line.strip()[:80])
        step_mapping[source] = target.removeprefix(source.partition(".")[0] + ".")
    return step_mapping
