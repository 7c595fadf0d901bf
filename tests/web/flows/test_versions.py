"""Versions of a flow: history, comparing, restoring, merging; assistants as files."""

import zipfile
from io import BytesIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.library.documents.archive import ArchiveRefused, pack_archive, unpack_archive
from dialogue.library.documents.versions import (
    Edit,
    documents_of,
    draft_of,
    keep_draft,
    save_flow,
    store_documents,
    version_numbers_of,
)
from dialogue.library.releases.releases import publish
from dialogue.models import Assistant, Flow, FlowDraft
from tests.support.releases import demo
from tests.support.transfers import person
from tests.support.web.pages import text_of

PAGE = "/flows/bank/check_balance/"
TEXT = demo("bank")["check_balance.yaml"]


@pytest.fixture
def bank(payments: object) -> Assistant:
    return store_documents(demo("bank"))


@pytest.fixture
def anna(payments: object) -> User:
    return person("anna", "Anna Holm", "flow authors")


@pytest.fixture
def annas(browser_of: Any, anna: User) -> Client:
    client: Client = browser_of(anna)
    return client


def head(name: str = "check_balance") -> str:
    row = Flow.objects.select_related("head").get(name=name)
    assert row.head
    return row.head.text


def test_the_history_says_who_saved_what_and_why(bank: Assistant, anna: User, annas: Client):
    save_flow(bank, Edit("check_balance", TEXT + "# more\n", base=1, note="Said more"), anna)

    page = text_of(annas.get(f"{PAGE}history/"))

    assert "Anna Holm" in page
    assert "Said more" in page
    assert "Restore version 1" in page


def test_the_history_says_what_was_written_on_publishing_a_version(bank: Assistant, anna: User, annas: Client):
    publish(bank, intent="Thanks the customer by name")

    page = text_of(annas.get(f"{PAGE}history/"))

    assert "Thanks the customer by name" in page
    assert "No note" not in page


def test_the_history_says_what_changed_in_each_version_and_which_one_is_live(
    bank: Assistant, anna: User, annas: Client
):
    publish(bank)
    more = "  - {step: bye, type: say, message: Bye.}\n"
    save_flow(bank, Edit("check_balance", TEXT + more, base=1, note="Says goodbye"), anna)
    save_flow(bank, Edit("check_balance", TEXT + more + "# done\n", base=2), anna)

    response = annas.get(f"{PAGE}history/")
    rows = response.context["rows"]

    assert [(row.version.number, row.previous, row.is_live) for row in rows] == [
        (3, 2, False),
        (2, 1, False),
        (1, 0, True),
    ]
    assert [[(change.step, change.kind) for change in row.changes] for row in rows] == [[], [("bye", "new")], []]
    page = text_of(response)
    assert f"{PAGE}compare/?old=1&amp;new=2" in page
    assert "No step changed" in page and "First version" in page


def test_the_history_asks_the_database_as_often_for_many_versions_as_for_few(
    bank: Assistant, anna: User, annas: Client, django_assert_max_num_queries: Any
):
    for number in range(1, 30):
        save_flow(bank, Edit("check_balance", f"{TEXT}# {number}\n", base=number), anna)

    with django_assert_max_num_queries(14):
        first = annas.get(f"{PAGE}history/")
    last = annas.get(f"{PAGE}history/?page=2")

    assert [len(page.context["rows"]) for page in (first, last)] == [25, 5]
    assert first.context["rows"][-1].previous == 5


def test_an_earlier_text_becomes_the_newest_version(bank: Assistant, anna: User, annas: Client):
    save_flow(bank, Edit("check_balance", TEXT + "# more\n", base=1), anna)

    told = text_of(annas.post(f"{PAGE}restore/1/", follow=True))

    assert head() == TEXT
    assert Flow.objects.get(name="check_balance").head.number == 3  # type: ignore[union-attr]
    assert "Version 1 is back as version 3. Publish it to use it." in told
    assert annas.post(f"{PAGE}restore/77/").status_code == 404


