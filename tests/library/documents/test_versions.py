"""Documents are kept as versions, and only what changed becomes a new one."""

import pytest
from django.contrib.auth.models import User

from dialogue.engine.source.problems import FlowProblems
from dialogue.library.documents.versions import (
    Edit,
    StaleVersion,
    documents_of,
    drop_draft,
    keep_draft,
    save_flow,
    save_or_keep,
    store_documents,
    version_numbers_of,
)
from dialogue.models import Assistant, AuditEntry, Flow, FlowVersion

Documents = dict[str, str]


def balance(assistant: Assistant) -> Flow:
    return Flow.objects.get(assistant=assistant, name="check_balance")


def test_what_was_stored_is_given_back_to_the_byte(bank: Assistant, documents: Documents):
    assert documents_of(bank) == documents
    assert bank.title == "Harbour Bank"


def test_whoever_stores_a_whole_assistant_is_on_record(bank: Assistant, documents: Documents, arthur: User):
    before = AuditEntry.objects.count()
    without = {name: text for name, text in documents.items() if name != "block_card.yaml"}

    store_documents({**without, "check_balance.yaml": documents["check_balance.yaml"] + "# new\n"}, arthur)

    entries = list(AuditEntry.objects.order_by("number")[before:])
    assert [(each.act, each.actor, each.facts["flow"]) for each in entries] == [
        ("flow_saved", "arthur", "check_balance"),
        ("flow_archived", "arthur", "block_card"),
    ]
    assert before == len(documents)


def test_a_text_that_was_made_from_an_older_version_is_not_stored(bank: Assistant, documents: Documents, arthur: User):
    text = documents["check_balance.yaml"]
    bases = version_numbers_of(bank)
    save_flow(bank, Edit("check_balance", text + "# hers\n", base=1), arthur)

    with pytest.raises(StaleVersion):
        store_documents({**documents, "check_balance.yaml": text + "# his\n"}, arthur, bases=bases)

    assert documents_of(bank)["check_balance.yaml"] == text + "# hers\n"


def test_dropping_a_draft_leaves_what_somebody_else_typed(bank: Assistant, arthur: User):
    anna = User.objects.create_user("anna")
    keep_draft(bank, Edit("check_balance", "hers", base=1), anna)
    keep_draft(bank, Edit("check_balance", "his", base=1), arthur)

    drop_draft(balance(bank), arthur)
    left = balance(bank).draft
    keep_draft(bank, Edit("check_balance", "his again", base=1), arthur)
    drop_draft(balance(bank), anna)

    assert (left, balance(bank).draft) == ("hers", "his again")


def test_storing_the_same_again_saves_no_version(bank: Assistant, documents: Documents):
    store_documents(documents)

    assert FlowVersion.objects.count() == len(documents)


def test_only_the_changed_document_gets_a_version(bank: Assistant, documents: Documents, arthur: User):
    store_documents(
        {**documents, "check_balance.yaml": documents["check_balance.yaml"] + "# reviewed\n"}, arthur, "reviewed"
    )

    newest = balance(bank).head
    assert FlowVersion.objects.count() == len(documents) + 1
    assert newest is not None
    assert (newest.number, newest.author, newest.note) == (2, arthur, "reviewed")


def test_a_flow_that_is_gone_from_the_folder_is_archived_and_comes_back(bank: Assistant, documents: Documents):
    without = {name: text for name, text in documents.items() if name != "check_balance.yaml"}

    store_documents(without)
    assert "check_balance.yaml" not in documents_of(bank)

    store_documents(documents)
    assert documents_of(bank) == documents


def test_documents_with_an_error_are_not_stored_at_all(bank: Assistant, documents: Documents):
    with pytest.raises(FlowProblems):
        store_documents(
            {**documents, "check_balance.yaml": "flow: [", "block_card.yaml": documents["block_card.yaml"] + "#\n"}
        )

    assert documents_of(bank) == documents


def test_the_second_author_is_told_what_the_first_saved(bank: Assistant, documents: Documents, arthur: User):
    text = documents["check_balance.yaml"]
    save_flow(bank, Edit("check_balance", text + "# hers\n", base=1), arthur)

    with pytest.raises(StaleVersion) as told:
        save_or_keep(bank, Edit("check_balance", text + "# his\n", base=1), arthur)

    assert told.value.theirs is not None
    assert told.value.theirs.text.endswith("# hers\n")
    assert balance(bank).draft.endswith("# his\n")


def test_a_broken_text_stays_as_the_draft(bank: Assistant, arthur: User):
    with pytest.raises(FlowProblems) as told:
        save_or_keep(bank, Edit("check_balance", "flow: check_balance\nsteps: [", base=1), arthur)

    assert {problem.file for problem in told.value.problems} == {"check_balance.yaml"}
    assert balance(bank).draft == "flow: check_balance\nsteps: ["
    assert balance(bank).head == FlowVersion.objects.get(flow=balance(bank))


def test_saving_clears_the_draft(bank: Assistant, documents: Documents, arthur: User):
    Flow.objects.filter(name="check_balance").update(draft="half")

    save_flow(bank, Edit("check_balance", documents["check_balance.yaml"] + "# done\n", base=1), arthur)

    assert balance(bank).draft == ""
