"""What those who look after the service can see of it: a page, and Prometheus' figures."""

import json
import logging
import re
from datetime import UTC, datetime, timedelta

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from dialogue.engine.understanding import Usage
from dialogue.models import Event
from dialogue.turns import clock, load
from dialogue.turns import metrics as measures
from dialogue.turns.accept import Incoming, accept
from soni_admin.logs import JsonLine
from tests.support.soni_settings import change
from tests.support.transfers import person
from tests.support.web.pages import text_of


@pytest.fixture
def scraper(client, db, settings):
    change(settings, METRICS_TOKEN="scrape")
    return lambda token: client.get("/metrics", headers={"Authorization": f"Bearer {token}"})


def test_a_supervisor_sees_what_waits_and_what_runs(browser_of, session):
    page = text_of(browser_of(person("sofia", "Sofia", "supervisors")).get("/status/"))

    assert "open gates and chats" in page
    assert "in this server process" in page


def test_good_and_bad_are_told_apart_by_words_with_what_to_do(browser_of, conversation, monkeypatch):
    browser = browser_of(person("sofia", "Sofia", "supervisors"))
    good = text_of(browser.get("/status/"))
    accept(conversation.pk, Incoming(Event.Kind.MESSAGE, "m1", {"text": "hello"}, "hello"))
    Event.objects.update(accepted_at=clock.now() - timedelta(minutes=10))
    monkeypatch.setattr("dialogue.web.operations.status.missing_services", lambda: ["clock"])

    bad = text_of(browser.get("/status/"))

    assert "Everything works." in good
    assert "Something does not work." in bad
    assert "1, the oldest for 10 min" in bad
    assert "Add workers or a faster machine" in bad
    assert "Synchronise the clocks" in bad


def test_what_is_bad_says_since_when(browser_of, conversation):
    accept(conversation.pk, Incoming(Event.Kind.MESSAGE, "m1", {"text": "hello"}, "hello"))
    Event.objects.update(state=Event.State.INCIDENT, accepted_at=datetime(2026, 11, 3, 9, 5, tzinfo=UTC))

    page = text_of(browser_of(person("sofia", "Sofia", "supervisors")).get("/status/"))

    assert re.search(r"since\s*<time[^>]*2026-11-03T09:05", page)


@pytest.mark.parametrize(
    ("waiting", "told"), [(10, "those that are open go on"), (50, "nothing that was accepted is lost")]
)
def test_a_line_says_that_too_many_turns_wait_and_who_is_asked_to_wait(
    browser_of, session, settings, waiting: int, told: str
):
    change(settings, MAX_WAITING_TURNS=10)
    load.new_limiter().waiting = waiting

    page = text_of(browser_of(person("sofia", "Sofia", "supervisors")).get("/status/"))

    load.new_limiter()
    assert f"{waiting}, from 10 on it is too much" in page
    assert told in page


def test_one_of_several_processes_says_how_many_there_are(browser_of, session, monkeypatch):
    monkeypatch.setenv("SONI_WORKER", "2/3")

    page = text_of(browser_of(person("sofia", "Sofia", "supervisors")).get("/status/"))

    assert "3 processes on this machine" in page
    assert "between the processes of this machine" in page


def test_figures_say_how_much_waits_and_was_refused(scraper, session):
    measures.REFUSED.labels("conversation").inc(0)

    figures = text_of(scraper("scrape"))

    assert "soni_waiting_turns 0.0" in figures
    assert "soni_requests_in_flight" in figures
    assert 'soni_refused_total{work="conversation"}' in figures


def test_figures_say_how_many_gates_are_open(scraper, session):
    assert "soni_open_gates 1.0" in text_of(scraper("scrape"))


def test_figures_say_how_long_the_oldest_event_waits(scraper, conversation):
    accept(conversation.pk, Incoming(Event.Kind.MESSAGE, "m1", {"text": "hello"}, "hello"))
    Event.objects.update(accepted_at=clock.now() - timedelta(minutes=2))

    figures = text_of(scraper("scrape"))

    assert "soni_due_events 1.0" in figures
    assert re.search(r"^soni_due_seconds 12\d", figures, re.MULTILINE)


def test_tokens_of_a_model_are_counted_by_kind(scraper):
    measures.count_usage(Usage(calls=1, prompt_tokens=300, completion_tokens=20, model="small"))

    figures = text_of(scraper("scrape"))

    assert 'soni_model_tokens_total{kind="prompt",model="small"}' in figures


@pytest.mark.parametrize("token", ["", "wrong", "scrapé"])
def test_figures_are_for_who_has_the_token(scraper, token):
    assert scraper(token).status_code == 404


def test_without_a_token_there_are_no_figures(client, db):
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_a_line_of_the_log_holds_the_allowed_facts_only():
    record = logging.makeLogRecord({"name": "dialogue", "msg": "a turn failed", "reference": "ab12", "said": "my PIN"})

    line = json.loads(JsonLine().format(record))

    assert (line["text"], line["reference"]) == ("a turn failed", "ab12")
    assert "said" not in line


def test_a_line_of_the_log_has_the_number_of_its_process(monkeypatch):
    record = logging.LogRecord("dialogue", logging.INFO, "", 0, "text", (), None)
    alone = json.loads(JsonLine().format(record))
    monkeypatch.setenv("SONI_WORKER", "2/3")

    assert json.loads(JsonLine().format(record))["worker"] == 2
    assert "worker" not in alone


def test_a_span_holds_numbers_and_names_and_nothing_of_what_went_wrong(monkeypatch):
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)

    with pytest.raises(ValueError, match="4711"), measures.span("turn", kind="message", attempt=1):
        raise ValueError("my PIN is 4711")

    (span,) = kept.get_finished_spans()
    assert dict(span.attributes or {}) == {"soni.kind": "message", "soni.attempt": 1, "error.type": "ValueError"}
    assert (list(span.events), span.status.description) == ([], None)


def test_the_page_says_that_the_process_runs_older_code(browser_of, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dialogue.web.operations.status.outdated_modules", lambda: ["shop.actions", "shop.rules"])

    page = text_of(browser_of(person("sofia", "Sofia", "supervisors")).get("/status/"))

    assert "This process runs older code than the files of shop.actions, shop.rules. Restart it." in page


def test_the_page_names_changed_code_that_cannot_be_loaded(browser_of, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("dialogue.web.operations.status.unloadable_modules", lambda: ["shop.actions"])

    page = text_of(browser_of(person("sofia", "Sofia", "supervisors")).get("/status/"))

    assert "The changed file of shop.actions cannot be loaded. Its old functions stay." in page
