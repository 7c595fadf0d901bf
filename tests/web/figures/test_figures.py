"""The page of figures, its plots and its export."""

import csv
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Answer, Caller
from dialogue.models import HITLSession
from dialogue.turns.accept import open_conversation
from dialogue.web.figures.charts import ticks, time_ticks
from dialogue.web.figures.differences import count_difference
from dialogue.web.shared.times import rounded_span_text
from tests.support.releases import demo, publish
from tests.support.transfers import NOON, Opener
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db


@pytest.fixture
def decided(session: HITLSession, olga: Caller) -> HITLSession:
    service.claim(session.pk, olga)
    service.submit(session.pk, olga, Answer("approve"))
    return session


def test_the_page_draws_each_step_within_its_frame_with_the_numbers_behind_it(
    decided: HITLSession, olga: Caller, browser_of: Browser
):
    html = text_of(browser_of(olga).get("/figures/"))

    marks = re.findall(r'<path class="mark (?:median|ninth)" d="M([\d.]+) 5h0"', html)
    heights = re.findall(r'<rect class="answered" x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"', html)
    assert len(marks) == 2 and all(0 <= float(place) <= 100 for place in marks)
    assert heights and all(float(y) + float(height) <= 200.01 for _x, y, height in heights)
    assert "Approve transfer" in html and "1 answered, 0 expired and 0 withdrawn in 30 days" in html
    assert html.count('<details class="chart-table">') == 3
    assert "style=" not in html


def test_the_export_has_the_same_steps_in_seconds(decided: HITLSession, olga: Caller, browser_of: Browser):
    response = browser_of(olga).get("/figures/csv/?days=7")

    (row,) = csv.DictReader(response.content.decode().splitlines())
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert (row["flow"], row["step"], row["decided"], row["expired_share"]) == (
        "transfer_money",
        "approval",
        "1",
        "0.0",
    )
    assert float(row["to_decision_median"]) >= float(row["to_claim_median"]) >= 0


def test_the_values_of_each_column_are_there_for_the_pointer_and_the_focus(
    decided: HITLSession, olga: Caller, browser_of: Browser
):
    page = text_of(browser_of(olga).get("/figures/"))

    assert page.count('<li tabindex="0"><span class="tip">') == 2  # one stop of the Tab key in each chart
    assert "<span>Answered <b>1</b></span>" in page


def test_without_figures_the_page_says_what_will_come(olga: Caller, browser_of: Browser):
    assert "No gate ended in this time" in text_of(browser_of(olga).get("/figures/?days=90"))


def test_a_period_that_is_not_offered_is_no_page(olga: Caller, browser_of: Browser):
    assert browser_of(olga).get("/figures/?days=1 OR 1=1").status_code == 404


def test_the_number_of_queries_does_not_grow(
    decided: HITLSession, open_session: Opener, olga: Caller, browser_of: Browser
):
    browser = browser_of(olga)
    counts = []
    for gates in (1, 5):
        for gate in range(gates):
            service.submit(open_session(step=f"approval_{gate}").pk, olga, Answer("approve"))
        with CaptureQueriesContext(connection) as asked:
            browser.get("/figures/")
        counts.append(len(asked))

    assert counts[0] == counts[1] <= 12


def test_two_assistants_with_the_same_step_are_told_apart_and_looked_at_one_by_one(
    decided: HITLSession, open_session: Opener, olga: Caller, browser_of: Browser
):
    publish({name: text.replace("assistant: bank", "assistant: other_bank") for name, text in demo("bank").items()})
    elsewhere = open_conversation("other_bank", user_ref="Vera")[0]
    service.submit(open_session(conversation=elsewhere, visit=99).pk, olga, Answer("approve"))
    browser = browser_of(olga)

    both, one = (text_of(browser.get(f"/figures/?{query}")) for query in ("", "assistant=other_bank"))
    lines = browser.get("/figures/csv/?assistant=other_bank").content.decode().splitlines()

    steps = [page[page.index("Waiting time per gate") : page.index("Waiting time by hour")] for page in (both, one)]
    assert [steps[0].count(f"<td>{name}</td>") for name in ("bank", "other_bank")] == [1, 1]
    assert [steps[1].count(f"<td>{name}</td>") for name in ("bank", "other_bank")] == [0, 1]
    assert 'href="?days=30&amp;assistant=other_bank" aria-current="true"' in one
    assert [row["assistant"] for row in csv.DictReader(lines)] == ["other_bank"]


def test_the_chosen_period_is_marked_and_stands_there_with_its_days_and_those_before(
    noon: object, olga: Caller, browser_of: Browser
):
    html = text_of(browser_of(olga).get("/figures/?days=7"))

    assert re.search(r'<a href="\?days=7" aria-current="page">\s*7 days', html)
    assert "17 Nov – 23 Nov 2026" in html and "compared with 10 Nov – 16 Nov 2026" in html


def test_a_share_is_rounded_to_the_nearest_tenth(noon: object, open_session: Opener, olga: Caller, browser_of: Browser):
    end = NOON - timedelta(days=1)
    for state in ("expired", *["submitted"] * 5):
        open_session(state=state, decided_at=end, opened_at=end - timedelta(minutes=5))

    _answered, expired, *_others = browser_of(olga).get("/figures/?days=7").context["cards"]

    assert (expired.value, expired.detail) == ("1", "16.7% of requests")