def test_a_restore_that_another_save_overtook_says_so_and_changes_nothing(bank: Assistant, anna: User, annas: Client):
    save_flow(bank, Edit("check_balance", TEXT + "# more\n", base=1), anna)
    seen = annas.get(f"{PAGE}history/").context["flow"].head.number
    save_flow(bank, Edit("check_balance", TEXT + "# Arthur's\n", base=2), None)

    answer = annas.post(f"{PAGE}restore/1/", {"head": seen})

    assert answer.status_code == 409
    assert "version 1 was not restored" in text_of(answer)
    assert head() == TEXT + "# Arthur's\n"
    assert annas.post(f"{PAGE}restore/1/", {"head": 3}).status_code == 302


def test_a_restore_leaves_the_authors_own_draft_alone(bank: Assistant, anna: User, annas: Client):
    save_flow(bank, Edit("check_balance", TEXT + "# more\n", base=1), anna)
    keep_draft(bank, Edit("check_balance", TEXT + "# not saved\n", base=2), anna)

    annas.post(f"{PAGE}restore/1/", {"head": 2})

    draft = draft_of(Flow.objects.get(name="check_balance"), anna)
    assert head() == TEXT
    assert draft is not None
    assert (draft.text, draft.base) == (TEXT + "# not saved\n", 2)


def test_two_texts_stand_side_by_side_with_their_steps(bank: Assistant, anna: User, annas: Client):
    longer = TEXT.rstrip("\n") + "\n  - {step: bye, type: say, message: Bye.}\n"
    save_flow(bank, Edit("check_balance", longer, base=1), anna)

    response = annas.get(f"{PAGE}compare/?old=1&new=2")

    graphs = response.context["graphs"]
    assert graphs.kinds["bye"] == "added"
    assert set(graphs.kinds.values()) == {"added", "changed", "same"}
    assert len(graphs.new.plain()["nodes"]) == len(graphs.old.plain()["nodes"]) + 1
    assert "<ins>  - {step: bye, type: say, message: Bye.}</ins>" in text_of(response)
    assert annas.get(f"{PAGE}compare/?old=x&new=2").status_code == 404


def test_a_step_whose_words_changed_far_behind_is_a_changed_step(bank: Assistant, anna: User, annas: Client):
    text = demo("bank")["transfer_money.yaml"]
    save_flow(bank, Edit("transfer_money", text.replace("was not approved", "was turned down"), base=1), anna)

    graphs = annas.get("/flows/bank/transfer_money/compare/?old=1&new=2").context["graphs"]

    assert [name for name, kind in graphs.kinds.items() if kind != "same"] == ["refused"]


def test_what_two_authors_wrote_is_merged_and_becomes_a_draft(
    bank: Assistant, arthur: Caller, anna: User, annas: Client
):
    keep_draft(bank, Edit("check_balance", "# hers\n" + TEXT, base=1), anna)
    save_flow(bank, Edit("check_balance", TEXT + "# his\n", base=1), User.objects.get(pk=arthur.user))

    shown = annas.get(f"{PAGE}merge/")
    annas.post(f"{PAGE}merge/", {"head": "2"})

    kept = draft_of(Flow.objects.get(name="check_balance"), anna)
    assert "Arthur Penn" in text_of(shown)
    assert kept is not None
    assert (kept.text, kept.base) == ("# hers\n" + TEXT + "# his\n", 2)


def test_a_merge_that_was_looked_at_too_long_ago_is_shown_again(bank: Assistant, anna: User, annas: Client):
    keep_draft(bank, Edit("check_balance", "# hers\n" + TEXT, base=1), anna)
    save_flow(bank, Edit("check_balance", TEXT + "# his\n", base=1), None)

    response = annas.post(f"{PAGE}merge/", {"head": "1"})

    assert "Somebody saved once more" in text_of(response)
    assert FlowDraft.objects.get(author=anna).base == 1


def test_a_draft_can_be_dropped(bank: Assistant, anna: User, annas: Client):
    keep_draft(bank, Edit("check_balance", "half", base=1), anna)

    answer = annas.post(f"{PAGE}drop/")

    assert answer["Location"] == PAGE
    assert not FlowDraft.objects.filter(author=anna).exists()
    assert Flow.objects.get(name="check_balance").draft == ""


