"""A person's silence, as the pages are told it."""

from django.contrib.auth.models import User

from dialogue.desk.queue import do_not_disturb
from dialogue.desk.sessions import service
from dialogue.desk.sessions.service import Caller
from dialogue.models import HITLSession
from dialogue.turns.clock import FrozenClock
from tests.web.conftest import Browser


def test_the_page_is_told_until_when_it_is_quiet_and_what_breaks_it(
    noon: FrozenClock, session: HITLSession, olga: Caller, browser_of: Browser
):
    until = do_not_disturb.mute(olga.user, do_not_disturb.ABOUT_TO_EXPIRE)
    service.claim(session.pk, olga)

    told = browser_of(olga).get("/quiet/").json()

    assert told["until"] == until.isoformat()
    assert [each["number"] for each in told["urgent"]] == [session.pk]


def test_an_end_user_has_no_silence_to_ask_for(browser_of: Browser):
    ursula = User.objects.create_user("ursula")

    assert browser_of(ursula).get("/quiet/").status_code == 404
