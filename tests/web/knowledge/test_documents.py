"""The page of an assistant's documents: uploading, trying a question, looking at one, removing it."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from dialogue.desk.sessions.service import Caller
from dialogue.library.knowledge.documents import MAX_DOCUMENT_BYTES, store_document
from dialogue.models import Assistant, AuditEntry, KnowledgeDocument
from tests.support.browser.strange_texts import TEXTS
from tests.support.releases import demo, publish
from tests.support.web.pages import text_of

pytestmark = pytest.mark.django_db
CAFE = b"# Cafe\n\n## Opening\n\nThe cafe opens at ten and sells sandwiches."


@pytest.fixture
def bank() -> Assistant:
    return publish(demo("bank")).assistant


@pytest.fixture
def arthurs(arthur: Caller, browser_of: Callable[[Caller], Client]) -> Client:
    return browser_of(arthur)


def file(name: str, content: bytes = CAFE) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_an_author_uploads_documents_and_each_is_on_record(bank: Assistant, arthurs: Client) -> None:
    answer = arthurs.post("/documents/bank/upload/", {"files": [file("cafe.md"), file("terms.txt", b"Terms.")]})

    assert (answer.status_code, answer["Location"]) == (302, "/documents/bank/")
    page = text_of(arthurs.get("/documents/bank/"))
    assert "cafe.md" in page
    assert "terms.txt" in page
    assert "Arthur" in page
    done = AuditEntry.objects.filter(act="document_stored")
    assert [(entry.actor, entry.facts["document"]) for entry in done] == [
        ("arthur", "cafe.md"),
        ("arthur", "terms.txt"),
    ]


def test_the_documents_belong_to_the_flows_in_the_navigation(bank: Assistant, arthurs: Client) -> None:
    assert '<a href="/flows/" aria-current="page">' in text_of(arthurs.get("/documents/bank/"))


def test_a_file_that_cannot_be_kept_is_named_and_the_others_are_kept(bank: Assistant, arthurs: Client) -> None:
    files = [
        file("cafe.md"),
        file("photo.png"),
        file("large.md", b"x" * (MAX_DOCUMENT_BYTES + 1)),
        file("old.txt", b"\xe4"),
    ]

    answer = arthurs.post("/documents/bank/upload/", {"files": files})

    page = text_of(answer)
    assert answer.status_code == 422
    assert "“photo.png” is not a name of a document" in page
    assert "large.md has more than 256 KiB" in page
    assert "old.txt is not UTF-8" in page
    assert list(KnowledgeDocument.objects.values_list("name", flat=True)) == ["cafe.md"]


@pytest.mark.parametrize("count", [0, 21])
def test_without_a_file_and_with_too_many_nothing_is_kept(bank: Assistant, arthurs: Client, count: int) -> None:
    answer = arthurs.post("/documents/bank/upload/", {"files": [file(f"{at}.md") for at in range(count)]})

    assert answer.status_code == 422
    assert "Choose from 1 to 20 files" in text_of(answer)
    assert not KnowledgeDocument.objects.exists()


def test_a_question_is_tried_on_the_page(bank: Assistant, arthurs: Client) -> None:
    store_document(bank, "cafe.md", CAFE)

    said = text_of(arthurs.get("/documents/bank/", {"q": "does the cafe sell sandwiches?"}))
    unknown = text_of(arthurs.get("/documents/bank/", {"q": "does the cafe have umbrellas and bicycles?"}))
    nothing = text_of(arthurs.get("/documents/bank/", {"q": "umbrellas"}))

    assert "The cafe opens at ten" in said
    assert ">Cafe › Opening</a>" in said
    assert "Answers the question</span>" in said
    assert "Not close enough to answer" in unknown
    assert "The documents hold nothing about this." in nothing


def test_a_document_is_looked_at_and_removed(bank: Assistant, arthurs: Client) -> None:
    row = store_document(bank, "cafe.md", CAFE)

    page = text_of(arthurs.get(f"/documents/bank/{row.pk}/"))
    assert "The cafe opens at ten" in page
    assert arthurs.get(f"/documents/bank/{row.pk}/remove/").status_code == 405
    assert KnowledgeDocument.objects.exists()

    assert arthurs.post(f"/documents/bank/{row.pk}/remove/").status_code == 302
    assert arthurs.post(f"/documents/bank/{row.pk}/remove/").status_code == 302
    assert not KnowledgeDocument.objects.exists()
    assert AuditEntry.objects.get(act="document_removed").actor == "arthur"


def test_an_operator_reads_and_changes_nothing(
    bank: Assistant, olga: Caller, browser_of: Callable[[Caller], Client]
) -> None:
    row, olgas = store_document(bank, "cafe.md", CAFE), browser_of(olga)

    page = text_of(olgas.get("/documents/bank/"))

    assert "cafe.md" in page
    assert 'type="file"' not in page
    assert olgas.post("/documents/bank/upload/", {"files": [file("mine.md")]}).status_code == 404
    assert olgas.post(f"/documents/bank/{row.pk}/remove/").status_code == 404
    assert KnowledgeDocument.objects.count() == 1


def test_a_document_of_another_assistant_is_not_found(bank: Assistant, arthurs: Client) -> None:
    row = store_document(publish(demo("library")).assistant, "cafe.md", CAFE)

    assert arthurs.get(f"/documents/bank/{row.pk}/").status_code == 404
    arthurs.post(f"/documents/bank/{row.pk}/remove/")
    assert KnowledgeDocument.objects.filter(pk=row.pk).exists()
    assert arthurs.get("/documents/nowhere/").status_code == 404


def test_strange_texts_stay_text(bank: Assistant, arthurs: Client) -> None:
    texts = [text for text in TEXTS if "\x00" not in text and text.strip()]
    body = "\n\n".join(f"# {' '.join(text.split())}\n\n{text}" for text in texts)
    row = store_document(bank, "strange<b>.md", body.encode("utf-8", "replace"))

    pages = arthurs.get(f"/documents/bank/{row.pk}/").content + arthurs.get("/documents/bank/", {"q": "script"}).content

    assert b"<script>alert" not in pages
    assert b"<img src=x" not in pages
    assert b"strange<b>" not in pages
