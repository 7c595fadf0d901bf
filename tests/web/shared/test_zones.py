"""Times on pages are in the zone of the person who reads them."""

import json
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone, translation

from dialogue.desk.forms.deadlines import full_moment_text, moment_text, zone_of_mailbox
from dialogue.models import Preference
from dialogue.templatetags.formatting import at_time, countdown, dated_time, since, until
from dialogue.turns import clock
from dialogue.web.server.reader_zone import activate_reader_zone
from dialogue.web.shared.zones import UnknownZone, choose_zone, zone_names
from tests.support.transfers import person

ROOT = Path(__file__).parents[3]
MOMENTS = (
    "2026-11-23T13:17:05+00:00",
    "2026-11-22T23:30:00+00:00",
    "2026-10-25T00:30:00+00:00",
    "2026-10-25T01:30:00+00:00",
    "2026-03-29T01:00:00+00:00",
    "2025-12-31T23:59:59+00:00",
    "2026-09-01T00:00:00+00:00",
)
NOW = "2026-11-23T13:17:05+00:00"
ZONES = ("UTC", "Europe/Madrid", "America/Lima", "America/St_Johns", "Pacific/Kiritimati", "Europe/Lisbon")
SCRIPT = """
import { fullMomentText, momentText } from "%s/static/js/shared/moments.js";
const { now, readings } = JSON.parse(process.argv[1]);
console.log(JSON.stringify(readings.map(([at, language, zone]) => [
  momentText(Date.parse(at), Date.parse(now), { language, zone }), fullMomentText(Date.parse(at), { language, zone }),
])));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_server_and_browser_write_the_same_words():
    readings = [(at, language, zone) for at in MOMENTS for language in ("en", "es") for zone in ZONES]
    facts = json.dumps({"now": NOW, "readings": readings})
    run = subprocess.run(
        ["node", "--input-type=module", "-e", SCRIPT % ROOT.as_uri(), facts], capture_output=True, text=True, check=True
    )

    by_server = [_words(*reading) for reading in readings]
    assert json.loads(run.stdout) == by_server


def _words(at: str, language: str, zone: str) -> list[str]:
    moment = datetime.fromisoformat(at)
    with translation.override(language), timezone.override(zone):
        return [moment_text(moment, datetime.fromisoformat(NOW)), full_moment_text(moment)]


def test_a_moment_has_its_whole_date_and_zone_on_hover_and_for_screen_readers():
    with timezone.override("Europe/Madrid"), translation.override("en"):
        mark = at_time(datetime(2024, 2, 29, 23, 30, tzinfo=UTC))

    whole = "Friday, 1 March 2024, 00:30:00 (UTC+01:00, Europe/Madrid)"
    assert mark == (
        f'<time datetime="2024-02-29T23:30:00+00:00" title="{whole}" data-zone="Europe/Madrid">'
        f'<span aria-hidden="true">1 Mar 2024, 00:30</span><span class="full-moment">{whole}</span></time>'
    )
    assert at_time(None) == ""


def test_a_dated_moment_says_its_day_today_too(monkeypatch: pytest.MonkeyPatch):
    at = datetime(2026, 11, 23, 13, 17, 5, tzinfo=UTC)
    monkeypatch.setattr("dialogue.turns.clock.now", lambda: at)
    with timezone.override("Europe/Madrid"), translation.override("en"):
        mark = dated_time(at)

    assert ">23 Nov, 14:17</span>" in mark and " data-dated>" in mark


@pytest.mark.parametrize(("span", "hours", "words"), [(since, -3, "3 hr"), (until, 3, "2 hr")])
@pytest.mark.django_db
def test_a_span_is_read_with_its_moment(span: Callable[[datetime], str], hours: int, words: str):
    at = clock.now() + timedelta(hours=hours)

    whole = full_moment_text(at)
    assert f'title="{whole}"' in span(at)
    assert f'<span>{words}</span><span class="full-moment">, {whole}</span>' in span(at)


@pytest.mark.django_db
def test_a_countdown_beside_its_moment_has_it_on_hover_only():
    at = clock.now() + timedelta(hours=3)

    assert f'title="{full_moment_text(at)}"' in countdown(at)
    assert "full-moment" not in countdown(at)


@pytest.mark.parametrize(
    ("cookie", "zone"),
    [
        ("America/Lima", "America/Lima"),
        ("", "UTC"),
        ("Mars/Olympus", "UTC"),
        ("../../etc/passwd", "UTC"),
        ("Europe", "UTC"),
        ("europe/madrid", "UTC"),
        ("<script>", "UTC"),
        ("A" * 4000, "UTC"),
    ],
)
def test_the_cookie_says_the_zone_if_that_exists(cookie: str, zone: str):
    request = RequestFactory().get("/")
    request.COOKIES["zone"] = cookie
    zones = []

    def page(_request: HttpRequest) -> HttpResponse:
        zones.append(timezone.get_current_timezone_name())
        return HttpResponse()

    activate_reader_zone(page)(request)

    assert zones == [zone]
    assert timezone.get_current_timezone_name() == "UTC", "the next request of this thread is another reader's"


@pytest.fixture
def olga(db: None) -> User:
    return person("olga", "Olga Petrov", "operators")


def _browser(user: User, zone: str = "") -> Client:
    browser = Client()
    browser.force_login(user)
    if zone:
        browser.cookies["zone"] = zone
    return browser


def test_without_a_cookie_the_page_has_the_servers_zone(olga: User):
    page = _browser(olga).get("/gates/").content.decode()

    assert 'data-zone="UTC"' in page
    assert "data-zone-chosen" not in page


def test_the_page_has_the_zone_of_the_browser(olga: User):
    assert 'data-zone="Asia/Tokyo"' in _browser(olga, "Asia/Tokyo").get("/gates/").content.decode()


def test_a_chosen_zone_wins_over_the_browsers_also_after_signing_in_again(olga: User):
    Preference.objects.create(user=olga, zone="America/Lima")

    page = _browser(olga, "Asia/Tokyo").get("/gates/").content.decode()

    assert 'data-zone="America/Lima"' in page
    assert "data-zone-chosen" in page


def test_an_unknown_zone_is_refused_with_a_sentence(olga: User):
    request = RequestFactory().get("/")
    request.session = {}  # type: ignore[assignment]

    with pytest.raises(UnknownZone, match="“Mars” is not a time zone"):
        choose_zone(request, olga.pk, "Mars")

    assert not Preference.objects.exists()


def test_a_mail_is_written_in_the_zone_that_its_reader_chose(olga: User):
    User.objects.filter(pk=olga.pk).update(email="Olga@bank.example")
    Preference.objects.create(user=olga, zone="America/Lima")

    assert zone_of_mailbox("olga@bank.example") == "America/Lima"
    assert zone_of_mailbox("stranger@bank.example") == ""
    assert zone_of_mailbox("") == ""


def test_the_zones_to_choose_from_are_places():
    names = zone_names()

    assert {"Europe/Madrid", "America/Lima", "UTC"} <= set(names)
    assert not [name for name in names if "/" not in name and name != "UTC"]
