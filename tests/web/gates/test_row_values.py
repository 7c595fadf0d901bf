"""Rows tell gates of one kind apart by their values, which can be searched and are never sensitive ones."""

from decimal import Decimal
from typing import Any

import pytest

from dialogue.desk.access.people import read_person
from dialogue.desk.maintenance.erasure import erase_conversation
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import HITLSession
from dialogue.turns.live.values_at_stake import searchable_text, summary_line
from tests.support.transfers import SHOWN, Opener
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db


def shown(name: str, value: Any, text: str = "", **facts: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "shown": text or str(value), "source": "user", "turn": 1, **facts}


def opened(open_session: Opener, *entries: dict[str, Any], **changes: Any) -> HITLSession:
    """A gate with these values, and the text to search in that a turn would have stored."""
    session = open_session(shown=list(entries), **changes)
    session.search_text = searchable_text(session)
    session.save()
    return session


TRANSFER = (shown("amount", "8450.00", "€8,450.00"), shown("beneficiary", "Lindqvist Marine AB"), SHOWN[1])


def test_a_row_has_the_first_two_values_and_its_times_with_words(browser_of: Browser, open_session: Opener, olga, noon):
    opened(open_session, *TRANSFER)

    page = text_of(browser_of(olga).get("/gates/"))

    assert '<bdi class="main-value">€8,450.00</bdi>' in page
    assert "<bdi>Lindqvist Marine AB</bdi>" in page
    assert "•••• 3000" not in page and "DE89370400440532013000" not in page
    assert ("Asked<time" in page, "Expires<time" in page, "in 30 min</time>" in page) == (True, True, True)


def test_amounts_are_written_as_the_reader_writes_them_whatever_the_customer_speaks(
    browser_of: Browser, open_session: Opener, olga, noon
):
    gate = opened(open_session, shown("amount", "8310.00", "8.310,00 €"), shown("beneficiary", "Lindqvist Marine AB"))
    gate.conversation.language = "es"
    gate.conversation.save()

    english, spanish = (
        text_of(browser_of(olga).get("/gates/", headers={"accept-language": language})) for language in ("en", "es")
    )

    assert '<bdi class="main-value">€8,310.00</bdi>' in english
    assert '<bdi class="main-value">8.310,00 €</bdi>' in spanish


def test_card_and_consequences_write_amounts_as_the_row_does(browser_of: Browser, open_session: Opener, olga, noon):
    gate = opened(open_session, shown("amount", "8310.00", "8.310,00 €"), shown("beneficiary", "Lindqvist Marine AB"))
    gate.conversation.language = "es"
    gate.conversation.save()

    page = text_of(browser_of(olga).get(f"/gates/{gate.name}/", headers={"accept-language": "en"}))

    assert "amount €8,310.00" in page
    assert "8.310,00 €" not in page


def test_an_amount_in_words_of_its_own_stays_as_it_was_shown(open_session: Opener):
    assert summary_line(opened(open_session, shown("amount", "8310.00", "about 8,000 euros"))) == "about 8,000 euros"


def test_yes_and_no_stand_with_the_label_of_their_slot(open_session: Opener):
    assert summary_line(opened(open_session, shown("known", False, "no"))) == "Known payee: no"


def test_a_sensitive_value_is_masked_in_the_row_for_everybody(open_session: Opener):
    assert summary_line(opened(open_session, SHOWN[1])) == "•••• 3000"


def test_the_authors_summary_takes_the_place_of_the_values(browser_of: Browser, open_session: Opener, olga):
    opened(open_session, *TRANSFER, summary="€8,450.00 to Lindqvist · new payee")

    page = text_of(browser_of(olga).get("/gates/"))

    assert "€8,450.00 to Lindqvist</bdi>" in page
    assert "Lindqvist Marine AB" not in page


