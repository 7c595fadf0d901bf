"""Documents as rows: every saved text of a flow is a version, and the newest is its head."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from dialogue.audit import chain
from dialogue.engine.assistants import Assistant as Definition
from dialogue.engine.language import check_documents, load_assistant
from dialogue.engine.problems import FlowProblems, Problem
from dialogue.library.folders import SUFFIX
from dialogue.models import Assistant, Flow, FlowDraft, FlowVersion
from dialogue.turns import clock

Author = User | None


class StaleVersion(Exception):
    """Somebody saved this flow after you opened it; `theirs` is the version that stands now."""

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


@transaction.atomic
def store(documents: Mapping[str, str], author: Author = None, note: str = "") -> Assistant:
    """Keep a whole assistant. A new version is saved only where the text changed; absent flows are archived.

    Raises FlowProblems when the documents make no assistant; nothing is stored then.
    """
    definition = load_assistant(documents)
    row = _kept_assistant(definition)
    for file, text in documents.items():
        flow, _ = Flow.objects.get_or_create(assistant=row, name=file.removesuffix(SUFFIX))
        if text != head_text(flow):
            _advance(flow, text, author, note)
    _archive_absent(row, documents)
    return row


@transaction.atomic
def save_flow(assistant: Assistant, edit: Edit, author: Author) -> FlowVersion:
    """Save one flow's text as its new head; the same text again gives the version that is there.

    Raises StaleVersion when `edit.base` is no longer the head.
    """
    flow, _ = Flow.objects.select_for_update().get_or_create(assistant=assistant, name=edit.name)
    if edit.base != (flow.head.number if flow.head else 0):
        raise StaleVersion(flow.head)
    if flow.head and flow.head.text == edit.text and not flow.archived:
        return flow.head
    version = _advance(flow, edit.text, author, edit.note)
    _record(assistant, version, author)
    return version


def _record(assistant: Assistant, version: FlowVersion, author: Author) -> None:
    facts = {"flow": version.flow.name, "version": version.number, "sha256": version.sha256}
    name = author.get_username() if author else "system"
    done = chain.Act("flow_saved", name, author.pk if author else None, assistant.name, facts, {"note": version.note})
    chain.record(chain.CONSOLE, [done], clock.now())


def save_or_keep(assistant: Assistant, edit: Edit, author: Author) -> FlowVersion:
    """Like `save_flow`, for what a person typed: a text that is refused is kept as the flow's draft all the same.

    Raises FlowProblems with what is wrong in this document, or StaleVersion.
    """
    wrong = [problem for problem in _problems_with(assistant, edit) if problem.severity == "error"]
    try:
        if wrong:
            raise FlowProblems(wrong)
        return save_flow(assistant, edit, author)
    except (FlowProblems, StaleVersion):
        keep_draft(assistant, edit, author)
        raise


@transaction.atomic
def keep_draft(assistant: Assistant, edit: Edit, author: Author) -> None:
    """Keep what was typed, whatever it is: as this author's own draft, and as what the test console tries next."""
    flow, _ = Flow.objects.update_or_create(assistant=assistant, name=edit.name, defaults={"draft": edit.text})
    if author is not None:
        FlowDraft.objects.update_or_create(flow=flow, author=author, defaults={"text": edit.text, "base": edit.base})


def draft_of(flow: Flow, author: Author) -> FlowDraft | None:
    """What this author typed into the flow and did not save."""
    return FlowDraft.objects.filter(flow=flow, author=author).first() if author else None


@transaction.atomic
def drop_draft(flow: Flow, author: Author) -> None:
    """Forget what this author typed; the flow is tried as it was saved last."""
    FlowDraft.objects.filter(flow=flow, author=author).delete()
    Flow.objects.filter(pk=flow.pk).update(draft="")


def restore(assistant: Assistant, name: str, number: int, author: Author) -> FlowVersion:
    """Make an earlier text the newest version again. Raises VersionNotFound."""
    old = FlowVersion.objects.filter(flow__assistant=assistant, flow__name=name, number=number).first()
    if old is None:
        raise VersionNotFound(number)
    head = old.flow.head
    edit = Edit(name, old.text, base=head.number if head else 0, note=f"Version {number} again")
    return save_flow(assistant, edit, author)


def heads_of(assistant: Assistant) -> list[FlowVersion]:
    """The newest version of every flow that is not archived, the assistant's own document included, by name."""
    flows = Flow.objects.filter(assistant=assistant, archived=False, head__isnull=False)
    return [flow.head for flow in flows.select_related("head__flow").order_by("name") if flow.head]


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


def _kept_assistant(definition: Definition) -> Assistant:
    row, _ = Assistant.objects.select_for_update().get_or_create(name=definition.assistant)
    row.title, row.description = str(definition.title)[:200], str(definition.description or "")
    row.save(update_fields=["title", "description"])
    return row


def _advance(flow: Flow, text: str, author: Author, note: str) -> FlowVersion:
    last = flow.versions.order_by("-number").values_list("number", flat=True).first() or 0
    digest = hashlib.sha256(text.encode()).hexdigest()
    version = FlowVersion.objects.create(
        flow=flow, number=last + 1, text=text, sha256=digest, author=author, note=note[:500]
    )
    flow.head, flow.draft, flow.archived = version, "", False
    FlowDraft.objects.filter(flow=flow, author=author).delete()
    flow.save(update_fields=["head", "draft", "archived"])
    return version


def _archive_absent(assistant: Assistant, documents: Mapping[str, str]) -> None:
    present = [file.removesuffix(SUFFIX) for file in documents]
    Flow.objects.filter(assistant=assistant).exclude(name__in=present).update(archived=True)
