"""Pages that say why there is no page keep the rail of the person who is signed in."""

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.test import Client, RequestFactory

from dialogue.desk.access.people import Caller
from soni_admin.error_pages import server_error
from tests.support.web.pages import text_of
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
RAIL = '<nav class="rail"'


def test_a_missing_page_keeps_the_rail_of_staff(browser_of: Browser, olga: Caller):
    page = browser_of(olga).get("/no-such-page/")

    assert page.status_code == 404
    assert RAIL in text_of(page)
    assert "Go to start" in text_of(page)


def test_visitors_and_customers_have_no_rail(browser_of: Browser, ursula: User):
    for browser in (Client(), browser_of(ursula)):
        page = browser.get("/no-such-page/")
        assert page.status_code == 404
        assert RAIL not in text_of(page)
        assert "<script" not in text_of(page)


def test_an_error_of_ours_keeps_the_rail(olga: Caller):
    request = RequestFactory().get("/gates/")
    request.user = User.objects.get(pk=olga.user)

    page = server_error(request)

    assert page.status_code == 500
    assert RAIL in page.content.decode()


def test_an_error_while_the_database_is_away_has_a_page_without_a_rail(olga: Caller, monkeypatch: pytest.MonkeyPatch):
    def fail(*_args: object) -> None:
        raise DatabaseError("gone")

    request = RequestFactory().get("/gates/")
    request.user = User.objects.get(pk=olga.user)
    monkeypatch.setattr("dialogue.templatetags.navigation.counts_of_request", fail)

    page = server_error(request)

    assert page.status_code == 500
    assert RAIL not in page.content.decode()
    assert "Something went wrong on our side" in page.content.decode()
