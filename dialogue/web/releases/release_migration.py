"""Migrate paused conversations to another release: a dry run, then the migration, on one page."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from dialogue.library.releases.migration_apply import MapRefused, Migration, MoveReport
from dialogue.models import Assistant, Release
from dialogue.turns.compiled_releases import assistant_of
from dialogue.web.releases.dry_run_steps import places_in_words, step_outcomes
from dialogue.web.releases.move_words import MoveWords
from dialogue.web.releases.open_conversations import conversations_by_release
from dialogue.web.releases.step_table import FIELD_PREFIX, step_rows
from dialogue.web.shared.people import account_of_request, needs, person_of_request
from dialogue.web.shared.permissions import may_publish
from dialogue.web.shared.scope import visible_conversations
from dialogue.web.shared.words.findings import in_words

MAX_RELEASES = 100
MAX_CHOSEN_STEPS = 1_000


class MappingLineRefused(Exception):
    """A line of the mapping does not read `flow.old_step = new_step`."""


@dataclass(frozen=True)
class ReleaseChoice:
    """A release to choose, with how many conversations are in the middle of a flow on it."""

    release: Release
    open: int


@needs(may_publish)
@require_http_methods(["GET", "POST"])
def move_conversations(request: HttpRequest, assistant: str) -> HttpResponse:
    """GET is the table of steps with a dry run; POST moves the conversations that can be, a batch at a time."""
    home = get_object_or_404(Assistant.objects.select_related("active_release"), name=assistant)
    parameters = request.POST if request.method == "POST" else request.GET
    old_text, new_text = parameters.get("old", ""), parameters.get("new", "")
    old, new = _release_by_number(home, old_text), _release_by_number(home, new_text)
    if request.method == "GET" and not old_text and not new_text:
        old = _only_other_release(home)
    facts: dict[str, Any] = {
        "assistant": home,
        "old": old,
        "new": new or home.active_release,
        "seen": set(),
        "refusal": _release_refusal(old_text, old, new_text, new),
        "batch": None,
        "done": False,
    }
    if old and facts["new"] and not facts["refusal"]:
        facts |= _migrated_batch(request, old, facts["new"])
    facts["choices"] = _release_choices(home)  # after the move, which changes how many are open
    return render(request, "dialogue/releases/move.html", facts, status=422 if facts["refusal"] else 200)


def _release_choices(home: Assistant) -> list[ReleaseChoice]:
    open_counts = conversations_by_release(home)
    rows = home.releases.filter(trial=False).order_by("-number")[:MAX_RELEASES]
    return [ReleaseChoice(row, open_counts.get(row.number, 0)) for row in rows]


def _only_other_release(home: Assistant) -> Release | None:
    """The release with open conversations beside the active one; None where there are several, or none."""
    active = home.active_release.number if home.active_release else 0
    numbers = [number for number, count in conversations_by_release(home).items() if count and number != active]
    return home.releases.filter(number=numbers[0], trial=False).first() if len(numbers) == 1 else None


def _release_refusal(old_text: str, old: Release | None, new_text: str, new: Release | None) -> str:
    """Why these two releases cannot be chosen; empty when they can."""
    if (old_text and old is None) or (new_text and new is None):
        return _("There is no release “%s” any more. Choose another one.") % (new_text if old else old_text)[:20]
    if old is not None and old == new:
        return _("Both sides are release %(number)s. Choose two different releases.") % {"number": old.number}
    return ""


def _migrated_batch(request: HttpRequest, old: Release, new: Release) -> dict[str, Any]:
    carry_out = request.method == "POST"
    parameters = request.POST if carry_out else request.GET
    try:
        mapping = {**_step_mapping(parameters.get("steps", "")), **_chosen_steps(parameters)}
        migration = Migration(old, new, mapping)
    except MappingLineRefused as error:
        return {"refusal": _("“%s” does not map a step. Write flow.old_step = new_step.") % error}
    except MapRefused as error:
        return {"refusal": "; ".join(map(in_words, error.mistakes))}
    user = account_of_request(request)
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
    rows = [] if carry_out and batch.last else step_rows(old, new, mapping)
    words = MoveWords(assistant_of(old), assistant_of(new))
    return {
        "batch": batch,
        "rows": rows,
        "done": carry_out,
        "left": paused_count,
        # Of a batch that is not the last, the conversations behind it were not tried.
        "affected": paused_count if batch.last else batch.possible_count,
        "staying": len(ids) - batch.possible_count,
        "losing": sum(report.is_possible and bool(report.lost) for report in batch.reports),
        "seen": set(visible_ids),
        "counts": counts,
        "reasons": Counter(text for report in batch.reports for text in words.reasons(report.refusals)).most_common(),
        "outcomes": [] if carry_out else step_outcomes(old, new, mapping, batch.reports),
        "each": [] if carry_out else _each_report(old, batch.reports, words),
        "steps": "\n".join(f"{source} = {target}" for source, target in mapping.items()),
    }


def _each_report(old: Release, reports: list[MoveReport], words: MoveWords) -> list[dict[str, Any]]:
    """Each report with the places of its conversation, what it loses and why it stays, in words."""
    places = places_in_words(old, reports)
    return [
        {
            "report": report,
            "place": ", ".join(places[place] for place in report.steps),
            "lost": words.losses(report.lost),
            "reasons": words.reasons(report.refusals),
        }
        for report in reports
    ]


def _chosen_steps(parameters: Mapping[str, str]) -> dict[str, str]:
    """The steps that the table's selects name; a step without a choice is not mapped."""
    fields = [name for name in parameters if name.startswith(FIELD_PREFIX)][:MAX_CHOSEN_STEPS]
    return {name.removeprefix(FIELD_PREFIX): parameters[name][:200] for name in fields if parameters[name]}


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
