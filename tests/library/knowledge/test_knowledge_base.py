"""Questions that no flow and no topic claims are answered from the assistant's documents, on both databases."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from dialogue.library.demo.seed import ASSISTANTS_FOLDER
from dialogue.library.knowledge.documents import (
    MAX_DOCUMENT_BYTES,
    DocumentRefused,
    load_documents,
    passages_of,
    remove_document,
    store_document,
)
from dialogue.library.knowledge.knowledge_base import search_documents, source_of
from dialogue.models import Assistant, AuditEntry, KnowledgeDocument, KnowledgePassage, Message
from dialogue.turns import compiled_releases
from tests.support.releases import GREETER, demo, publish
from tests.support.soni_settings import change
from tests.support.turns import begun, say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]
DOCUMENTS = ASSISTANTS_FOLDER / "library" / "documents"


@pytest.fixture(autouse=True)
def _compiled_again() -> Iterator[None]:
    compiled_releases.forget_releases()
    yield
    compiled_releases.forget_releases()


@pytest.fixture
def library() -> Assistant:
    """The demo's library with its documents."""
    assistant = publish(demo("library")).assistant
    load_documents(assistant, DOCUMENTS)
    return assistant


def best(assistant: Assistant, text: str) -> str:
    """The source of the answer, or "" without one."""
    found = [each for each in search_documents(assistant, text, "en") if each.is_answer]
    return source_of(found[0].passage) if found else ""


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("I lost my card, what now?", "Membership › Lost card"),
        ("Can I borrow board games?", "Borrowing › How many"),
        ("are there e-magazines?", "Borrowing › E-books"),
        ("what does printing a page cost", "rooms"),
        ("is there wireless internet", "rooms"),
        ("is membership free?", "Membership › Joining"),
        ("Do you sell umbrellas?", ""),
        ("hello", ""),
        ("what is the", ""),
        ("'; DROP TABLE x; --", ""),
        ('NEAR("a" OR) * : & |', ""),
        ("", ""),
    ],
)
def test_a_question_finds_the_passage_that_answers_it_or_none(library: Assistant, question: str, source: str) -> None:
    assert best(library, question) == source


def test_other_forms_and_accents_of_a_word_are_found(library: Assistant) -> None:
    spanish = publish({**GREETER, "assistant.yaml": GREETER["assistant.yaml"] + "language: es\n"}).assistant
    store_document(
        spanish, "horario.md", "# Horario\n\nLos sábados la biblioteca está abierta hasta las 14:00.".encode()
    )

    found = search_documents(spanish, "¿abren las bibliotecas el sabado?", "es")

    assert [each.passage.heading for each in found] == ["Horario"]
    assert search_documents(library, "¿abren las bibliotecas el sabado?", "en") == []


async def test_the_customer_is_answered_with_the_source_and_asked_again_what_was_asked(library: Assistant) -> None:
    conversation = await begun(demo("library"))
    await say(conversation, "I want to renew a loan")

    keys = await say(conversation, "Can I borrow board games?")

    assert keys == ["answer", "ask:loan_id"]
    told = await Message.objects.filter(conversation=conversation, key="answer").aget()
    assert told.text.startswith("You may borrow up to twelve items at a time: books, audiobooks, DVDs and board games.")
    assert told.text.endswith("From: Borrowing › How many")
    record = (await conversation.turns.alast()).record  # type: ignore[union-attr]
    assert record["lookups"][0]["part"] == "DocumentKnowledge"


async def test_what_is_not_in_the_documents_is_not_understood_as_before(library: Assistant) -> None:
    conversation = await begun(demo("library"))

    assert await say(conversation, "blorb zonk") == ["cannot_handle"]
    assert await say(conversation, "when are you open?") == ["answer:opening_hours"]


def test_the_model_of_sentences_finds_what_is_said_in_other_words(library: Assistant, settings: Any) -> None:
    assert best(library, "somebody stole my card") == ""

    change(settings, NLU_EMBEDDED="auto")

    assert best(library, "somebody stole my card") == "Membership › Lost card"
    assert best(library, "what is the weather in Rome?") == ""


def test_a_document_is_cut_at_its_headings_and_after_a_few_paragraphs() -> None:
    text = "# A\n\nOne\nline, [linked](http://x), **bold**.\n\n- a\n- b\n\n## B\n\n" + "word " * 200 + "\n\nlast"

    cut = list(passages_of("x.md", text))

    assert cut[0] == ("A", "One line, linked, bold.\n\n- a\n- b")
    assert [heading for heading, _text in cut] == ["A", "A › B", "A › B"]
    assert list(passages_of("x.txt", "# no heading\n\nText")) == [("", "# no heading\n\nText")]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.pdf", b"x", "ends in .md or .txt"),
        ("../a.md", b"x", "not a name of a document"),
        (".md" * 80, b"x", "not a name of a document"),
        ("a.md", b"x" * (MAX_DOCUMENT_BYTES + 1), "more than 256 KiB"),
        ("a.md", b"\xff\xfe", "not UTF-8"),
        ("a.md", b"a\x00b", "NUL"),
        ("a.md", b"# Only a heading", "holds no text"),
        ("a.md", b" ", "holds no text"),
    ],
)
def test_what_is_no_document_is_refused_and_nothing_is_kept(
    library: Assistant, name: str, content: bytes, reason: str
) -> None:
    before = KnowledgeDocument.objects.count()

    with pytest.raises(DocumentRefused, match=reason):
        store_document(library, name, content)

    assert KnowledgeDocument.objects.count() == before


