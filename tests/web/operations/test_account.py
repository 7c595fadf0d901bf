"""A person's own settings: the time zone and the password."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dialogue.desk.access.people import Caller
from dialogue.models import Preference
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
NEW = "correct-horse-battery"


def test_a_chosen_zone_counts_at_once_and_is_stored(browser_of: Browser, olga: Caller):
    browser = browser_of(olga)

    page = browser.post("/account/zone/", {"zone": "America/Lima"}, follow=True)

    assert 'data-zone="America/Lima"' in text_of(page)
    assert Preference.objects.get(user=olga.user).zone == "America/Lima"


def test_an_empty_field_goes_back_to_the_browsers_zone(browser_of: Browser, olga: Caller):
    browser = browser_of(olga)
    browser.post("/account/zone/", {"zone": "America/Lima"})
    browser.cookies["zone"] = "Asia/Tokyo"

    page = browser.post("/account/zone/", {"zone": ""}, follow=True)

    assert 'data-zone="Asia/Tokyo"' in text_of(page)


def test_an_unknown_zone_is_refused_and_stays_in_the_field(browser_of: Browser, olga: Caller):
    page = browser_of(olga).post("/account/zone/", {"zone": "Mars/<b>"})

    assert page.status_code == 422
    assert "“Mars/&lt;b&gt;” is not a time zone." in text_of(page)
    assert not Preference.objects.exists()


def test_a_chosen_language_is_that_of_the_next_sign_in_in_another_browser(signed_in: Client, olga: Caller):
    signed_in.post("/language/", {"language": "es", "next": "/account/"})
    other = Client(headers={"accept-language": "en"})
    name = User.objects.get(pk=olga.user).get_username()

    other.post("/sign-in/", {"username": name, "password": "old-secret-word"})

    assert Preference.objects.get(user=olga.user).language == "es"
    assert 'lang="es"' in text_of(other.get("/account/"))


def test_a_language_that_pages_do_not_have_is_not_kept(signed_in: Client, olga: Caller):
    signed_in.post("/language/", {"language": "xx", "next": "/account/"})

    assert not Preference.objects.filter(user=olga.user).exclude(language="").exists()


@pytest.fixture
def signed_in(olga: Caller) -> Client:
    user = User.objects.get(pk=olga.user)
    user.set_password("old-secret-word")
    user.save()
    browser = Client()
    assert browser.login(username=user.get_username(), password="old-secret-word")
    return browser


def test_the_password_is_changed_and_this_browser_stays_signed_in(signed_in: Client, olga: Caller):
    form = {"old_password": "old-secret-word", "new_password1": NEW, "new_password2": NEW}

    page = signed_in.post("/account/password/", form, follow=True)

    assert "The password is changed." in text_of(page)
    assert User.objects.get(pk=olga.user).check_password(NEW)


def test_a_wrong_old_password_changes_nothing_and_tries_are_limited(signed_in: Client, olga: Caller):
    form = {"old_password": "wrong", "new_password1": NEW, "new_password2": NEW}

    answers = [signed_in.post("/account/password/", form) for _try in range(7)]

    assert {answer.status_code for answer in answers} == {422}
    assert "Too many tries" in text_of(answers[-1])
    assert User.objects.get(pk=olga.user).check_password("old-secret-word")
