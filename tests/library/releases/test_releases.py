"""A release is published whole or not at all, and an earlier one can be made active again."""

import pytest
from django.contrib.auth.models import Group, User

from dialogue.audit import chain
from dialogue.engine.actions import registry
from dialogue.engine.language.documents import digest_of
from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.versions import store_documents
from dialogue.library.releases.releases import (
    PublishRequest,
    ReleaseNotFound,
    StaleRelease,
    activate,
    is_published,
    publish,
)
from dialogue.models import Assistant, AuditEntry, Release

Documents = dict[str, str]


def test_publishing_makes_a_numbered_release_of_the_heads(bank: Assistant, documents: Documents, arthur: User):
    first = publish(bank, arthur, "first")
    second = publish(bank, arthur, "second")

    bank.refresh_from_db()
    assert (first.number, second.number) == (1, 2)
    assert second.documents() == documents
    assert second.sha256 == digest_of(documents)
    assert bank.active_release == second
    assert is_published(bank)


def test_publishing_stands_in_the_consoles_chain(bank: Assistant, arthur: User):
    publish(bank, arthur, "first")

    entry = AuditEntry.objects.exclude(act="flow_saved").get(chain=chain.CONSOLE)
    assert (entry.act, entry.actor, entry.subject) == ("release_published", "arthur", "bank")
    assert entry.facts["release"] == 1
    assert list(chain.verify()) == []


def test_groups_that_the_flows_name_are_made(bank: Assistant):
    publish(bank)

    assert Group.objects.filter(name="payments").exists()


def test_an_action_without_python_refuses_the_release_in_a_clear_sentence_at_its_contract(
    bank: Assistant, documents: Documents
):
    with pytest.raises(FlowProblems, match="no Python action is registered as `send_money`") as refused:
        publish(bank, actions={"check_payee", "read_balance", "block_card"})

    [problem] = refused.value.problems
    lines = documents["assistant.yaml"].splitlines()
    assert problem.file == "assistant.yaml" and lines[problem.line - 1] == "  send_money:"
    assert not Release.objects.exists()
    assert not AuditEntry.objects.exclude(act="flow_saved").exists()


def test_an_action_that_cannot_be_called_as_actions_are_refuses_the_release(bank: Assistant, monkeypatch):
    monkeypatch.setitem(registry._functions, "send_money", lambda amount: {})

    with pytest.raises(FlowProblems) as refused:
        publish(bank)

    (problem,) = refused.value.problems
    assert (problem.file, problem.path, problem.rule) == (
        "assistant.yaml",
        "assistant.actions.send_money",
        "action_signature",
    )
    assert problem.line > 1


def test_an_action_of_another_version_refuses_the_release(bank: Assistant, monkeypatch):
    monkeypatch.setitem(registry._versions, "send_money", 2)

    with pytest.raises(FlowProblems, match="version 1 of `send_money` is not registered; the registered version is 2"):
        publish(bank)


def test_an_author_who_looked_before_another_published_is_told(bank: Assistant, arthur: User):
    publish(bank, arthur, PublishRequest(base=0))

    with pytest.raises(StaleRelease):
        publish(bank, arthur, PublishRequest(base=0))


def test_rolling_back_makes_the_earlier_release_active(bank: Assistant, documents: Documents, arthur: User):
    first = publish(bank, arthur)
    publish(store_documents({**documents, "check_balance.yaml": documents["check_balance.yaml"] + "# new\n"}), arthur)

    activate(bank, first.number, arthur)

    bank.refresh_from_db()
    assert bank.active_release == first
    assert not is_published(bank)
    assert AuditEntry.objects.last().act == "release_activated"  # type: ignore[union-attr]


def test_a_release_that_never_was_cannot_be_activated(bank: Assistant):
    with pytest.raises(ReleaseNotFound):
        activate(bank, 7)
