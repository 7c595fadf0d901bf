"""Open test conversations of the current drafts or of any release, with chosen options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from dialogue.engine.language.compiler import check_documents, load_assistant
from dialogue.engine.language.documents import digest_of
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.releases.releases import ENGINE_VERSION, ReleaseNotFound
from dialogue.models import Assistant, Conversation, Flow, Release, Trial
from dialogue.models.account import Account
from dialogue.turns import clock
from dialogue.turns.accept import open_conversation

TEST_CHANNEL = "test"


@dataclass(frozen=True)
class ConversationOptions:
    """The options of a test conversation: `release` None tries the draft; `at` is what its clock says at the beginning.

    `documents` are texts that are tried in place of both.
    """

    release: int | None = None
    customer: str = ""
    language: str = ""
    at: datetime | None = None
    actions: str = Trial.Actions.SIMULATED
    nlu: str = ""
    stubs: Mapping[str, Any] = field(default_factory=dict)
    documents: Mapping[str, str] | None = None


@transaction.atomic
def open_test_conversation(assistant: Assistant, options: ConversationOptions, owner: Account | None) -> Conversation:
    """A new test conversation. Raises FlowProblems for a draft that makes no assistant, and ReleaseNotFound."""
    documents = options.documents
    release = (
        release_to_test(assistant, options.release) if documents is None else unpublished_release(assistant, documents)
    )
    conversation, _token = open_conversation(
        assistant.name,
        user_ref=options.customer[:200],
        vouched=True,
        channel=TEST_CHANNEL,
        language=options.language[:35],
        test=True,
        release=release,
    )
    Trial.objects.create(
        conversation=conversation,
        owner=owner,
        actions=options.actions,
        nlu=options.nlu,
        stubs=dict(options.stubs),
        ahead=options.at - clock.now() if options.at else timedelta(),
    )
    return conversation


def release_to_test(assistant: Assistant, number: int | None) -> Release:
    """The release of this number; None: the draft, as a trial release. Raises FlowProblems, ReleaseNotFound."""
    if number is None:
        return unpublished_release(assistant, draft_documents(assistant))
    release = Release.objects.filter(assistant=assistant, number=number, trial=False).first()
    if release is None:
        raise ReleaseNotFound(number)
    return release


def draft_documents(assistant: Assistant) -> dict[str, str]:
    """Every document as its author has it before them: the draft where there is one, else what was saved last."""
    flows = Flow.objects.filter(assistant=assistant, archived=False).select_related("head").order_by("name")
    texts = {flow.filename: flow.draft or (flow.head.text if flow.head else "") for flow in flows}
    return {name: text for name, text in texts.items() if text}


def unpublished_release(assistant: Assistant, documents: Mapping[str, str]) -> Release:
    """These texts as something that a conversation can be pinned to, once for the same texts. Raises FlowProblems.

    Its actions need no Python behind them: tests simulate them.
    """
    digest = digest_of(documents)
    existing = Release.objects.filter(assistant=assistant, sha256=digest).order_by("trial").first()
    if existing is not None:
        return existing
    _check_documents(documents)
    fields = {"number": 0, "engine_version": ENGINE_VERSION, "texts": dict(documents)}
    release, _first = Release.objects.get_or_create(assistant=assistant, sha256=digest, trial=True, defaults=fields)
    return release


def _check_documents(documents: Mapping[str, str]) -> None:
    errors = [problem for problem in check_documents(documents) if problem.severity == "error"]
    if errors:
        raise FlowProblems(errors)
    load_assistant(documents)