def test_cards_say_the_difference_to_the_period_before_in_words(
    noon: object, open_session: Opener, olga: Caller, browser_of: Browser
):
    for days, answered, minutes in ((1, 3, 5), (8, 2, 9)):
        for _number in range(answered):
            end = NOON - timedelta(days=days)
            opened_at = end - timedelta(minutes=minutes)
            open_session(state="submitted", decided_at=end, opened_at=opened_at)
    open_session(state="expired", decided_at=NOON - timedelta(days=8), opened_at=NOON - timedelta(days=9))

    answered, expired, waiting = browser_of(olga).get("/figures/?days=7").context["cards"]

    assert (answered.value, answered.detail, answered.difference.words) == ("3", "of 3 closed requests", "50% more")
    assert (expired.value, expired.difference.words, expired.difference.tone) == ("0", "100% fewer", "good")
    assert (waiting.value, waiting.difference.words, waiting.before) == ("5 min", "4 min faster", "9 min")


def test_a_day_of_the_chart_is_a_day_of_the_readers_zone(
    noon: object, open_session: Opener, olga: Caller, browser_of: Browser, settings
):
    settings.TIME_ZONE = "America/New_York"
    for hour in (3, 6):  # 22:00 of the day before, and 01:00
        at = datetime(2026, 11, 22, hour, tzinfo=UTC)
        open_session(state="submitted", decided_at=at, opened_at=at - timedelta(minutes=5))

    lines = browser_of(olga).get("/figures/csv/days/?days=7").content.decode().splitlines()

    answered = {row["day"]: row["answered"] for row in csv.DictReader(lines)}
    assert (answered["2026-11-21"], answered["2026-11-22"]) == ("1", "1")


@pytest.mark.parametrize(
    ("chart", "columns"),
    [
        ("days", "day,answered,expired,withdrawn"),
        ("hours", "hour,answered,median,ninth"),
        ("gates", "assistant,flow,step,answered,median,ninth,median_before"),
        ("conversations", "day,conversations,contained,handed_over"),
        ("drop-off", "assistant,flow,step,reached,left"),
        ("understanding", "assistant,release,understood,asked_back,not_understood,corrected"),
        ("satisfaction", "question,answer,count"),
    ],
)
def test_each_chart_has_a_file_of_its_numbers(
    decided: HITLSession, sofia: Caller, browser_of: Browser, chart: str, columns: str
):
    response = browser_of(sofia).get(f"/figures/csv/{chart}/")

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response.content.decode().splitlines()[0] == columns
    assert browser_of(sofia).get("/figures/csv/moods/").status_code == 404


def test_who_sees_only_some_conversations_gets_no_figures_of_them(
    decided: HITLSession, olga: Caller, browser_of: Browser
):
    html = text_of(browser_of(olga).get("/figures/"))

    assert "Handoff rate" not in html
    assert "shown to people who may see every conversation" in html
    assert browser_of(olga).get("/figures/csv/conversations/").status_code == 404


def test_a_supervisor_sees_all_charts_and_why_one_is_empty(decided: HITLSession, sofia: Caller, browser_of: Browser):
    html = text_of(browser_of(sofia).get("/figures/"))

    for words in ("Handoff rate", "Contained conversations", "Where people leave", "Understanding by release"):
        assert words in html
    assert "No typed message was read in this time." in html
    assert "end a flow with a link to it" in html


def test_filters_that_leave_nothing_say_so(decided: HITLSession, olga: Caller, browser_of: Browser):
    html = text_of(browser_of(olga).get("/figures/?person=0"))

    assert "No gate that fits these filters ended in this time" in html


@pytest.mark.parametrize(
    ("highest", "found"),
    [(0, [0, 1]), (1, [0, 1]), (4, [0, 1, 2, 3, 4]), (7, [0, 2, 4, 6, 8]), (230, [0, 100, 200, 300])],
)
def test_an_axis_ends_at_a_round_value_that_is_high_enough(highest: float, found: list[float]):
    assert ticks(highest) == found


@pytest.mark.parametrize(
    ("longest", "found"),
    [(0, [0, 1]), (3.5, [0, 1, 2, 3, 4]), (100, [0, 30, 60, 90, 120]), (6_500, [0, 1_800, 3_600, 5_400, 7_200])],
)
def test_an_axis_of_time_has_steps_that_clocks_have(longest: float, found: list[float]):
    assert time_ticks(longest) == found


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.4, "0 sec"),
        (59.9, "59 sec"),
        (60, "1 min"),
        (102, "1.7 min"),
        (156, "2.6 min"),
        (598, "10 min"),
        (3_569, "59 min"),
        (3_570, "1 hr"),
        (4_680, "1 hr 18 min"),
        (5400, "1 hr 30 min"),
        (84_599, "23 hr 30 min"),
        (86_369, "23 hr 59 min"),
        (86_400, "1 day"),
        (129_600, "1 day 12 hr"),
    ],
)
def test_a_measured_span_agrees_with_its_place_in_the_chart(seconds: float, words: str):
    assert rounded_span_text(seconds) == words


def test_one_of_a_unit_is_singular_in_spanish_too():
    with translation.override("es"):
        assert [rounded_span_text(seconds) for seconds in (3_600, 5_400, 7_200)] == ["1 h", "1 h 30 min", "2 h"]


@pytest.mark.parametrize(("now", "words"), [(20, "67% more"), (4, "67% fewer"), (18, "50% more")])
def test_a_difference_is_rounded_and_not_cut(now: int, words: str):
    assert count_difference(now, 12).words == words
