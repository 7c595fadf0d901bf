"""What people see of others stays in no cache: pages, tables, answers of the API and streams."""

import pytest
from django.test import Client

from dialogue.desk.access.people import Caller
from tests.support.releases import demo, publish
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db
PAGES = [
    "/gates/",
    "/inbox/",
    "/conversations/",
    "/figures/",
    "/figures/csv/",
    "/api/v1/sessions",
    "/flows/",
    "/status/",
]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_the_signed_in_is_private_and_kept_nowhere(path: str, sofia: Caller, browser_of: Browser):
    answer = browser_of(sofia).get(path)

    assert answer.status_code == 200
    assert {"private", "no-store"} <= set(answer["Cache-Control"].split(", "))


@pytest.mark.parametrize(
    "path", ["/sign-in/", "/chat/bank/", "/no/such/page/", "/api/v1/openapi.json", "/admin/login/"]
)
def test_what_a_visitor_gets_is_kept_nowhere_either(path: str, payments: object):
    publish(demo("bank"))

    assert "no-store" in Client().get(path)["Cache-Control"]


def test_a_page_that_says_so_itself_keeps_its_own_word(payments: object):
    assert "max-age=0" in Client().get("/health/ready")["Cache-Control"]
