"""Documents as rows: every saved text of a flow is a version, and the newest is its head."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from dialogue.audit import chain
from dialogue.engine.language.compiler import check_documents, load_assistant
from dialogue.engine.language.documents import Assistant as Definition
from dialogue.engine.source.problems import FlowProblems, Problem
from dialogue.library.documents.folders import SUFFIX
from dialogue.models import Assistant, Flow, FlowDraft, FlowVersion
from dialogue.models.account import Account
from dialogue.turns import clock

Author = Account | None
UNKNOWN_BASES: Mapping[str, int] = {}
"""No version is known that the texts were made from."""


class StaleVersion(Exception):
    """Another author saved this flow after you opened it; `theirs` is the version that stands now."""

    def __init__(self, theirs: FlowVersion | None) -> None:
        super().__init__(self.__doc__)
        self.theirs = theirs


class VersionNotFound(Exception):
    """This flow has no version of that number."""


@dataclass(frozen=True)
class Edit:
    """An author's text of one flow; `base` is the number of the version it was made from, 0 for a new flow."""

    name: str
    text: str
    base: int = 0
    note: str = ""


@dataclass(frozen=True)
class ImportPreview:
    """What `store_documents` would do, by names of flows. `digest` changes when that, or one of the texts, does."""

    definition: Definition
    is_new: bool
    added: list[str]
    changed: list[str]
    unchanged: list[str]
    archived: list[str]
    digest: str


def preview_import(documents: Mapping[str, str], bases: Mapping[str, int] = UNKNOWN_BASES) -> ImportPreview:
    """Return what storing these documents would do, without doing it. Raises what `store_documents` raises."""
    definition = load_assistant(documents)
    row = Assistant.objects.filter(name=definition.assistant).first()
    flows = {flow.name: flow for flow in Flow.objects.filter(assistant=row).select_related("head")} if row else {}
    texts = {file.removesuffix(SUFFIX): text for file, text in sorted(documents.items())}
    heads = {name: head_text(flows[name]) if name in flows else None for name in texts}
    changed = [name for name, text in texts.items() if heads[name] != text]
    for name in changed:
        if name in flows:
            _check_base(flows[name], bases.get(f"{name}{SUFFIX}"))
    archived = sorted(name for name, flow in flows.items() if not flow.archived and name not in texts)
    facts = json.dumps([definition.assistant, texts, heads, archived], sort_keys=True)
    return ImportPreview(
        definition,
        is_new=row is None,
        added=[name for name in changed if heads[name] is None],
        changed=[name for name in changed if heads[name] is not None],
        unchanged=[name for name, text in texts.items() if heads[name] == text],
        archived=archived,
        digest=hashlib.sha256(facts.encode()).hexdigest(),
    )


@transaction.atomic
def store_documents(
    documents: Mapping[str, str], author: Author = None, note: str = "", bases: Mapping[str, int] = UNKNOWN_BASES
) -> Assistant:
    """Keep a whole assistant. A new version is saved only where the text changed; absent flows are archived.

    `bases` are the numbers of the versions that the texts were made from, by file, where that is known.
    Raises FlowProblems when the documents make no assistant, or StaleVersion; nothing is stored then.
    """
    definition = load_assistant(documents)
    row = _lock_assistant(definition)
    flows = {file: _lock_flow(row, file.removesuffix(SUFFIX)) for file in sorted(documents)}
    changed = [file for file, text in documents.items() if text != head_text(flows[file])]
    for file in changed:
        _check_base(flows[file], bases.get(file))
    saved = [_add_version(flows[file], documents[file], author, note) for file in changed]
    acts = [*(_saved_act(row, version, author) for version in saved), *_archive_absent(row, documents, author)]
    if acts:
        chain.record(chain.CONSOLE, acts, clock.now())
    return row


@transaction.atomic
def save_flow(assistant: Assistant, edit: Edit, author: Author) -> FlowVersion:
    """Save one flow's text as its new head; the same text again gives the version that is there.

    Raises StaleVersion when `edit.base` is no longer the head.
    """
    flow = _lock_flow(assistant, edit.name)
    _check_base(flow, edit.base)
    if flow.head and flow.head.text == edit.text and not flow.archived:
        return flow.head
    version = _add_version(flow, edit.text, author, edit.note)
    chain.record(chain.CONSOLE, [_saved_act(assistant, version, author)], clock.now())
    return version


def _saved_act(assistant: Assistant, version: FlowVersion, author: Author) -> chain.Act:
    facts = {"flow": version.flow.name, "version": version.number, "sha256": version.sha256}
    return _author_act("flow_saved", assistant, author, facts, {"note": version.note})


def _author_act(
    act: str, assistant: Assistant, author: Author, facts: dict[str, Any], detail: dict[str, Any] | None = None
) -> chain.Act:
    name = author.get_username() if author else "system"
    return chain.Act(act, name, author.pk if author else None, assistant.name, facts, detail)


def save_or_keep(assistant: Assistant, edit: Edit, author: Author) -> FlowVersion:
    """Like `save_flow`, for what a person typed: a text that is refused is kept as the flow's draft all the same.

    Raises FlowProblems with what is wrong in this document, or StaleVersion.
    """
    errors = [problem for problem in _problems_with(assistant, edit) if problem.severity == "error"]
    try:
        if errors:
            raise FlowProblems(errors)
        return save_flow(assistant, edit, author)
    except (FlowProblems, StaleVersion):
        keep_draft(assistant, edit, author)
        raise


