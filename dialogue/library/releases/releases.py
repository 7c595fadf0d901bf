"""Releases: publishing what the flows' heads say, and going back to an earlier release."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group
from django.db import transaction

from dialogue.audit import chain
from dialogue.conf import soni
from dialogue.engine.actions import registry
from dialogue.engine.language.compiler import Assistant as Definition
from dialogue.engine.language.compiler import Human, check_documents, load_assistant
from dialogue.engine.language.documents import digest_of
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.versions import Author, documents_of, heads_of
from dialogue.models import Assistant, FlowVersion, Release
from dialogue.models.account import Account
from dialogue.turns import clock
from dialogue.turns.compiled_releases import registered_actions
from dialogue.turns.process.crash_points import crash_point

ENGINE_VERSION = "1"
"""Grows when conversations that began under the engine before cannot be resumed without a word."""


class StaleRelease(Exception):
    """Another author published or saved a flow after you looked. Look at it again, then publish."""


class OwnWork(Exception):
    """You wrote some of what would be published; this installation requires another person to publish it."""


class ReleaseNotFound(Exception):
    """This assistant has no release of that number."""


@dataclass(frozen=True)
class PublishRequest:
    """What the person who publishes says: why, and what they saw when they looked.

    `base` is the number of the release that was active (None: any), `seen_digest` the digest of the texts (empty: any).
    """

    note: str = ""
    base: int | None = None
    seen_digest: str = ""


def publish(
    assistant: Assistant,
    by: Author = None,
    intent: PublishRequest | str = "",
    *,
    actions: Collection[str] | None = None,
) -> Release:
    """Make the heads of all flows the active release, in one transaction with its audit entry.

    `actions` are the names that count as registered; None: those that the modules of `SONI_ACTIONS` registered.
    Raises FlowProblems when the verifier finds an error or an action has no Python behind it, StaleRelease, OwnWork.
    """
    request = PublishRequest(intent) if isinstance(intent, str) else intent
    heads = heads_of(assistant)
    documents = {version.flow.filename: version.text for version in heads}
    if request.seen_digest not in ("", digest_of(documents)):
        raise StaleRelease
    if by is not None and by in own_work(assistant, heads):
        raise OwnWork
    definition = check_publishable(documents, actions)
    with transaction.atomic():
        row = _lock_assistant(assistant, heads, request)
        _create_groups(definition)
        release = _create_release(row, heads, digest_of(documents), by, request.note)
        crash_point("E1")
        _point_to(row, release, "release_published", by)
    return release


def own_work(assistant: Assistant, heads: list[FlowVersion]) -> set[Account]:
    """Who wrote what is not published yet, where the setting keeps authors from publishing; else an empty set."""
    if not soni.SEPARATE_PUBLISHER:
        return set()
    active = assistant.active_release
    published = set(active.versions.values_list("pk", flat=True)) if active else set()
    return {version.author for version in heads if version.pk not in published and version.author is not None}


def is_published(assistant: Assistant) -> bool:
    """Whether the active release is what the heads say."""
    active = assistant.active_release
    return active is not None and active.sha256 == digest_of(documents_of(assistant))


def activate(
    assistant: Assistant, number: int, by: Author = None, *, note: str = "", base: int | None = None
) -> Release:
    """Make an earlier release the active one again. Conversations that run stay on theirs.

    `note` says why, for the audit. `base` is the number of the release that was active when the person looked; None:
    any. Raises ReleaseNotFound, StaleRelease, or FlowProblems when today's engine or actions no longer carry that
    release.
    """
    release = Release.objects.filter(assistant=assistant, number=number, trial=False).first()
    if release is None:
        raise ReleaseNotFound(number)
    check_publishable(release.documents())
    with transaction.atomic():
        row = Assistant.objects.select_for_update(of=("self",)).select_related("active_release").get(pk=assistant.pk)
        if base not in (None, row.active_release.number if row.active_release else 0):
            raise StaleRelease
        _point_to(row, release, "release_activated", by, note)
    return release


def check_publishable(documents: dict[str, str], actions: Collection[str] | None = None) -> Definition:
    """The assistant that the documents make; raises FlowProblems for whatever keeps them from being published."""
    known_actions = registered_actions() if actions is None else actions
    misfit = registry.mismatch if actions is None else None
    errors = [problem for problem in check_documents(documents, known_actions, misfit) if problem.severity == "error"]
    if errors:
        raise FlowProblems(errors)
    return load_assistant(documents)


def _lock_assistant(assistant: Assistant, heads: list[FlowVersion], intent: PublishRequest) -> Assistant:
    """The assistant's row, locked; StaleRelease when it is not as it was when the documents were checked."""
    row = Assistant.objects.select_for_update(of=("self",)).select_related("active_release").get(pk=assistant.pk)
    active = row.active_release.number if row.active_release else 0
    if intent.base not in (None, active) or heads_of(row) != heads:
        raise StaleRelease
    return row


def _create_groups(definition: Definition) -> None:
    for name in sorted(set(named_groups(definition))):
        Group.objects.get_or_create(name=name)


def named_groups(definition: Definition) -> Iterator[str]:
    """Every group and role that a human step of the assistant names."""
    for flow in definition.flows.values():
        for step in flow.all_steps():
            if isinstance(step, Human):
                yield from _groups_of(step)


def has_computed_groups(definition: Definition) -> bool:
    """Whether a human step's group is an expression: which groups there will be is then known only when it opens."""
    steps = (step for flow in definition.flows.values() for step in flow.all_steps())
    return any(isinstance(step, Human) and "group" in step.computed_settings for step in steps)


def _groups_of(step: Human) -> Iterator[str]:
    names = [step.group, step.escalate.role if step.escalate else None, *(channel.role for channel in step.channels)]
    return (name for name in names if isinstance(name, str) and name)


def _create_release(row: Assistant, heads: list[FlowVersion], sha256: str, by: Author, note: str) -> Release:
    last = row.releases.order_by("-number").values_list("number", flat=True).first() or 0
    release = Release.objects.create(
        assistant=row,
        number=last + 1,
        sha256=sha256,
        engine_version=ENGINE_VERSION,
        note=note[:500],
        published_by=by,
    )
    release.versions.set(heads)
    return release


def _point_to(row: Assistant, release: Release, act: str, by: Author, reason: str = "") -> None:
    before = row.active_release.number if row.active_release else None
    row.active_release = release
    row.save(update_fields=["active_release"])
    facts: dict[str, Any] = {"release": release.number, "before": before, "sha256": release.sha256}
    name = by.get_username() if by else "system"
    detail = {"note": release.note} | ({"reason": reason[:500]} if reason else {})
    done = chain.Act(act, name, by.pk if by else None, row.name, facts, detail)
    chain.record(chain.CONSOLE, [done], clock.now())
