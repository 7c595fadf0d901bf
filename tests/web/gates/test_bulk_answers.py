"""Several gates, one form: each is answered by itself, and what became of each is told."""

import pytest
from django.test import Client

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.engine.slots.models import Slot
from dialogue.engine.slots.values import form_schema
from dialogue.models import AuditEntry, HITLSession, Submission
from tests.support.transfers import Opener
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
ITEM = {"type": "object", "fields": {"name": {"type": "text"}, "price": {"type": "money"}}}


@pytest.fixture
def three(open_session: Opener) -> list[HITLSession]:
    return [open_session() for _ in range(3)]


def form_of(gates: list[HITLSession], **typed: str) -> dict[str, object]:
    versions = {f"version-{gate.number}": gate.version for gate in gates}
    return {"gate": [gate.number for gate in gates], "key": "k1", **versions, **typed}


def sent(browser: Client, gates: list[HITLSession], **typed: str) -> object:
    return browser.post("/gates/together/", form_of(gates, **typed))


def test_one_answer_decides_each_gate_by_itself(three: list[HITLSession], olga: Caller, browser_of: Browser):
    page = text_of(sent(browser_of(olga), three, action="approve", **{"value.daily_limit": "7500"}))

    assert "3 of 3 gates answered" in page
    assert {each.values["daily_limit"] for each in HITLSession.objects.all()} == {7500}
    assert AuditEntry.objects.filter(act="session.submit").count() == 3
    assert Submission.objects.filter(accepted=True).count() == 3


def test_a_gate_that_somebody_else_decided_is_named_and_the_others_are_answered(
    three: list[HITLSession], olga: Caller, oscar: Caller, browser_of: Browser
):
    service.submit(three[1].pk, oscar, Answer("reject", {"reason": "IBAN is wrong"}))

    answer = sent(browser_of(olga), three, action="approve")

    results = {each.number: each for each in answer.context["results"]}  # type: ignore[attr-defined]
    assert [results[gate.number].status for gate in three] == [201, 409, 201]
    assert "Oscar Lindt" in results[three[1].number].text
    assert "2 of 3 gates answered" in text_of(answer)


def test_sent_twice_it_counts_once(three: list[HITLSession], olga: Caller, browser_of: Browser):
    browser = browser_of(olga)
    sent(browser, three, action="approve")

    again = sent(browser, three, action="approve")

    assert [each.status for each in again.context["results"]] == [200, 200, 200]  # type: ignore[attr-defined]
    assert Submission.objects.filter(accepted=True).count() == 3


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ({"action": "approve", "value.daily_limit": "a lot"}, "a lot"),
        ({"action": "reject"}, "“Reject” needs a reason."),
        ({"action": "burn"}, "“burn” is not an available action."),
    ],
)
def test_what_is_wrong_for_all_is_told_before_any_is_answered(
    typed: dict[str, str], told: str, three: list[HITLSession], olga: Caller, browser_of: Browser
):
    answer = sent(browser_of(olga), three, **typed)

    assert answer.status_code == 422  # type: ignore[attr-defined]
    assert told in text_of(answer)
    assert HITLSession.objects.filter(state="open").count() == 3
    assert not Submission.objects.exists()


def test_the_form_shows_every_gate_with_its_values_and_leaves_out_what_asks_something_else(
    three: list[HITLSession], open_session: Opener, olga: Caller, browser_of: Browser
):
    other = open_session(title="Card limit", flow="cards", schema={})
    numbers = "&".join(f"gate={gate.number}" for gate in [*three, other])

    page = text_of(browser_of(olga).get(f"/gates/together/?{numbers}"))

    assert "3 gates, one answer" in page
    assert page.count("<bdi>€8,450.00</bdi>") == 3
    assert f'href="/gates/together/?gate={other.number}&amp;"' in page
    assert "DE89370400440532013000" in page


def test_gates_of_other_queues_and_nonsense_are_not_there(
    three: list[HITLSession], audrey: Caller, olga: Caller, browser_of: Browser
):
    assert browser_of(olga).get("/gates/together/?gate=999999&gate=x&gate=-1").status_code == 302
    refused = sent(browser_of(audrey), three, action="approve")

    assert [each.status for each in refused.context["results"]] == [403, 403, 403]  # type: ignore[attr-defined]
    assert HITLSession.objects.filter(state="open").count() == 3


def test_no_more_are_answered_than_the_form_shows_and_odd_digits_are_no_numbers(
    three: list[HITLSession], olga: Caller, browser_of: Browser, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("dialogue.web.gates.bulk_answers.MAX_GATES", 2)
    form = form_of(three, action="approve")

    answer = browser_of(olga).post("/gates/together/", {**form, "gate": [*(each.number for each in three), "²"]})

    assert len(answer.context["results"]) == 2
    assert HITLSession.objects.filter(state="open").count() == 1


def test_the_queue_offers_to_select_what_is_open(three: list[HITLSession], olga: Caller, browser_of: Browser):
    service.submit(three[0].pk, olga, Answer("approve"))
    browser = browser_of(olga)

    waiting, done = text_of(browser.get("/gates/")), text_of(browser.get("/gates/?view=done"))

    assert waiting.count('class="bulk-checkbox"') == 2
    assert 'class="bulk-checkbox"' not in done


def test_a_list_of_records_is_typed_in_rows_for_all_gates_at_once(
    open_session: Opener, olga: Caller, browser_of: Browser
):
    form = form_schema({"extra": Slot.model_validate({"type": "list", "items": ITEM})})
    gates = [open_session(schema=form) for _ in range(2)]
    lamp = {"value.extra.0.name": "lamp"}

    refused = sent(browser_of(olga), gates, action="approve", **lamp, **{"value.extra.0.price": "much"})
    page = text_of(refused)
    assert refused.status_code == 422  # type: ignore[attr-defined]
    assert 'name="value.extra.0.price"' in page and "“much” is not an amount" in page

    assert "2 of 2 gates answered" in text_of(
        sent(browser_of(olga), gates, action="approve", **lamp, **{"value.extra.0.price": "12"})
    )
    assert [gate.values for gate in HITLSession.objects.all()] == [{"extra": [{"name": "lamp", "price": "12.00"}]}] * 2