@transaction.atomic
def keep_draft(assistant: Assistant, edit: Edit, author: Author) -> None:
    """Keep any typed text as this author's draft, and as the text that the test console tries next."""
    flow, _ = Flow.objects.update_or_create(assistant=assistant, name=edit.name, defaults={"draft": edit.text})
    if author is not None:
        FlowDraft.objects.update_or_create(flow=flow, author=author, defaults={"text": edit.text, "base": edit.base})


def draft_of(flow: Flow, author: Author) -> FlowDraft | None:
    """What this author typed into the flow and did not save."""
    return FlowDraft.objects.filter(flow=flow, author=author).first() if author else None


@transaction.atomic
def drop_draft(flow: Flow, author: Author) -> None:
    """Forget what this author typed; tests then use another author's draft, else the saved text."""
    own_draft = draft_of(flow, author)
    FlowDraft.objects.filter(flow=flow, author=author).delete()
    if own_draft is None or Flow.objects.filter(pk=flow.pk, draft=own_draft.text).exists():
        other = flow.drafts.order_by("-saved_at").first()
        Flow.objects.filter(pk=flow.pk).update(draft=other.text if other else "")


@transaction.atomic
def restore_flow_version(
    assistant: Assistant, name: str, number: int, author: Author, base: int | None = None
) -> FlowVersion:
    """Make an earlier text the newest version again; what its author typed and did not save stays their draft.

    `base` is the head that the author saw. Raises VersionNotFound, and StaleVersion when another one stands now.
    """
    old = FlowVersion.objects.filter(flow__assistant=assistant, flow__name=name, number=number).first()
    if old is None:
        raise VersionNotFound(number)
    head, own_draft = old.flow.head, draft_of(old.flow, author)
    seen_number = base if base is not None else head.number if head else 0
    version = save_flow(assistant, Edit(name, old.text, base=seen_number, note=f"Version {number} again"), author)
    if own_draft is not None:
        keep_draft(assistant, Edit(name, own_draft.text, base=own_draft.base), author)
    return version


def heads_of(assistant: Assistant) -> list[FlowVersion]:
    """The newest version of every flow that is not archived, the assistant's own document included, by name."""
    flows = Flow.objects.filter(assistant=assistant, archived=False, head__isnull=False)
    return [flow.head for flow in flows.select_related("head__flow").order_by("name") if flow.head]


def version_numbers_of(assistant: Assistant, up_to: int | None = None) -> dict[str, int]:
    """The number of the newest version of every document by file name; of those whose key is at most `up_to`."""
    rows = FlowVersion.objects.filter(flow__assistant=assistant).order_by("number")
    versions = rows if up_to is None else rows.filter(pk__lte=up_to)
    return {f"{name}{SUFFIX}": number for name, number in versions.values_list("flow__name", "number")}


def documents_of(assistant: Assistant) -> dict[str, str]:
    """The newest text of every document by file name."""
    return {version.flow.filename: version.text for version in heads_of(assistant)}


def head_text(flow: Flow) -> str | None:
    """The newest text, None for a flow that was never saved or is archived."""
    return flow.head.text if flow.head and not flow.archived else None


def _problems_with(assistant: Assistant, edit: Edit) -> list[Problem]:
    file = edit.name + SUFFIX
    documents = {**documents_of(assistant), file: edit.text}
    return [problem for problem in check_documents(documents) if problem.file == file]


def _lock_assistant(definition: Definition) -> Assistant:
    row, _ = Assistant.objects.select_for_update().get_or_create(name=definition.assistant)
    row.title, row.description = str(definition.title)[:200], str(definition.description or "")
    translations = {"title": definition.title.translations}
    if definition.description is not None:
        translations["description"] = definition.description.translations
    row.translations = {field: dict(texts) for field, texts in translations.items() if texts}
    row.save(update_fields=["title", "description", "translations"])
    return row


def _lock_flow(assistant: Assistant, name: str) -> Flow:
    """Get or create the flow's row and lock it, so that saves of one flow run one after the other."""
    flow, _ = Flow.objects.select_for_update().get_or_create(assistant=assistant, name=name)
    return flow


def _check_base(flow: Flow, base: int | None) -> None:
    if base not in (None, flow.head.number if flow.head else 0):
        raise StaleVersion(flow.head)


def _add_version(flow: Flow, text: str, author: Author, note: str) -> FlowVersion:
    last = flow.versions.order_by("-number").values_list("number", flat=True).first() or 0
    digest = hashlib.sha256(text.encode()).hexdigest()
    version = FlowVersion.objects.create(
        flow=flow, number=last + 1, text=text, sha256=digest, author=author, note=note[:500]
    )
    flow.head, flow.draft, flow.archived = version, "", False
    FlowDraft.objects.filter(flow=flow, author=author).delete()
    flow.save(update_fields=["head", "draft", "archived"])
    return version


def _archive_absent(assistant: Assistant, documents: Mapping[str, str], author: Author) -> list[chain.Act]:
    """Put the flows away that are not among the documents; what was done, for the record."""
    present = [file.removesuffix(SUFFIX) for file in documents]
    absent = Flow.objects.filter(assistant=assistant, archived=False).exclude(name__in=present)
    names = list(absent.order_by("name").values_list("name", flat=True))
    absent.update(archived=True)
    return [_author_act("flow_archived", assistant, author, {"flow": name}) for name in names]