@pytest.mark.parametrize(
    ("words", "count"),
    [("lindqvist", 1), ("8450", 1), ("8,450 marine", 1), ("DE8937", 0), ("3000", 0), ("Ursula lindqvist", 1)],
)
def test_a_gate_is_found_by_the_values_that_are_not_sensitive(
    browser_of: Browser, open_session: Opener, olga, words: str, count: int
):
    session = opened(open_session, *TRANSFER)

    page = text_of(browser_of(olga).get("/gates/", {"q": words}))

    assert page.count(f'id="row-{session.name}"') == count


def test_a_value_is_found_further_down_than_a_search_reads_rows(
    browser_of: Browser, open_session: Opener, olga, monkeypatch: pytest.MonkeyPatch, noon
):
    monkeypatch.setattr("dialogue.desk.queue.keyset.MAX_SCANNED_ROWS", 2)
    for _ in range(4):
        opened(open_session, shown("amount", "10.00"))
    last = opened(open_session, *TRANSFER, urgent_at=noon.at.replace(year=2030))

    page = browser_of(olga).get("/gates/", {"q": "lindqvist"})

    assert [row.session.pk for row in page.context["rows"]] == [last.pk]


def test_a_value_of_a_queue_that_is_not_mine_is_not_found(browser_of: Browser, open_session: Opener, olga):
    from django.contrib.auth.models import Group

    opened(open_session, *TRANSFER, group=Group.objects.create(name="cards"))

    page = browser_of(olga).get("/gates/", {"q": "lindqvist"})

    assert page.context["rows"] == []


def test_the_stored_text_has_no_sensitive_value_even_where_another_value_repeats_it(open_session: Opener):
    note = shown("note", "pay DE89 3704 0044 0532 0130 00 today")

    assert searchable_text(open_session(shown=[SHOWN[1], note])) == "pay •••• today"


def test_erasure_leaves_no_text_to_search_in(open_session: Opener, olga: Caller):
    session = opened(open_session, *TRANSFER)

    erase_conversation(session.conversation_id, read_person(olga.user), "asked for it")

    assert not HITLSession.objects.filter(search_text__contains="lindqvist").exists()


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(Answer("approve"), ("Approved", "good")), (Answer("reject", {"reason": "wrong"}), ("Rejected", "bad"))],
)
def test_a_decided_row_says_how_it_ended_in_a_word_and_in_colour(
    browser_of: Browser, session: HITLSession, oscar: Caller, answer: Answer, outcome: tuple[str, str]
):
    service.submit(session.pk, oscar, answer)

    row = browser_of(oscar).get("/gates/?view=done").context["rows"][0]

    assert (row.outcome.words, row.outcome.tone) == outcome
    assert row.decided == "by Oscar Lindt"


def test_an_expired_row_says_what_was_sent_instead(browser_of: Browser, open_session: Opener, olga, sofia, noon):
    service.expire(opened(open_session, *TRANSFER).pk, sofia, reason="too old")

    row = browser_of(olga).get("/gates/?view=done").context["rows"][0]

    assert (row.outcome.words, row.ended, row.decided) == ("Expired", "Expired", "then: Reject")


def test_gates_that_are_answered_together_stand_in_columns_with_the_sum(
    browser_of: Browser, open_session: Opener, olga: Caller
):
    gates = [opened(open_session, shown("amount", amount, f"€{amount}"), SHOWN[1]) for amount in ("10.50", "20.25")]

    page = browser_of(olga).get("/gates/together/", {"gate": [gate.number for gate in gates]})
    table = page.context["table"]

    assert [(column.label, column.is_number, column.total) for column in table.columns] == [
        ("Amount", True, f"€{Decimal('30.75')}"),
        ("IBAN", False, ""),
    ]
    assert [option.label for option in table.consequences] == ["Approve", "Reject"]
    assert [name for name, _text in table.consequences[0].texts] == [gate.name for gate in gates]
    assert "Select all of this kind" in text_of(browser_of(olga).get("/gates/"))