def test_the_documents_leave_as_a_zip_and_come_back(bank: Assistant, annas: Client):
    content = annas.get("/flows/bank/export.zip").content
    changed = {**documents_of(bank), "check_balance.yaml": TEXT + "# from outside\n"}

    answer = sent_again(annas, pack_archive("bank", changed))

    assert answer.status_code == 302
    assert content == pack_archive("bank", demo("bank"), dict.fromkeys(demo("bank"), 1))
    assert zipfile.ZipFile(BytesIO(content)).namelist()[0] == "bank/assistant.yaml"
    assert head().endswith("# from outside\n")


def sent_again(annas: Client, content: bytes, **more: Any) -> Any:
    """The answer to an import, confirmed where it shows what would change."""
    answer = annas.post("/flows/import.zip", {"file": SimpleUploadedFile("bank.zip", content), **more})
    return confirmed(annas, answer, **more) if answer.status_code == 200 else answer


def confirmed(annas: Client, shown: Any, **more: Any) -> Any:
    """The second click: the page sends the file and what was seen of it."""
    sent = {"seen": shown.context["preview"].digest, "packed": shown.context["packed"], "name": "bank.zip"}
    return annas.post("/flows/import.zip", {**sent, **more})


def test_an_import_first_says_what_it_would_change_and_archive_and_stores_nothing(bank: Assistant, annas: Client):
    fewer = {name: text for name, text in demo("bank").items() if name != "transfer_money.yaml"}
    content = pack_archive("bank", {**fewer, "check_balance.yaml": TEXT + "# from outside\n"})

    shown = annas.post("/flows/import.zip", {"file": SimpleUploadedFile("bank.zip", content)})
    kept, preview = head(), shown.context["preview"]
    answer = confirmed(annas, shown)

    assert (kept, preview.changed, preview.archived) == (TEXT, ["check_balance"], ["transfer_money"])
    assert "Import, and archive one flow" in text_of(shown)
    assert (answer.status_code, head()) == (302, TEXT + "# from outside\n")
    assert Flow.objects.get(name="transfer_money").archived


def test_an_import_that_would_do_something_else_by_now_is_shown_again(bank: Assistant, anna: User, annas: Client):
    content = pack_archive("bank", demo("bank"))
    shown = annas.post("/flows/import.zip", {"file": SimpleUploadedFile("bank.zip", content)})
    save_flow(bank, Edit("new_flow", TEXT.replace("check_balance", "new_flow")), anna)

    again = confirmed(annas, shown)

    assert (again.status_code, again.context["preview"].archived) == (200, ["new_flow"])
    assert not Flow.objects.get(name="new_flow").archived


def test_a_file_that_was_not_sent_back_whole_is_asked_for_again(bank: Assistant, annas: Client):
    answer = annas.post("/flows/import.zip", {"packed": "not base64!", "seen": "x"})

    assert (answer.status_code, head()) == (422, TEXT)


def test_a_zip_that_was_made_before_somebody_saved_is_taken_only_when_asked_for(
    bank: Assistant, anna: User, annas: Client
):
    content = pack_archive(
        "bank", {**demo("bank"), "check_balance.yaml": TEXT + "# from outside\n"}, version_numbers_of(bank)
    )
    save_flow(bank, Edit("check_balance", TEXT + "# meanwhile\n", base=1), anna)

    refused = sent_again(annas, content)
    kept = head()
    taken = sent_again(annas, content, anyway="yes")

    assert refused.status_code == 409
    assert "Anna Holm saved version 2 of check_balance" in text_of(refused)
    assert kept.endswith("# meanwhile\n")
    assert (taken.status_code, head()) == (302, TEXT + "# from outside\n")


def test_a_zip_that_says_no_versions_is_held_against_what_was_looked_at(bank: Assistant, anna: User, annas: Client):
    looked = annas.get("/flows/import.zip").context["newest"]
    content = pack_archive("bank", {**demo("bank"), "check_balance.yaml": TEXT + "# from outside\n"})
    save_flow(bank, Edit("check_balance", TEXT + "# meanwhile\n", base=1), anna)

    assert sent_again(annas, content, newest=looked).status_code == 409
    assert sent_again(annas, content, newest=looked + 1_000).status_code == 302


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no zip",
        pack_archive("bank", {"x.yaml": "flow: x"}),
        pack_archive("bank", {"assistant.yaml": "version: 2"}),
    ],
    ids=["empty", "no zip", "no assistant", "with problems"],
)
def test_what_is_no_assistant_is_refused_with_words_and_nothing_is_taken(
    bank: Assistant, annas: Client, content: bytes
):
    answer = annas.post("/flows/import.zip", {"file": SimpleUploadedFile("bank.zip", content)})

    assert answer.status_code == 422
    assert 'role="alert"' in text_of(answer)
    assert head() == TEXT