def test_a_document_that_is_stored_again_or_removed_answers_as_it_is_now(library: Assistant) -> None:
    store_document(library, "cafe.md", b"# Cafe\n\nThe cafe sells sandwiches.")
    assert best(library, "does the cafe sell sandwiches?") == "Cafe"

    changed = store_document(library, "cafe.md", b"# Cafe\n\nThe cafe is closed for repairs.")
    assert best(library, "does the cafe sell sandwiches?") == ""
    assert best(library, "is the cafe closed?") == "Cafe"

    remove_document(changed)
    assert best(library, "is the cafe closed?") == ""
    acts = AuditEntry.objects.filter(facts__document="cafe.md").values_list("act", flat=True)
    assert list(acts.order_by("number")) == ["document_stored", "document_stored", "document_removed"]


def test_a_folder_brings_takes_away_and_leaves_what_was_uploaded(tmp_path: Path, library: Assistant) -> None:
    store_document(library, "uploaded.md", b"# Mine\n\nUploaded by hand.")
    (tmp_path / "one.md").write_text("# One\n\nFirst.")

    out = StringIO()
    call_command("load_documents", "library", str(tmp_path), stdout=out)
    call_command("load_documents", "library", str(tmp_path), stdout=out)

    assert out.getvalue().splitlines() == [
        "library: 1 document stored, 3 removed.",
        "library: 0 documents stored, 0 removed.",
    ]
    assert set(library.knowledge_documents.values_list("name", flat=True)) == {"one.md", "uploaded.md"}
    with pytest.raises(CommandError, match="is not a folder"):
        call_command("load_documents", "library", str(tmp_path / "none"))


def test_a_folder_with_one_bad_file_changes_nothing(tmp_path: Path, library: Assistant) -> None:
    (tmp_path / "a.md").write_text("# A\n\nGood.")
    (tmp_path / "b.md").write_bytes(b"\xff")

    with pytest.raises(CommandError, match=r"b\.md is not UTF-8"):
        call_command("load_documents", "library", str(tmp_path))

    assert library.knowledge_documents.count() == 3


def test_load_flows_brings_the_documents_beside_the_flows() -> None:
    out = StringIO()
    call_command("load_flows", str(ASSISTANTS_FOLDER / "library"), "--publish", stdout=out)

    assert "library: 3 documents for questions stored, 0 removed." in out.getvalue()
    assert KnowledgePassage.objects.filter(document__assistant__name="library").exists()


SCENARIO = """
assistant: {folder}
scenarios:
  - name: A question in the middle of a flow
    turns:
      - user: I want to renew a loan
        commands: [{{start_flow: renew_loan}}]
        expect: {{messages: [ask:loan_id]}}
      - user: Can I borrow board games?
        commands: [cannot_handle]
        expect: {{messages: [{{answer: {{contains: [twelve items, "From: Borrowing › How many"]}}}}, ask:loan_id]}}
"""


@pytest.mark.sqlite  # the command has a process of its own, and a SQLite file whatever the installation has
def test_scenarios_are_played_with_the_documents_beside_the_flows(tmp_path: Path) -> None:
    (tmp_path / "library.yaml").write_text(SCENARIO.format(folder=ASSISTANTS_FOLDER / "library"))
    out = StringIO()

    call_command("run_scenarios", str(tmp_path / "library.yaml"), stdout=out)

    assert out.getvalue().splitlines()[-1] == "1 of 1 scenarios, 2 of 2 turns as expected"


@pytest.mark.sqlite  # the command has a process of its own, and a SQLite file whatever the installation has
def test_a_document_that_is_none_is_named_when_scenarios_are_played(tmp_path: Path) -> None:
    home = copytree(ASSISTANTS_FOLDER / "library", tmp_path / "library")
    (home / "documents" / "bad.md").write_bytes(b"\xff")
    (tmp_path / "library.yaml").write_text(SCENARIO.format(folder="library"))
    error = StringIO()

    with pytest.raises(SystemExit):
        call_command("run_scenarios", str(tmp_path / "library.yaml"), stdout=StringIO(), stderr=error)

    assert "bad.md is not UTF-8" in error.getvalue()


@pytest.mark.parametrize("text", ["# a" + " " * 200_000 + "b", "a" + " " * 200_000 + "b", "[" * 200_000])
def test_a_strange_text_is_cut_into_passages_like_any_other(text: str) -> None:
    assert list(passages_of("strange.md", f"{text}\n\nLoans last three weeks."))[-1][1].endswith("three weeks.")


def test_a_heading_may_be_closed_and_a_wrapped_line_is_one() -> None:
    text = "## Loans ##\nThree   \n weeks.\n- first\n- second\n#hashtag\n####### seven"

    assert list(passages_of("loans.md", text)) == [("Loans", "Three weeks.\n- first\n- second #hashtag ####### seven")]
