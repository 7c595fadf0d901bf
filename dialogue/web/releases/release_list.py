"""The list of releases, which also lies under its dialogs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.http import Http404, HttpRequest

from dialogue.desk.queue.keyset import NotOffered, keyset_page
from dialogue.library.documents.step_changes import StepChange, changed_steps
from dialogue.library.releases.releases import is_published
from dialogue.models import Assistant, AuditDetail, AuditEntry, FlowVersion, Release
from dialogue.models.account import accounts, display_name
from dialogue.web.flows.version_rows import MAX_NAMED_CHANGES
from dialogue.web.releases.open_conversations import conversations_by_release
from dialogue.web.shared.people import person_of_request
from dialogue.web.shared.permissions import may_publish

ROWS_PER_PAGE = 50
MAX_ACTIVATIONS = 200
"""Activations that the list looks at, the newest."""


@dataclass(frozen=True)
class Activation:
    """When a release was last made the active one again, by whom and why."""

    at: datetime
    actor: str
    reason: str


@dataclass(frozen=True)
class ReleaseRow:
    """A release with how many conversations are in the middle of a flow on it, and when it was activated again.

    `changes` are the steps that differ from the release before, of which the list names the first ones.
    """

    release: Release
    open: int
    activation: Activation | None
    changes: list[StepChange]
    is_first: bool

    @property
    def named_changes(self) -> list[StepChange]:
        return self.changes[:MAX_NAMED_CHANGES]

    @property
    def unnamed_count(self) -> int:
        return len(self.changes) - len(self.named_changes)


def release_list(request: HttpRequest, home: Assistant) -> dict[str, Any]:
    """What the list shows. Raises Http404 for a cursor that the list did not give."""
    rows = home.releases.filter(trial=False).select_related("published_by")
    try:
        releases_page = keyset_page(rows, ("-number", "-id"), cursor=request.GET.get("after", ""), limit=ROWS_PER_PAGE)
    except NotOffered as refused:
        raise Http404 from refused
    open_counts, activations = conversations_by_release(home), newest_activations(home)
    changes = _changes_by_release(home, releases_page.rows)
    return {
        "assistant": home,
        "page": releases_page,
        "rows": [
            ReleaseRow(
                row,
                open_counts.get(row.number, 0),
                activations.get(row.number),
                changes.get(row.pk, []),
                is_first=row.pk not in changes,
            )
            for row in releases_page.rows
        ],
        "publishes": may_publish(person_of_request(request)),
        "nothing_new": is_published(home),
        "new": _activated_number(home, request.GET.get("new", "")),
        "new_since": _active_since(home, activations),
        "before": _release_to_restore(home, request.GET.get("before", "")),
    }


def _changes_by_release(home: Assistant, rows: Sequence[Release]) -> dict[int, list[StepChange]]:
    """What each release changed since the one before, by its key; the first release has no entry.

    Only the texts of documents that differ are read.
    """
    if not rows:
        return {}
    before = home.releases.filter(trial=False, number__lt=rows[-1].number).order_by("-number").first()
    releases = [*rows, before] if before else list(rows)
    versions: dict[int, set[int]] = {release.pk: set() for release in releases}
    links = Release.versions.through.objects.filter(release_id__in=versions.keys())
    for release, version in links.values_list("release_id", "flowversion_id"):
        versions[release].add(version)
    pairs = list(pairwise(releases))
    differing = {version for new, old in pairs for version in versions[new.pk] ^ versions[old.pk]}
    texts = FlowVersion.objects.filter(pk__in=differing).select_related("flow").in_bulk()

    def documents_of(keys: set[int]) -> dict[str, str]:
        return {texts[key].flow.filename: texts[key].text for key in sorted(keys)}

    return {
        new.pk: changed_steps(
            documents_of(versions[old.pk] - versions[new.pk]), documents_of(versions[new.pk] - versions[old.pk])
        )
        for new, old in pairs
    }


def newest_activations(assistant: Assistant) -> dict[int, Activation]:
    """By the number of a release: when it was last activated again, by whom and why."""
    entries = AuditEntry.objects.filter(act="release_activated", subject=assistant.name).order_by("-at", "-pk")
    rows = list(entries[:MAX_ACTIVATIONS])
    details = dict(AuditDetail.objects.filter(entry__in=rows).values_list("entry_id", "text"))
    people = accounts().in_bulk([row.actor_id for row in rows if row.actor_id])
    names = {row.pk: display_name(people[row.actor_id]) for row in rows if row.actor_id in people}
    return {
        row.facts["release"]: Activation(
            row.at, names.get(row.pk, row.actor), str(details.get(row.pk, {}).get("reason", ""))
        )
        for row in reversed(rows)
    }


def _activated_number(home: Assistant, text: str) -> str:
    """The number of the release that was just activated; empty when another one is active by now."""
    return text if home.active_release and text == str(home.active_release.number) else ""


def _active_since(home: Assistant, activations: Mapping[int, Activation]) -> datetime | None:
    active = home.active_release
    if active is None:
        return None
    return activations[active.number].at if active.number in activations else active.published_at


def _release_to_restore(home: Assistant, text: str) -> Release | None:
    """The release that was active before, to return to; None when it is the active one."""
    is_number = text.isascii() and text.isdigit() and len(text) < 9
    release = home.releases.filter(number=int(text), trial=False).first() if is_number else None
    return release if release and release.pk != home.active_release_id else None