def packed_as(compression: int) -> bytes:
    content = BytesIO()
    with zipfile.ZipFile(content, "w", compression) as parcel:
        for name, text in demo("bank").items():
            parcel.writestr(f"bank/{name}", text + "\n" * 100_000)
    return content.getvalue()


def broken_inside() -> bytes:
    """A zip whose directory is whole, and whose packed texts are not."""
    content = bytearray(packed_as(zipfile.ZIP_DEFLATED))
    start = content.index(b"assistant.yaml") + len(b"assistant.yaml")
    content[start : start + 40] = b"\xff" * 40
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [packed_as(zipfile.ZIP_BZIP2), packed_as(zipfile.ZIP_LZMA), broken_inside()],
    ids=["bzip2", "lzma", "broken inside"],
)
def test_only_what_unpacks_within_bounds_is_unpacked(bank: Assistant, annas: Client, content: bytes):
    answer = annas.post("/flows/import.zip", {"file": SimpleUploadedFile("bank.zip", content)})

    assert answer.status_code == 422
    assert 'role="alert"' in text_of(answer)
    assert head() == TEXT


def test_a_small_zip_that_unpacks_to_much_is_refused_before_it_is_read(bank: Assistant, annas: Client):
    comments = dict.fromkeys((f"comment_{number}.yaml" for number in range(400)), "# nothing\n" * 100_000)
    content = pack_archive("bank", {**demo("bank"), **comments})

    answer = annas.post("/flows/import.zip", {"file": SimpleUploadedFile("bank.zip", content)})

    assert len(content) < 2_000_000
    assert answer.status_code == 422
    assert "hold at most 4 MiB together" in text_of(answer)
    assert head() == TEXT


def test_a_parcel_that_lies_of_its_sizes_gives_no_more_than_it_says():
    content = packed_as(zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(BytesIO(content)) as parcel:
        sizes = {each.file_size.to_bytes(4, "little") for each in parcel.infolist()}
    for size in sizes:
        content = content.replace(size, (20).to_bytes(4, "little"))

    with pytest.raises(ArchiveRefused):
        unpack_archive(BytesIO(content))


def test_words_are_found_in_all_flows(bank: Assistant, annas: Client):
    page = text_of(annas.get("/flows/?q=Approve+transfer"))

    assert "bank/transfer_money:" in page
    assert "#line-" in page


def test_a_new_flow_begins_with_a_text_that_works(bank: Assistant, anna: User, annas: Client):
    answer = annas.post("/flows/bank/", {"name": "order_cheques"})
    response = annas.get(answer["Location"])

    assert response.context["edited"].error_count == 0
    assert [node.id for node in response.context["graph"].nodes] == ["ask", "done"]
    assert annas.post("/flows/bank/", {"name": "order_cheques"}).status_code == 422
    assert annas.post("/flows/bank/", {"name": "Order cheques"}).status_code == 422


def test_a_broken_draft_is_shown_beside_the_last_good_graph(bank: Assistant, anna: User, annas: Client):
    keep_draft(bank, Edit("check_balance", TEXT + "steps: [", base=1), anna)

    response = annas.get(PAGE)

    assert response.context["edited"].shows_last_valid_graph
    assert response.context["graph"].nodes
    assert response.context["edited"].text.endswith("steps: [")


def test_operators_read_flows_and_their_history_only(bank: Assistant, browser_of: Any, olga: Caller):
    olgas = browser_of(olga)

    assert olgas.get(f"{PAGE}history/").status_code == 200
    assert "data-save>" not in text_of(olgas.get(PAGE))
    assert olgas.post(f"{PAGE}restore/1/").status_code == 404
    assert olgas.post("/flows/bank/", {"name": "mine"}).status_code == 404
