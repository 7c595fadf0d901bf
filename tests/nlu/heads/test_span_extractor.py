"""The span extractor reads slots that it was not trained on, from their texts only."""

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import numpy as np
import pytest

from dialogue.nlu.heads import artefact
from dialogue.nlu.heads.artefact import SPAN_FILE, SPAN_SHA256, ArtefactNotGenuine, checked_bytes
from dialogue.nlu.heads.encoder import WordCase, tokenise, word_case
from dialogue.nlu.heads.span_extractor import ScoredSpan, SlotQuery, decode, extract_spans
from dialogue.nlu.text.embeddings import minilm
from dialogue.nlu.text.embeddings.wordpiece import MAX_TOKENS, token_ids

GUEST = SlotQuery("guest", "guest: Name of the guest. In what name shall I book?")
FIRM = SlotQuery("firm", "firm: Name of the company. Which company is it for?")
TITLE = SlotQuery("title", "title: Title of the meeting. What is the title?")
PROBLEM = SlotQuery("problem", "problem: What is wrong. Please describe the problem.", awaited=True)


def values(text: str, *queries: SlotQuery, score: float = 0.5) -> dict[str, str]:
    return {span.slot: text[span.start : span.end] for span in extract_spans(text, queries) if span.score >= score}


def awaited(query: SlotQuery) -> SlotQuery:
    return SlotQuery(query.name, query.text, awaited=True)


def test_the_file_is_the_one_that_was_measured():
    content = (files("dialogue.nlu.heads") / SPAN_FILE).read_bytes()

    assert hashlib.sha256(content).hexdigest() == SPAN_SHA256
    assert len(content) < 6_500_000


def test_another_file_is_refused():
    with pytest.raises(ArtefactNotGenuine):
        checked_bytes(SPAN_FILE, "0" * 64)


@pytest.mark.parametrize(
    ("text", "queries", "expected"),
    [
        ("Anna Berg and Partners", [awaited(FIRM), GUEST], {"firm": "Anna Berg and Partners"}),
        ("a table for Maria Olsen please", [GUEST, TITLE], {"guest": "Maria Olsen"}),
        ("no, the title is Budget review", [TITLE, GUEST], {"title": "Budget review"}),
        ("my name is Joe Smith", [awaited(GUEST), TITLE], {"guest": "Joe Smith"}),
        ('call it "Cancel my plans"', [awaited(TITLE)], {"title": "Cancel my plans"}),
    ],
)
def test_values_are_found_whole(text: str, queries: Sequence[SlotQuery], expected: dict[str, str]):
    assert values(text, *queries) == expected


def test_a_long_complaint_is_one_value():
    text = "the washing machine leaks. There is water everywhere, and nobody answers the phone"

    assert values(text, PROBLEM, GUEST, score=0.3) == {"problem": text}


@pytest.mark.parametrize(
    "text", ["no thanks", "can I talk to a person?", "why do you need that?", "what does it cost?"]
)
@pytest.mark.parametrize("query", [GUEST, TITLE, PROBLEM])
def test_what_steers_the_dialogue_is_no_value(text: str, query: SlotQuery):
    assert values(text, awaited(query)) == {}


def test_the_same_message_gives_the_same_spans():
    text, queries = "a meeting called Harbour tour with Dr. Patel", (TITLE, GUEST)
    first = extract_spans(text, queries)
    minilm._read_text.cache_clear()

    assert first == extract_spans(text, queries) != ()


def test_an_answer_that_is_too_long_to_read_is_one_value():
    text = (
        "I ordered a table three weeks ago and it still has not arrived. I called your support twice, the first time "
        "they told me it would come on Monday, the second time they told me that it had been lost. Then an email said "
        "it had been delivered to my neighbour, who knows nothing about it. I took a day off for the delivery and lost "
        "a day of pay. The website shows a wrong tracking number as well, and when I tried the chat it just closed on "
        "me. I want somebody to look for the table and tell me by tomorrow when it will be here, because my family is "
        "visiting this weekend and we have nothing to eat at"
    )

    assert values(text, PROBLEM, GUEST) == {"problem": text}
    assert tokenise(text).is_cut
    assert len(tokenise(text).ids) == MAX_TOKENS


@pytest.mark.parametrize("text", ["", "  ", "👍", "?!", "\u0301", "\u202e\u0000", "ß" * 300, "a\n\tb"])
def test_any_text_can_be_read(text: str):
    assert all(0 <= span.start < span.end <= len(text) for span in extract_spans(text, [GUEST, awaited(TITLE)]))


def test_other_languages_are_not_read():
    assert extract_spans("me llamo Ana", [awaited(GUEST)], language="es") == ()


def test_nothing_is_read_without_the_extra(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(minilm, "is_installed", lambda: False)
    monkeypatch.setattr(artefact, "span_session", lambda: pytest.fail("the file was loaded"))

    assert extract_spans("my name is Ana", [awaited(GUEST)]) == ()
    assert extract_spans("my name is Ana", []) == ()


def test_more_slots_than_are_read_at_a_time_do_no_harm():
    many = [awaited(GUEST), *(SlotQuery(f"slot_{number}", f"thing number {number}") for number in range(40))]

    assert isinstance(extract_spans("my name is Joe Smith", many)[0], ScoredSpan)


@pytest.mark.parametrize("text", ["It's Ana-María Ünlü, №5 (Café)!", "a" * 200 + " b", "東京 tower", "x" * 600])
def test_tokens_are_those_of_the_sentence_model(text: str):
    tokenised = tokenise(text)

    assert list(tokenised.ids) == token_ids(text)
    assert len(tokenised.cases) == len(tokenised.word_of_token) == len(tokenised.ids)


@pytest.mark.parametrize(
    ("word", "case"),
    [
        ("ana", WordCase.LOWER),
        ("Ana", WordCase.CAPITALISED),
        ("ANA", WordCase.UPPER),
        ("A", WordCase.CAPITALISED),
        ("42", WordCase.NUMBER),
        ("!", WordCase.LOWER),
    ],
)
def test_how_a_word_is_written(word: str, case: WordCase):
    assert word_case(word) is case


def test_an_accent_of_its_own_belongs_to_the_word():
    text = "Jose\u0301 Marti\u0301"

    assert [text[word.start : word.end] for word in tokenise(text).words] == ["Jose\u0301", "Marti\u0301"]


def test_separating_marks_do_not_belong_to_a_value():
    tokenised = tokenise("Oslo, -")
    rows = np.array([[1, 0, 0], [0.1, 0.9, 0], [0.2, 0, 0.8], [0.2, 0, 0.8], [1, 0, 0]], np.float32)

    assert [(span.start, span.end) for span in decode(tokenised, [GUEST], rows)] == [(0, 4)]


def test_a_further_word_needs_a_first_one():
    tokenised = tokenise("one two three")
    rows = np.array([[1, 0, 0], [0.4, 0, 0.6], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7], [1, 0, 0]], np.float32)

    (span,) = decode(tokenised, [GUEST], rows)

    assert (span.start, span.end) == (4, 13)
    assert span.score == pytest.approx(0.9)


def test_threads_get_the_same_spans():
    texts = [f"a meeting called Harbour tour {number} with Dr. Patel" for number in range(12)]
    alone = [extract_spans(text, [TITLE, GUEST]) for text in texts]
    minilm._read_text.cache_clear()

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(lambda text: extract_spans(text, [TITLE, GUEST]), texts)) == alone
